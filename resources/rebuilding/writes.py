"""Comparing what truth gives with what stands, and writing what differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from uuid import UUID

from context.derived import ContextNode, Resource
from context.types import ProjectionStatus
from resources import tree
from resources.rebuilding.values import Change, Wanted
from resources.vectors import window_norms
from storage import catalog, clock, events, jobs, links, rebuild, refs, resources, vectors
from storage.catalog import Difference, IndexedNode, StandingNode
from storage.database import Statement, Transaction
from storage.events import Event
from storage.rebuild import Details, Reference, Words

_NO_WORDS = Words(0, 0, 0)


async def compare(
    tx: Transaction, wanted: Sequence[Wanted], live: Mapping[str, list[StandingNode]] | None = None
) -> list[Change]:
    """What must change; a source that has all it should have is left out.

    Args:
        live: what stands of these sources, for a caller that has it.
    """
    sources = [one.source_id for one in wanted]
    live = await catalog.live_of(tx, sources) if live is None else live
    vids = [node.vid for source in sources for node in live.get(source, [])]
    details = await rebuild.details(tx, vids)
    words = await rebuild.word_sums(tx, vids)
    records = await resources.of_sources(tx, sources)
    found = [
        _change(one, live.get(one.source_id, []), details, words, records.get(one.source_id, [])) for one in wanted
    ]
    changes = [await _with_vectors(tx, change) for change in found if change.tally]
    return await _without_intruders(tx, changes, sources)


async def write(tx: Transaction, changes: Sequence[Change], *, miv: int, engine: str) -> None:
    """Write changes in a fixed number of round trips. The owner's clock is held."""
    versions = [await _placed(tx, change) for change in changes]
    moved = [change.wanted for change in changes if change.versions]
    above = [node for one in moved for node in one.above]
    have = await catalog.live_uris(tx, sorted({node.uri for node in above}))
    written = [record for change in changes for record in change.records]
    gone = [record.resource_id for record in written] + [stray for change in changes for stray in change.strays]
    if gone:
        await rebuild.erase_records(tx, gone)
    mended = [c.wanted for c in changes if c.wanted.event and (c.versions or c.words or c.records)]
    told = [Event(kind=one.event, uri=one.uri, reason="rebuilt") for one in mended]
    also: list[Statement] = [resources.put_statement(written), events.put_statement(told, miv=miv)]
    also += links.replace_statements({c.wanted.key: c.calls for c in changes if c.calls is not None})
    await catalog.apply(tx, [tree.growth(above, have), *versions], miv=miv, also=also)
    words = {vid: item for change in changes for vid, item in change.words.items()}
    if words:
        await rebuild.replace_words(tx, words)
    await _refer(tx, [change.wanted for change in changes])
    await _measure(tx, [one.source_id for one in moved if any(item.node.pos for item in one.nodes)], engine)
    if any(change.versions.fresh for change in changes):
        await jobs.defer(tx, jobs.EMBED, lock="embed")


def differs(old: Resource, new: Resource) -> bool:
    """Whether a record says something else than it should. How far its vectors are is not its source's to say."""
    failed = ProjectionStatus.FAILED
    if (old.projection_status is failed) != (new.projection_status is failed) or _waits(old) != _waits(new):
        return True
    like = replace(new, projection_status=old.projection_status, reason=old.reason, updated_at=old.updated_at)
    return old != like


def _waits(record: Resource) -> bool:
    """Whether a record says that its text is not there yet."""
    return (record.reason or "").startswith(resources.WAITS)


def _change(
    wanted: Wanted,
    live: Sequence[StandingNode],
    details: Mapping[int, Details],
    words: Mapping[int, Words],
    records: Sequence[Resource],
) -> Change:
    by_uri = {item.node.uri: item for item in wanted.nodes}
    standing = [
        node._replace(leaf_count=-1) if _damaged(node, by_uri.get(node.uri), details, wanted) else node for node in live
    ]
    versions = catalog.difference(standing, wanted.nodes)
    staying = [node for node in live if node.vid not in versions.ended]
    asked = {record.resource_id: record for record in wanted.records}
    have = {record.resource_id: record for record in records}
    return Change(
        wanted=wanted,
        versions=versions,
        words={
            node.vid: by_uri[node.uri]
            for node in staying
            if words.get(node.vid, _NO_WORDS) != rebuild.words_of(by_uri[node.uri].terms)
            or (node.is_leaf and details[node.vid].length != by_uri[node.uri].node.length)
        },
        records=tuple(
            record for key, record in asked.items() if (old := have.get(key)) is None or differs(old, record)
        ),
        strays=tuple(sorted(have.keys() - asked.keys())),
    )


def _damaged(node: StandingNode, item: IndexedNode | None, details: Mapping[int, Details], wanted: Wanted) -> bool:
    """Whether a node must become a new version although `catalog.difference` sees nothing."""
    if item is None:
        return False
    if wanted.places and item.node.pos:
        return True
    stored = details.get(node.vid)
    return stored is None or stored._replace(length=0, prior=round(stored.prior, 5)) != _details(item.node)


def _details(node: ContextNode) -> Details:
    return Details(
        level=int(node.level),
        context_type=node.context_type.value,
        space=node.space.value,
        session_id=node.session_id,
        source_type=node.source_type.value if node.source_type else None,
        record_id=node.record_id,
        speaker=node.speaker,
        prior=round(node.prior, 5),
        written_by=node.written_by,
        length=0,
        body=sha256((node.body or "").encode()).digest(),
    )


async def _with_vectors(tx: Transaction, change: Change) -> Change:
    """What begins takes over the vector of any earlier version with the same words."""
    versions = change.versions
    if len(versions.fresh) == len(versions.heirs):
        return change
    former = await catalog.former_of(tx, change.wanted.source_id)
    heirs = catalog.difference([], versions.fresh, former=former).heirs
    return replace(change, versions=replace(versions, heirs={**heirs, **versions.heirs})) if heirs else change


async def _without_intruders(tx: Transaction, changes: list[Change], sources: Sequence[str]) -> list[Change]:
    """What stands at an address under another source ends before its rightful owner begins."""
    fresh = [item.node.uri for change in changes for item in change.versions.fresh]
    found = await rebuild.intruders(tx, fresh, source_ids=sources) if fresh else {}
    if not found:
        return changes
    return [
        replace(change, versions=replace(change.versions, ended=(*change.versions.ended, *more)))
        if (more := [found[item.node.uri] for item in change.versions.fresh if item.node.uri in found])
        else change
        for change in changes
    ]


async def _placed(tx: Transaction, change: Change) -> Difference:
    """The change with positions of its turns that nobody else has."""
    if not change.wanted.places:
        return change.versions
    before = await clock.take_positions(tx, change.wanted.places) - 1
    fresh = tuple(
        IndexedNode(node=replace(item.node, pos=item.node.pos + before), terms=item.terms) if item.node.pos else item
        for item in change.versions.fresh
    )
    return replace(change.versions, fresh=fresh)


async def _refer(tx: Transaction, wanted: Iterable[Wanted]) -> None:
    made: dict[UUID | None, list[Reference]] = defaultdict(list)
    gone: list[Reference] = []
    for one in wanted:
        gone += one.extra
        for reference, commit_id in one.missing.items():
            made[commit_id].append(reference)
    if gone:
        await rebuild.forget_references(tx, gone)
    for commit_id, items in made.items():
        await refs.put(tx, items, commit_id=commit_id)


async def _measure(tx: Transaction, stages: Sequence[str], engine: str) -> None:
    """The lengths of the window vectors of stages that have changed, from the vectors that are there; those that are
    not come with `fill_vectors`, which measures again."""
    if not stages:
        return
    turns = await rebuild.turns(tx, stages)
    answering = (await clock.read(tx, engine=engine)).engine
    near = await vectors.turns_near(tx, turns, engine=answering)
    if near:
        await vectors.set_norms(tx, window_norms(near), engine=answering)
