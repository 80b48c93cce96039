"""The catalogue: every node that retrieval can find, one row a version, with its words and its vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, LiteralString, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector.psycopg import HalfVector
from psycopg.rows import DictRow
from psycopg.types.range import Range

from context.derived import ContextNode
from context.terms import term_counts
from context.types import ContextLevel, ContextType, KnowledgeLayer, SourceType, SpaceType, Status, Visibility
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("catalog")
Vector = NDArray[np.float32]
Heir = tuple[bytes, str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedNode:
    """A node with the words it is found by: term to frequency."""

    node: ContextNode
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """A live node that an embedder has not seen, and the text it should see."""

    vid: int
    context_type: str
    is_leaf: bool
    title: str
    abstract: str
    body: str | None
    speaker: str | None
    pos: int


class LiveNode(NamedTuple):
    """A live node without its long texts, in the order of the columns of `live`."""

    vid: int
    uri: str
    parent_uri: str | None
    level: int
    is_leaf: bool
    context_type: str
    visibility: str
    session_id: UUID | None
    layer: str
    source_type: str | None
    source_id: str
    pos: int
    norm: float
    prior: float
    length: int
    happened_at: datetime | None
    speaker: str | None
    record_id: UUID | None


@dataclass(frozen=True, slots=True)
class LiveRows:
    """One snapshot of an owner.

    Attributes:
        nodes: all live nodes; None when the caller has them.
        cosines: (vid, 1-based number of the query, cosine).
        postings: (term, vid, frequency).
    """

    nodes: list[LiveNode] | None
    cosines: list[tuple[int, int, float]]
    postings: list[tuple[str, int, int]]


async def replace_source(tx: Transaction, source_id: str, nodes: Sequence[IndexedNode], *, miv: int) -> int:
    """Make `nodes` the live nodes of one source, changing only what differs.

    A node whose content is unchanged but whose place moved (other lines, another folder) becomes a new version that
    keeps its vector.

    Returns:
        How many versions were begun or ended; 0 when everything was in place.
    """
    live = {row["uri"]: row for row in await tx.all(_SQL["live_of_source"], {"source_id": source_id})}
    wanted = {item.node.uri for item in nodes}
    fresh = [item for item in nodes if item.node.uri not in live or not _same(live[item.node.uri], item.node)]
    ended = [row["vid"] for uri, row in live.items() if uri not in wanted]
    ended += [live[item.node.uri]["vid"] for item in fresh if item.node.uri in live]
    if ended:
        await tx.execute(_SQL["close"], {"vids": ended, "miv": miv})
    if fresh:
        await insert(tx, fresh, miv=miv, heirs=_by_digest(live.values()))
    return len(ended) + len(fresh)


async def insert(
    tx: Transaction,
    items: Sequence[IndexedNode],
    *,
    miv: int,
    heirs: Mapping[Heir, int] | None = None,
) -> dict[str, int]:
    """Begin versions with their words.

    Args:
        heirs: what earlier versions were embedded from, to their vid: the new ones keep those vectors.

    Returns:
        Address to version id.
    """
    if not items:
        return {}
    cursor = await tx.execute(_SQL["insert"], {**_columns([item.node for item in items]), "miv": miv})
    vids = {row["uri"]: row["vid"] for row in await cursor.fetchall()}
    term: list[str] = []
    vid: list[int] = []
    tf: list[int] = []
    for item in items:
        for word, count in item.terms.items():
            term.append(word)
            vid.append(vids[item.node.uri])
            tf.append(min(count, 32_767))
    await tx.execute(_SQL["insert_postings"], {"term": term, "vid": vid, "tf": tf})
    pairs = [
        (heirs[key], vids[item.node.uri])
        for item in items
        if heirs and (key := (item.node.digest, item.node.title, item.node.is_leaf)) in heirs
    ]
    if pairs:
        await tx.execute(_SQL["carry_vectors"], {"old_vid": [a for a, _ in pairs], "new_vid": [b for _, b in pairs]})
    return vids


async def close_uris(tx: Transaction, uris: Sequence[str], *, miv: int) -> None:
    """End the live versions of these addresses; they stay readable as of their time."""
    await tx.execute(_SQL["close_uris"], {"uris": list(uris), "miv": miv})


async def rewrite_container(tx: Transaction, uri: str, *, abstract: str, overview: str, miv: int) -> None:
    """Give a container better texts: a new version, if they differ from the live one's."""
    rows = await tx.all(_SQL["live_vids"], {"uris": [uri]})
    found = await bodies(tx, [row["vid"] for row in rows])
    for node, _ in found.values():
        if (node.abstract, node.overview) == (abstract, overview):
            continue
        text = f"{node.title}\x1f{abstract}\x1f{overview}"
        newer = replace(
            node, abstract=abstract, overview=overview, digest=hashlib.sha256(text.encode("utf-8", "replace")).digest()
        )
        await close_uris(tx, [uri], miv=miv)
        await insert(tx, [IndexedNode(node=newer, terms=term_counts(f"{node.title} {abstract}"))], miv=miv)


async def erase_sources(tx: Transaction, source_ids: Sequence[str]) -> set[str]:
    """Delete every version of these sources with words and vectors; the addresses of their parents."""
    await tx.execute(_SQL["erase_postings"], {"source_ids": list(source_ids)})
    rows = await tx.all(_SQL["erase"], {"source_ids": list(source_ids)})
    return {row["parent_uri"] for row in rows if row["parent_uri"]}


async def live_uris(tx: Transaction, uris: Sequence[str]) -> set[str]:
    """Those of these addresses that have a live node."""
    return {row["uri"] for row in await tx.all(_SQL["live_uris"], {"uris": list(uris)})}


async def children(tx: Transaction, uri: str, *, limit: int = 200) -> list[DictRow]:
    """Address, title, abstract and is_leaf of a container's live children, newest first."""
    return await tx.all(_SQL["children"], {"uri": uri, "limit": limit})


async def without_vector(tx: Transaction, *, engine: str, limit: int, below: int = 2**62) -> list[Unembedded]:
    """Live nodes with a version id under `below` that have no vector of this engine, newest first."""
    values = {"engine": engine, "limit": limit, "below": below}
    return [Unembedded(**row) for row in await tx.all(_SQL["without_vector"], values)]


async def count_without_vector(tx: Transaction, *, engine: str) -> int:
    """How many live leaves are found by words only."""
    row = await tx.one(_SQL["count_without_vector"], {"engine": engine})
    return int(row["pending"]) if row else 0


async def put_vectors(tx: Transaction, items: Sequence[Unembedded], vectors: Sequence[Vector], *, engine: str) -> None:
    """Store unit vectors of these nodes."""
    values = {
        "engine": engine,
        "context_type": [item.context_type for item in items],
        "vid": [item.vid for item in items],
        "embedding": [HalfVector(vector) for vector in vectors],
    }
    await tx.execute(_SQL["insert_vectors"], values)


async def turns_near(tx: Transaction, vids: Sequence[int], *, engine: str) -> list[DictRow]:
    """vid, pos, parent_uri and vector of all turns in the stages these versions belong to, in order."""
    cursor = await tx.execute(_SQL["turns_near"], {"vids": list(vids), "engine": engine}, binary=True)
    return await cursor.fetchall()


async def set_norms(tx: Transaction, norms: Mapping[int, float]) -> None:
    """Store the window norm of turns."""
    await tx.execute(_SQL["set_norms"], {"vid": list(norms), "norm": list(norms.values())})


async def read_snapshot(
    tx: Transaction, *, miv: int, engine: str, vectors: Sequence[Vector], terms: Sequence[str], cached: bool = False
) -> LiveRows:
    """Everything the ranker needs, in one round trip.

    Args:
        miv: read as of this number.
        vectors: unit query vectors; empty when there is no embedder.
        terms: words of all queries together.
        cached: the caller has the live nodes of this pin already.
    """
    statements: list[tuple[LiteralString, Mapping[str, Any]]] = [(_SQL["postings"], {"terms": list(terms)})]
    if vectors:
        statements.append((_SQL["cosines"], {"queries": [HalfVector(v) for v in vectors], "engine": engine}))
    if not cached:
        statements.append((_SQL["live"], {"miv": miv}))
    rows = await tx.pipelined(statements)
    return LiveRows(
        postings=rows[0],
        cosines=rows[1] if vectors else [],
        nodes=None if cached else [LiveNode(*row) for row in rows[-1]],
    )


async def bodies(tx: Transaction, vids: Sequence[int]) -> dict[int, tuple[ContextNode, bool]]:
    """Chosen versions with their texts, and whether each still holds now."""
    rows = await tx.all(_SQL["bodies"], {"vids": list(vids)})
    return {row["vid"]: (_node(row), row["holds"]) for row in rows}


async def vids_of(tx: Transaction, uris: Sequence[str], *, miv: int) -> list[int]:
    """The versions of these addresses as of a pin."""
    return [row["vid"] for row in await tx.all(_SQL["by_uri"], {"uris": list(uris), "miv": miv})]


async def catalogue(tx: Transaction, *, miv: int, today: datetime, limit: int = 60) -> list[DictRow]:
    """What Tier-0 may list, newest first: vid, uri, layer, status, title, abstract, happened_at, holds.

    Args:
        today: start of the user's day; of the log only what happened since is listed.
        limit: the most of each layer; far more than a budget of 800 tokens holds.
    """
    return await tx.all(_SQL["catalogue"], {"miv": miv, "today": today, "limit": limit})


def _same(row: DictRow, node: ContextNode) -> bool:
    lines = (row["lines"].lower, row["lines"].upper - 1) if row["lines"] else None
    return (
        bytes(row["digest"]) == node.digest
        and row["parent_uri"] == node.parent_uri
        and row["title"] == node.title
        and row["abstract"] == node.abstract
        and row["overview"] == node.overview
        and lines == node.lines
        and row["layer"] == node.layer
        and row["status"] == node.status
        and row["source_name"] == node.source_name
        and row["ordinal"] == node.ordinal
        and row["leaf_count"] == node.count
        and row["visibility"] == node.visibility
        and row["agent_id"] == node.agent
    )


def _by_digest(rows: Iterable[DictRow]) -> dict[Heir, int]:
    return {(bytes(row["digest"]), row["title"], row["is_leaf"]): row["vid"] for row in rows}


def _columns(nodes: Sequence[ContextNode]) -> dict[str, list[Any]]:
    return {
        "uri": [n.uri for n in nodes],
        "parent_uri": [n.parent_uri for n in nodes],
        "level": [int(n.level) for n in nodes],
        "is_leaf": [n.is_leaf for n in nodes],
        "context_type": [n.context_type.value for n in nodes],
        "space": [n.space.value for n in nodes],
        "visibility": [n.visibility.value for n in nodes],
        "agent_id": [n.agent for n in nodes],
        "session_id": [n.session_id for n in nodes],
        "layer": [n.layer.value for n in nodes],
        "status": [n.status.value for n in nodes],
        "source_type": [n.source_type.value if n.source_type else None for n in nodes],
        "source_id": [n.source_id for n in nodes],
        "source_name": [n.source_name for n in nodes],
        "record_id": [n.record_id for n in nodes],
        "ordinal": [n.ordinal for n in nodes],
        "leaf_count": [n.count for n in nodes],
        "first_line": [n.lines[0] if n.lines else None for n in nodes],
        "last_line": [n.lines[1] if n.lines else None for n in nodes],
        "digest": [n.digest for n in nodes],
        "title": [n.title for n in nodes],
        "abstract": [n.abstract for n in nodes],
        "overview": [n.overview for n in nodes],
        "body": [n.body for n in nodes],
        "speaker": [n.speaker for n in nodes],
        "pos": [n.pos for n in nodes],
        "norm": [n.norm for n in nodes],
        "prior": [n.prior for n in nodes],
        "length": [n.length for n in nodes],
        "happened_at": [n.happened_at for n in nodes],
    }


def _node(row: DictRow) -> ContextNode:
    lines: Range[int] | None = row["lines"]
    record: UUID | None = row["record_id"]
    return ContextNode(
        uri=row["uri"],
        parent_uri=row["parent_uri"],
        level=ContextLevel(row["level"]),
        is_leaf=row["is_leaf"],
        context_type=ContextType(row["context_type"]),
        space=SpaceType(row["space"]),
        visibility=Visibility(row["visibility"]),
        agent=row["agent_id"],
        session_id=row["session_id"],
        layer=KnowledgeLayer(row["layer"]),
        status=Status(row["status"]),
        source_type=SourceType(row["source_type"]) if row["source_type"] else None,
        source_id=row["source_id"],
        source_name=row["source_name"],
        record_id=record,
        ordinal=row["ordinal"],
        count=row["leaf_count"],
        lines=(lines.lower, lines.upper - 1) if lines and lines.lower is not None and lines.upper is not None else None,
        digest=bytes(row["digest"]),
        title=row["title"],
        abstract=row["abstract"],
        overview=row["overview"],
        body=row["body"],
        speaker=row["speaker"],
        pos=row["pos"],
        happened_at=row["happened_at"],
        vid=row["vid"],
        born=row["born"],
    )
