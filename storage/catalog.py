"""The catalogue: every node that retrieval can find, one row a version, with its words and its vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import DictRow, TupleRow
from psycopg.types.range import Range

from context.derived import ContextNode
from context.types import ContextLevel, ContextType, KnowledgeLayer, SourceType, SpaceType, Status, Visibility
from storage.database import Statement, Transaction
from storage.queries import queries

_SQL = queries("catalog")
_MOST_TF = 32_767


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedNode:
    """A node with the words it is found by: term to frequency."""

    node: ContextNode
    terms: Mapping[str, int]


class StandingNode(NamedTuple):
    """A live node as a projection compares it, in the order of the columns of `live_of_sources`."""

    vid: int
    uri: str
    parent_uri: str | None
    source_id: str
    digest: bytes
    title: str
    abstract: str
    overview: str | None
    lines: Range[int] | None
    layer: str
    status: str
    source_name: str
    ordinal: int
    leaf_count: int
    visibility: str
    agent_id: str
    is_leaf: bool
    pos: int
    written_by: str
    happened_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What must change to make given nodes the live ones of their source.

    Attributes:
        ended: versions that end.
        fresh: nodes that begin.
        heirs: address of a fresh node to an ended version that was embedded from the same words: it leaves its vector.
    """

    ended: tuple[int, ...] = ()
    fresh: tuple[IndexedNode, ...] = ()
    heirs: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ended) + len(self.fresh)


def live_statement(source_ids: Sequence[str]) -> Statement:
    """The live nodes of sources, as `difference` compares them."""
    return _SQL["live_of_sources"], {"source_ids": list(source_ids)}


async def live_of(tx: Transaction, source_ids: Sequence[str]) -> dict[str, list[StandingNode]]:
    """The live nodes of each of these sources; one without any is missing."""
    return by_source((await tx.pipelined([live_statement(source_ids)]))[0])


async def former_of(tx: Transaction, source_id: str) -> list[StandingNode]:
    """Ended versions of a source that still have vectors, the newest last."""
    rows = (await tx.pipelined([(_SQL["former_of_source"], {"source_id": source_id})]))[0]
    return [StandingNode(*row) for row in rows]


def by_source(rows: Iterable[TupleRow]) -> dict[str, list[StandingNode]]:
    """Rows of `live_statement`, by source."""
    found: dict[str, list[StandingNode]] = {}
    for row in rows:
        node = StandingNode(*row)
        found.setdefault(node.source_id, []).append(node)
    return found


def difference(
    live: Sequence[StandingNode],
    nodes: Sequence[IndexedNode],
    *,
    former: Sequence[StandingNode] = (),
    anew: bool = False,
) -> Difference:
    """Compare what stands with what should stand. Pure.

    A node whose content is unchanged but whose place moved (other lines, another folder) becomes a new version that
    keeps its vector.

    Args:
        former: ended versions of the source, whose vectors may be taken over as well.
        anew: the words of all nodes changed, though their texts may be the same.
    """
    standing = {node.uri: node for node in live}
    wanted = {item.node.uri for item in nodes}
    fresh = [
        item for item in nodes if anew or (old := standing.get(item.node.uri)) is None or not _same(old, item.node)
    ]
    ended = [node.vid for uri, node in standing.items() if uri not in wanted]
    ended += [standing[item.node.uri].vid for item in fresh if item.node.uri in standing]
    by_words = {(bytes(node.digest), node.title, node.is_leaf): node.vid for node in (*former, *live)}
    heirs = {
        item.node.uri: by_words[key]
        for item in fresh
        if (key := (item.node.digest, item.node.title, item.node.is_leaf)) in by_words
    }
    return Difference(ended=tuple(ended), fresh=tuple(fresh), heirs=heirs)


@dataclass(frozen=True, slots=True)
class Applied:
    """How many versions ended and began, and the rows of what was sent along."""

    versions: int
    rows: list[list[TupleRow]]


async def apply(tx: Transaction, changes: Sequence[Difference], *, miv: int, also: Sequence[Statement] = ()) -> Applied:
    """End and begin versions with their words as told, in two round trips however many sources.

    Args:
        also: statements that go along in the second trip.
    """
    ended = [vid for change in changes for vid in change.ended]
    fresh = [item for change in changes for item in change.fresh]
    first: list[Statement] = [(_SQL["close"], {"vids": ended, "miv": miv})] if ended else []
    second: list[Statement] = []
    if fresh:
        first.append((_SQL["insert"], {**_columns([item.node for item in fresh]), "miv": miv}))
    if first:
        vids: dict[str, int] = dict((await tx.pipelined(first))[-1])
        if fresh:
            second.append(postings_statement({vids[item.node.uri]: item.terms for item in fresh}))
        pairs = [(old, vids[uri]) for change in changes for uri, old in change.heirs.items()]
        if pairs:
            values = {"old_vid": [old for old, _ in pairs], "new_vid": [new for _, new in pairs]}
            second.append((_SQL["carry_vectors"], values))
    results = await tx.pipelined([*second, *also]) if second or also else []
    return Applied(len(ended) + len(fresh), results[len(second) :])


async def replace_source(tx: Transaction, source_id: str, nodes: Sequence[IndexedNode], *, miv: int) -> int:
    """Make `nodes` the live nodes of one source, changing only what differs.

    Returns:
        How many versions were begun or ended; 0 when everything was in place.
    """
    live = await live_of(tx, [source_id])
    return (await apply(tx, [difference(live.get(source_id, []), nodes)], miv=miv)).versions


async def insert(tx: Transaction, items: Sequence[IndexedNode], *, miv: int) -> None:
    """Begin versions with their words, where none is live."""
    await apply(tx, [Difference(fresh=tuple(items))], miv=miv)


def postings_statement(terms: Mapping[int, Mapping[str, int]]) -> Statement:
    """Store the words of versions: version id to term to frequency."""
    return _SQL["insert_postings"], {
        "term": [word for words in terms.values() for word in words],
        "vid": [vid for vid, words in terms.items() for _ in words],
        "tf": [min(count, _MOST_TF) for words in terms.values() for count in words.values()],
    }


async def close_uris(tx: Transaction, uris: Sequence[str], *, miv: int) -> None:
    """End the live versions of these addresses; they stay readable as of their time."""
    await tx.execute(_SQL["close_uris"], {"uris": list(uris), "miv": miv})


async def erase_sources(tx: Transaction, source_ids: Sequence[str]) -> set[str]:
    """Delete every version of these sources with words and vectors; all addresses that were the parent of one."""
    await tx.execute(_SQL["erase_postings"], {"source_ids": list(source_ids)})
    rows = await tx.all(_SQL["erase"], {"source_ids": list(source_ids)})
    return {row["parent_uri"] for row in rows if row["parent_uri"]}


def live_uris_statement(uris: Sequence[str]) -> Statement:
    """Those of these addresses that have a live node."""
    return _SQL["live_uris"], {"uris": list(uris)}


async def live_uris(tx: Transaction, uris: Sequence[str]) -> set[str]:
    """Those of these addresses that have a live node."""
    return {row["uri"] for row in await tx.all(_SQL["live_uris"], {"uris": list(uris)})}


async def children(tx: Transaction, uri: str, *, limit: int) -> tuple[list[DictRow], int]:
    """Address, title, abstract and happened_at of a container's live children that all of the owner's agents may see,
    newest first; and how many there are."""
    rows = await tx.all(_SQL["children"], {"uri": uri, "limit": limit})
    return rows, int(rows[0]["total"]) if rows else 0


async def has_children(tx: Transaction, uri: str) -> bool:
    """Whether anything at all is live below a container."""
    return await tx.one(_SQL["any_child"], {"uri": uri}) is not None


async def ever_had_children(tx: Transaction, uri: str) -> bool:
    """Whether any version of anything that is still known lay below a container."""
    return await tx.one(_SQL["any_version_child"], {"uri": uri}) is not None


async def blank(tx: Transaction, source_ids: Sequence[str]) -> None:
    """Take the texts, words and vectors from every version of containers: only their titles stay."""
    rows = await tx.all(_SQL["blank"], {"source_ids": list(source_ids)})
    vids = {"vids": [row["vid"] for row in rows]}
    await tx.pipelined([(_SQL["drop_postings"], vids), (_SQL["drop_vectors"], vids)])


async def live_nodes(tx: Transaction, uris: Sequence[str]) -> dict[str, ContextNode]:
    """The live nodes of these addresses with their texts."""
    return {row["uri"]: _node(row) for row in await tx.all(_SQL["by_uris"], {"uris": list(uris)})}


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


def _same(old: StandingNode, node: ContextNode) -> bool:
    return (
        bytes(old.digest) == node.digest
        and old.parent_uri == node.parent_uri
        and old.title == node.title
        and old.abstract == node.abstract
        and old.overview == node.overview
        and _span(old.lines) == node.lines
        and old.layer == node.layer
        and old.status == node.status
        and old.source_name == node.source_name
        and old.ordinal == node.ordinal
        and old.leaf_count == node.count
        and old.visibility == node.visibility
        and old.agent_id == node.agent
        and (
            node.is_leaf or node.record_id is None or old.happened_at == node.happened_at
        )  # of a source: its last change
    )


def _span(lines: Range[int] | None) -> tuple[int, int] | None:
    if lines is None or lines.lower is None or lines.upper is None:
        return None
    return lines.lower, lines.upper - 1


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
        "written_by": [n.written_by for n in nodes],
    }


def _node(row: DictRow) -> ContextNode:
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
        lines=_span(row["lines"]),
        digest=bytes(row["digest"]),
        title=row["title"],
        abstract=row["abstract"],
        overview=row["overview"],
        body=row["body"],
        speaker=row["speaker"],
        pos=row["pos"],
        happened_at=row["happened_at"],
        written_by=row["written_by"],
        vid=row["vid"],
        born=row["born"],
    )


async def leaf_counts(tx: Transaction, source_ids: Sequence[str]) -> dict[str, int]:
    """How many live leaves each of these sources has; one without any is missing."""
    rows = await tx.all(_SQL["leaf_counts"], {"source_ids": list(source_ids)})
    return {row["source_id"]: row["count"] for row in rows}
