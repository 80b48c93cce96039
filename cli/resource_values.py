"""Material as the command line shows it: found by whatever names it, with its source, texts, chunks and references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from context.derived import ContextNode, Resource
from context.errors import InvalidInputError, NotFoundError
from context.types import ProjectionStatus, RefType, SourceType
from context.uri import ContextUri
from retrievers.disclosure import source_ref
from storage import catalog, notes, refs, resources, sessions, vectors
from storage.assets import AssetStore
from storage.database import Transaction

_SHORTEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a list. `source` is what citations call it; `title` what its container is called."""

    resource: Resource
    chunks: int
    source: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A list of material and what there is in all: (source type, status) to number."""

    rows: Sequence[Row]
    counts: Mapping[tuple[str, str], int]
    status: ProjectionStatus | None
    kind: SourceType | None

    def fits(self, kind: str, status: str) -> bool:
        """Whether material of this kind and status was asked for."""
        return self.kind in (None, kind) and self.status in (None, status)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "counts": [{"type": k, "status": s, "count": n} for (k, s), n in sorted(self.counts.items())],
            "resources": [
                {**plain(row.resource), "chunks": row.chunks, "source_name": row.source} for row in self.rows
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """One source's material.

    Attributes:
        resource: its record; others: further records of the same source.
        source: plain values of the note, file or session that it was made of; None where that is gone.
        container: the node that carries its abstract and overview; chunks: its leaves in order.
        unembedded: version ids that wait for a vector.
        references: (address, why, title) that it points to; callers: that point to it.
    """

    resource: Resource
    others: Sequence[Resource]
    source: Mapping[str, Any] | None
    container: ContextNode | None
    chunks: Sequence[ContextNode]
    unembedded: frozenset[int]
    references: Sequence[tuple[str, RefType, str]]
    callers: Sequence[tuple[str, RefType, str]]

    @property
    def embedded(self) -> int:
        """Chunks that have a vector, or that the embedder refused."""
        return sum(chunk.vid not in self.unembedded for chunk in self.chunks)

    def to_json(self, *, text: bool) -> dict[str, Any]:
        """Plain values; with `text`, of chunks too."""
        top = self.container
        return {
            **plain(self.resource),
            "also": [plain(other) for other in self.others],
            "source": dict(self.source) if self.source else None,
            "abstract": top.abstract if top else None,
            "overview": top.overview if top else None,
            "written_by": top.written_by if top else None,
            "layer": top.layer.value if top else None,
            "source_name": top.source_name if top else None,
            "vectors": {"chunks": len(self.chunks), "embedded": self.embedded},
            "references": [{"uri": uri, "why": why.value, "title": title} for uri, why, title in self.references],
            "referenced_by": [{"uri": uri, "why": why.value, "title": title} for uri, why, title in self.callers],
            "chunks": [_chunk(chunk, embedded=chunk.vid not in self.unembedded, text=text) for chunk in self.chunks],
        }


async def listed(tx: Transaction, *, status: ProjectionStatus | None, kind: SourceType | None, limit: int) -> Listed:
    """Material, what needs attention first."""
    found = await resources.listed(
        tx, statuses=[status] if status else None, source_types=[kind] if kind else None, limit=limit
    )
    chunks = await catalog.leaf_counts(tx, [resource.source_id for resource in found])
    nodes = await catalog.live_nodes(tx, [resource.uri for resource in found])
    rows = [
        Row(
            resource=resource,
            chunks=chunks.get(resource.source_id, 0),
            source=nodes[resource.uri].source_name if resource.uri in nodes else "",
            title=nodes[resource.uri].title if resource.uri in nodes else "",
        )
        for resource in found
    ]
    return Listed(rows=rows, counts=await resources.counts(tx), status=status, kind=kind)


async def find_resource(tx: Transaction, given: str) -> Resource:
    """Material by its id, its source's id, its address, or the first six or more characters of an id that no other
    source's material has.

    Raises:
        NotFoundError: unknown, or another owner's.
        InvalidInputError: several sources' material begins like this.
    """
    key = given.strip()
    try:
        return await resources.find(tx, key)
    except NotFoundError:
        found = await resources.beginning(tx, key.lower()) if len(key) >= _SHORTEST else []
        if not found:
            raise
    if len({resource.source_id for resource in found}) > 1:
        first, second = (resource.resource_id for resource in found[:2])
        raise InvalidInputError(
            f"{key} is the beginning of several ids, such as {first} and {second}; give more of it.",
            zh=f"{key} 是多份材料编号的开头，例如 {first} 和 {second}；请多写几位。",
        )
    return found[0]


async def material_of(tx: Transaction, resource: Resource, *, assets: AssetStore, engine: str) -> Material:
    """All there is to show of a source's material; `engine` is the embedder whose vectors count."""
    live = (await catalog.live_of(tx, [resource.source_id])).get(resource.source_id, [])
    nodes = [node for node, _ in (await catalog.bodies(tx, [item.vid for item in live])).values()]
    pointed = await refs.of(tx, resource.uri)
    pointing = await refs.to(tx, resource.uri)
    titles = await catalog.live_nodes(tx, [uri for _, uri in pointed] + [uri for uri, _ in pointing])
    lacking = set(await vectors.without_vector(tx, engine=engine)) if nodes else set()
    return Material(
        resource=resource,
        others=[other for other in await resources.of_source(tx, resource.source_id) if other != resource],
        source=await _source(tx, resource, assets),
        container=next((node for node in nodes if not node.is_leaf), None),
        chunks=sorted((node for node in nodes if node.is_leaf), key=lambda node: node.ordinal),
        unembedded=frozenset(lacking),
        references=[(uri, why, _title(titles, uri)) for why, uri in pointed],
        callers=[(uri, why, _title(titles, uri)) for uri, why in pointing],
    )


def plain(resource: Resource) -> dict[str, Any]:
    """A record as plain values."""
    return {
        "resource_id": str(resource.resource_id),
        "resource_type": resource.resource_type,
        "type": resource.source_type.value,
        "status": resource.projection_status.value,
        "reason": resource.reason,
        "title": resource.title,
        "uri": resource.uri,
        "source_id": resource.source_id,
        "space": resource.space.value,
        "visibility": resource.visibility.value,
        "session_id": str(resource.session_id) if resource.session_id else None,
        "digest": resource.digest.hex(),
        "updated_at": resource.updated_at.isoformat() if resource.updated_at else None,
    }


async def _source(tx: Transaction, resource: Resource, assets: AssetStore) -> dict[str, Any] | None:
    parts = ContextUri.parse(resource.uri).segments
    try:
        key = UUID(parts[2])
        if parts[1] == "notes":
            note = await notes.get(tx, key)
            return {"kind": "note", "id": str(key), "title": note.title, "folder": note.folder, "tags": list(note.tags)}
        if parts[1] == "assets":
            asset = await assets.get(tx, key)
            facts = {"name": asset.name, "mime": asset.mime, "bytes": asset.size, "sha256": asset.digest.hex()}
            return {"kind": "file", "id": str(key), **facts, "belongs_to": asset.owner_uri}
        session = await sessions.get(tx, key)
        return {"kind": "session", "id": str(key), "title": session.title, "messages": session.last_seq}
    except (NotFoundError, IndexError, ValueError):  # it went while its material is still there: a rebuild erases that
        return None


def _chunk(chunk: ContextNode, *, embedded: bool, text: bool) -> dict[str, Any]:
    return {
        "uri": chunk.uri,
        "ordinal": chunk.ordinal,
        "lines": list(chunk.lines) if chunk.lines else None,
        "heading": chunk.title,
        "speaker": chunk.speaker,
        "source_ref": source_ref(chunk),
        "digest": chunk.digest.hex()[:16],
        "abstract": chunk.abstract,
        "embedded": embedded,
        **({"text": chunk.body or ""} if text else {}),
    }


def _title(nodes: Mapping[str, ContextNode], uri: str) -> str:
    return nodes[uri].title or nodes[uri].abstract if uri in nodes else ""
