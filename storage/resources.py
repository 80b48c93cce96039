"""Resource records: which material was projected from which source, and how far it has come."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from psycopg.rows import DictRow

from context.derived import Resource
from context.errors import NotFoundError
from context.types import ProjectionStatus, SourceType, SpaceType, Visibility
from storage.database import Statement, Transaction
from storage.queries import queries

_SQL = queries("records")
WAITS = "waiting to be "
"""How the reason of pending material begins whose text is not there yet."""


def put_statement(items: Sequence[Resource]) -> Statement:
    """Create or replace the records of sources' material."""
    return _SQL["put_resource"], {
        "resource_id": [item.resource_id for item in items],
        "resource_type": [item.resource_type for item in items],
        "source_type": [item.source_type.value for item in items],
        "source_id": [item.source_id for item in items],
        "space": [item.space.value for item in items],
        "session_id": [item.session_id for item in items],
        "visibility": [item.visibility.value for item in items],
        "uri": [item.uri for item in items],
        "title": [item.title for item in items],
        "hash": [item.digest for item in items],
        "projection_status": [item.projection_status.value for item in items],
        "reason": [item.reason for item in items],
    }


async def put(tx: Transaction, resource: Resource) -> None:
    """Create or replace the record of one source's material."""
    await tx.execute(*put_statement([resource]))


async def listed(
    tx: Transaction,
    *,
    statuses: Sequence[ProjectionStatus] | None = None,
    source_types: Sequence[SourceType] | None = None,
    limit: int = 50,
) -> list[Resource]:
    """Material for people: what failed first, then what waits, then by the newest change."""
    values = {
        "statuses": None if statuses is None else [status.value for status in statuses],
        "source_types": None if source_types is None else [kind.value for kind in source_types],
        "limit": limit,
    }
    return [_resource(row) for row in await tx.all(_SQL["resources_by_status"], values)]


async def counts(tx: Transaction) -> dict[tuple[str, str], int]:
    """How much material there is: (source type, status) to number."""
    rows = await tx.all(_SQL["resource_counts"])
    return {(row["source_type"], row["projection_status"]): row["count"] for row in rows}


async def page(tx: Transaction, *, after: UUID, limit: int) -> list[Resource]:
    """All material in the order of its ids, after one of them."""
    return [_resource(row) for row in await tx.all(_SQL["every_resource"], {"after": after, "limit": limit})]


async def find(tx: Transaction, key: str) -> Resource:
    """One resource by its id, its source's id or its address.

    Raises:
        NotFoundError: unknown, or another owner's.
    """
    row = await tx.one(_SQL["resource"], {"key": key})
    if row is None:
        raise NotFoundError(f"There is no material {key}.", zh=f"没有材料 {key}。")
    return _resource(row)


async def of_source(tx: Transaction, source_id: str) -> list[Resource]:
    """From a source to its material; the way back is `Resource.source_id`."""
    return [_resource(row) for row in await tx.all(_SQL["resources_of"], {"source_id": source_id})]


async def of_sources(tx: Transaction, source_ids: Sequence[str]) -> dict[str, list[Resource]]:
    """From sources to their material; one without any is missing."""
    found: dict[str, list[Resource]] = {}
    for row in await tx.all(_SQL["resources_of_sources"], {"source_ids": list(source_ids)}):
        found.setdefault(row["source_id"], []).append(_resource(row))
    return found


async def beginning(tx: Transaction, start: str, *, limit: int = 5) -> list[Resource]:
    """Material whose own id, or its source's, begins like this."""
    return [_resource(row) for row in await tx.all(_SQL["resources_beginning"], {"start": start, "limit": limit})]


async def erase(tx: Transaction, source_ids: Sequence[str]) -> None:
    """Remove the material of erased sources."""
    await tx.execute(_SQL["erase_resources"], {"source_ids": list(source_ids)})


async def settle(tx: Transaction, *, engine: str) -> None:
    """Mark material ready whose every live node has a vector of this engine or was refused one. What waits to be read
    or cut stays pending, what failed stays failed."""
    await tx.execute(_SQL["settle_resources"], {"engine": engine, "waits": WAITS})


def unmade(resource: Resource) -> bool:
    """Whether material is not there: a file to be read, a large note to be cut, or whatever failed."""
    waits = resource.projection_status is ProjectionStatus.PENDING and (resource.reason or "").startswith(WAITS)
    return waits or resource.projection_status is ProjectionStatus.FAILED


async def awaiting(tx: Transaction) -> list[Resource]:
    """Material that is not made yet: files to be read and large notes to be cut, the oldest first."""
    return [_resource(row) for row in await tx.all(_SQL["awaiting"], {"waits": WAITS})]


async def give_reason(tx: Transaction, source_id: str, reason: str, *, failed: bool) -> None:
    """Say why material that is not ready is not; `failed`: nobody will try again by himself."""
    await tx.execute(_SQL["give_reason"], {"source_id": source_id, "reason": reason, "failed": failed})


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
