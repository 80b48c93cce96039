"""The tree above what was rebuilt: containers that hold something stand and tell of it, the others go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from context.derived import ContextNode
from context.scope import Scope
from context.types import ContextType, SpaceType
from context.uri import ContextUri
from resources import tree
from resources.material import container_node, resource_id, tree_source
from resources.rebuilding.values import Change, Tally, Wanted
from resources.rebuilding.writes import compare, write
from storage import catalog, clock, containers, rebuild
from storage.database import Database, Transaction

_AT_ONCE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeStep:
    """The containers of one scope: the user's own, or those of what was distilled for one agent.

    A container that waits for its texts is left to whoever is about to write them.

    Attributes:
        scope: sees all that its containers hold.
        engine: what a new owner's clock starts with.
    """

    database: Database
    scope: Scope
    engine: str

    async def run(self, *, derived: Iterable[str] = (), dry_run: bool = False) -> tuple[int, Tally]:
        """Bring the containers up to date, the deepest first.

        Args:
            derived: containers that a dry run would have filled.

        Returns:
            How many there are (or would be), and what was changed (or would be).
        """
        async with self.database.transaction(self.scope) as tx:
            wanted = await self._wanted(tx, derived)
            empty = await self._empty(tx, wanted)
        total = Tally(erased=len(empty))
        if empty and not dry_run:
            total = Tally(erased=await self._erase(empty))
        for batch in _batches(wanted):
            async with self.database.transaction(self.scope) as tx:
                changes = await self._compare(tx, batch)
            if changes and not dry_run:
                changes = await self._write([change.wanted.uri for change in changes])
            for change in changes:
                total += change.tally
        return len(wanted), total

    async def _wanted(self, tx: Transaction, derived: Iterable[str] = ()) -> list[ContextNode]:
        """The containers above all that is live, the deepest first, without their texts."""
        tops = {uri for uri in {*await rebuild.tops(tx), *derived} if self._is_mine(uri) and _holds(uri)}
        parsed = [ContextUri.parse(uri) for uri in tree.above(tops)]
        titles = await rebuild.titles(tx, [key for uri in parsed if (key := _session(uri)) is not None])
        return [_container(uri, titles) for uri in parsed]

    async def _empty(self, tx: Transaction, wanted: Sequence[ContextNode]) -> list[str]:
        """Containers that hold nothing; a root stays."""
        held = {node.uri for node in wanted}
        live = [uri for uri in await containers.all_uris(tx) if self._is_mine(uri)]
        return [uri for uri in live if uri not in held and len(ContextUri.parse(uri).segments) > 1]

    async def _erase(self, uris: Sequence[str]) -> int:
        async with self.database.transaction(self.scope) as tx:
            await hold(tx, self.engine)
            gone = [uri for uri in await self._empty(tx, await self._wanted(tx)) if uri in uris]
            if gone:
                await clock.advance(tx, engine=self.engine)
                await catalog.erase_sources(tx, [tree_source(uri) for uri in gone])
                await containers.forget(tx, gone)
        return len(gone)

    async def _write(self, uris: Sequence[str]) -> list[Change]:
        async with self.database.transaction(self.scope) as tx:
            await hold(tx, self.engine)
            changes = await self._compare(tx, [node for node in await self._wanted(tx) if node.uri in uris])
            if changes:
                miv = await clock.advance(tx, engine=self.engine)
                await write(tx, changes, miv=miv, engine=self.engine)
        return changes

    async def _compare(self, tx: Transaction, nodes: Sequence[ContextNode]) -> list[Change]:
        live = await catalog.live_of(tx, [node.source_id for node in nodes])
        waiting = await rebuild.waiting(tx)
        standing = [node for node in nodes if node.uri not in waiting or node.source_id not in live]
        told = [_wanted(await tree.told(tx, node)) for node in standing]
        changes = await compare(tx, told, live)
        if not self.scope.agent or not changes:
            return changes
        # What one agent alone may see is not told: its containers keep their names, unless somebody told them.
        differing = {change.wanted.uri for change in changes}
        return await compare(tx, [_wanted(node) for node in standing if node.uri in differing], live)

    def _is_mine(self, uri: str) -> bool:
        parsed = ContextUri.parse(uri)
        if parsed.space is SpaceType.AGENT:
            return parsed.owner == self.scope.agent
        return parsed.space is SpaceType.USER and not self.scope.agent


async def hold(tx: Transaction, engine: str) -> None:
    """Keep every other writer of this owner waiting; the clock is advanced only if it never ran."""
    await clock.hold(tx)
    if not (await clock.read(tx, engine=engine)).miv:
        await clock.advance(tx, engine=engine)


def _wanted(node: ContextNode) -> Wanted:
    return Wanted(
        key=resource_id(node.uri),
        source_id=node.source_id,
        uri=node.uri,
        nodes=tree.growth([node], ()).fresh,
        event="",
    )


def _batches(nodes: Sequence[ContextNode]) -> Iterator[list[ContextNode]]:
    """At most fifty at once, and none together with what it stands in: that tells of it."""
    for _, level in groupby(nodes, key=lambda node: node.uri.count("/")):
        found = list(level)
        for start in range(0, len(found), _AT_ONCE):
            yield found[start : start + _AT_ONCE]


def _holds(uri: str) -> bool:
    """Whether an address can be a container's: a folder, a session, a kind of memory."""
    parts = ContextUri.parse(uri).segments[1:]
    return parts[:1] == ("folders",) or (parts[:1] in (("sessions",), ("memories",)) and len(parts) == 2)


def _session(uri: ContextUri) -> UUID | None:
    if uri.segments[1:2] == ("sessions",) and len(uri.segments) == 3:
        with suppress(ValueError):
            return UUID(uri.segments[2])
    return None


def _container(uri: ContextUri, titles: dict[UUID, str]) -> ContextNode:
    session = _session(uri)
    name = (titles.get(session) if session else "") or uri.segments[-1]
    above = ContextUri(uri.space, uri.segments[:-1]) if len(uri.segments) > 1 else None
    kind = ContextType.MEMORY if uri.segments[1:2] == ("memories",) else ContextType.RESOURCE
    return container_node(uri, above, name, kind)
