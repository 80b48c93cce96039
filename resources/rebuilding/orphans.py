"""What is left of sources that are not in truth any more, and words of versions that are not there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from context.scope import Scope
from context.types import SpaceType
from context.uri import ContextUri
from resources import tree
from resources.rebuilding.tree import hold
from resources.rebuilding.values import Tally
from storage import catalog, clock, events, rebuild, refs, resources, traces
from storage.database import Database, Transaction
from storage.events import Event

_AT_ONCE = 500


async def erase_nodes(database: Database, scope: Scope, *, engine: str, dry_run: bool) -> Tally:
    """Erase nodes whose source is gone, in all versions, and what containers told of them."""
    async with database.transaction(scope) as tx:
        lost = await rebuild.lost_nodes(tx)
    if dry_run or not lost:
        return Tally(erased=len(lost))
    done = 0
    for batch in _batches(lost):
        async with database.transaction(scope) as tx:
            await hold(tx, engine)
            gone = sorted(await rebuild.lost_nodes(tx) & set(batch))
            if gone:
                miv = await clock.advance(tx, engine=engine)
                parents = await catalog.erase_sources(tx, gone)
                await tree.wipe(tx, [uri for uri in parents if _tells(uri)], miv=miv)
                await events.put(tx, [Event(kind="index.erased", uri=None, reason="its source is gone")], miv=miv)
                done += len(gone)
    return Tally(erased=done)


async def erase_sources(database: Database, scopes: Sequence[Scope], *, engine: str, dry_run: bool) -> Tally:
    """Erase records of material and what models said, where the source is gone."""

    async def erase(tx: Transaction, gone: list[str]) -> None:
        await resources.erase(tx, gone)
        await traces.erase_model_outputs(tx, gone)

    done = await _erase(database, scopes, rebuild.lost_sources, erase, engine=engine, dry_run=dry_run)
    return Tally(erased=done)


async def erase_references(database: Database, scopes: Sequence[Scope], *, engine: str, dry_run: bool) -> Tally:
    """Erase references from and to what is gone."""
    done = await _erase(database, scopes, rebuild.lost_ends, refs.erase, engine=engine, dry_run=dry_run)
    return Tally(references=done)


async def erase_words(database: Database, scopes: Sequence[Scope], *, dry_run: bool) -> Tally:
    """Delete the words of versions that no agent can see. A version and its words come and go in one transaction, so
    what has once been seen without its version has none."""
    async with database.transaction(scopes[0]) as tx:
        lost = await rebuild.dangling(tx)
    for scope in scopes[1:]:
        if lost:
            async with database.transaction(scope) as tx:
                lost -= await rebuild.there(tx, lost)
    if lost and not dry_run:
        async with database.transaction(scopes[0]) as tx:
            await rebuild.drop_words(tx, sorted(lost))
    return Tally(words_repaired=len(lost))


async def _erase(
    database: Database,
    scopes: Sequence[Scope],
    find: Callable[[Transaction], Awaitable[set[str]]],
    erase: Callable[[Transaction, list[str]], Awaitable[None]],
    *,
    engine: str,
    dry_run: bool,
) -> int:
    """Erase what no agent of the owner sees a source of; how many sources that were."""
    lost: set[str] | None = None
    for scope in scopes:
        async with database.transaction(scope) as tx:
            found = await find(tx)
        lost = found if lost is None else lost & found
        if not lost:
            return 0
    done = 0
    for batch in _batches(lost or set()):
        if dry_run:
            done += len(batch)
            continue
        async with database.transaction(scopes[0]) as tx:
            await hold(tx, engine)
            gone = sorted(await find(tx) & set(batch))
            if gone:
                await clock.advance(tx, engine=engine)
                await erase(tx, gone)
                done += len(gone)
    return done


def _batches(lost: set[str]) -> list[list[str]]:
    found = sorted(lost)
    return [found[start : start + _AT_ONCE] for start in range(0, len(found), _AT_ONCE)]


def _tells(uri: str) -> bool:
    """Whether a parent is a container that tells of its children."""
    parent = ContextUri.parse(uri)
    kinds = (("folders",), ("sessions",), ("memories",))
    return parent.space is SpaceType.USER and parent.segments[1:2] in kinds and not _is_source(parent)


def _is_source(parent: ContextUri) -> bool:
    """A stage is the parent of its messages, and went with them."""
    return parent.segments[1:2] == ("sessions",) and len(parent.segments) > 3
