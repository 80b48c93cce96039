"""Resource records: which material was projected from which source, and how far it has come."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.rows import DictRow

from context.derived import Resource
from context.types import ProjectionStatus, SourceType, SpaceType, Visibility
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("records")


async def put(tx: Transaction, resource: Resource) -> None:
    """Create or replace the record of one source's material."""
    await tx.execute(
        _SQL["put_resource"],
        {
            "resource_id": resource.resource_id,
            "resource_type": resource.resource_type,
            "source_type": resource.source_type.value,
            "source_id": resource.source_id,
            "space": resource.space.value,
            "session_id": resource.session_id,
            "visibility": resource.visibility.value,
            "uri": resource.uri,
            "title": resource.title,
            "hash": resource.digest,
            "projection_status": resource.projection_status.value,
            "reason": resource.reason,
        },
    )


async def of_source(tx: Transaction, source_id: str) -> list[Resource]:
    """From a source to its material; the way back is `Resource.source_id`."""
    return [_resource(row) for row in await tx.all(_SQL["resources_of"], {"source_id": source_id})]


async def erase(tx: Transaction, source_ids: Sequence[str]) -> None:
    """Remove the material of erased sources."""
    await tx.execute(_SQL["erase_resources"], {"source_ids": list(source_ids)})


async def settle(tx: Transaction, *, engine: str) -> None:
    """Mark material ready whose every live node has a vector of this engine."""
    await tx.execute(_SQL["settle_resources"], {"engine": engine})


def _resource(row: DictRow) -> Resource:
    return Resource(
        resource_id=row["resource_id"],
        resource_type=row["resource_type"],
        source_type=SourceType(row["source_type"]),
        source_id=row["source_id"],
        space=SpaceType(row["space"]),
        visibility=Visibility(row["visibility"]),
        uri=row["uri"],
        title=row["title"],
        digest=bytes(row["hash"]),
        projection_status=ProjectionStatus(row["projection_status"]),
        reason=row["reason"],
        session_id=row["session_id"],
        updated_at=row["updated_at"],
    )
