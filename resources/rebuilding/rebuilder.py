"""Rebuild: everything that follows from truth is derived again and compared, and only what differs is changed.

An intact index changes no row; a lost one comes back with the same addresses, digests and results. Every page is a
transaction of its own: serving goes on meanwhile, and a run that is killed is simply run again. A page is compared
without the owner's clock first. Only if something differs is the clock held, the page compared once more and written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from context.errors import StorageError
from context.scope import Scope
from resources import leaves
from resources.rebuilding import orphans
from resources.rebuilding.tree import TreeStep, hold
from resources.rebuilding.values import Change, Progress, Rebuilt, Step, Tally
from resources.rebuilding.writes import write
from storage import clock, jobs, rebuild, resources, vectors
from storage.catalog import IndexedNode
from storage.database import Database, Transaction

_ATTEMPTS = 3
_MANY = 200
"""Nodes of one source from which on their words are written before the clock is held."""
_FIRST = UUID(int=0)


class Rebuilder:
    """One run over one owner.

    Args:
        scope: whose; what was distilled for other agents of theirs is rebuilt too.
        engine: identity of the embedder.
        embeds: whether there is one, so that missing vectors can be asked for.
        dry_run: change nothing, only say what would be changed. References that follow from names which are lost, and
            texts of containers which follow from lost children, are then not counted.
        progress: told after every page.
    """

    def __init__(
        self,
        database: Database,
        scope: Scope,
        *,
        engine: str,
        embeds: bool = True,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self._database = database
        self._user = replace(scope, agent="", session=None)
        self._agent = scope.agent
        self._engine = engine
        self._embeds = embeds
        self._dry_run = dry_run
        self._progress = progress or (lambda name, done, total: None)
        self._sources: dict[str, int] = {}
        self._tally = Tally()
        self._derived: set[str] = set()

    async def run(self, steps: Sequence[Step]) -> Rebuilt:
        """Go through all steps in order, then erase what has no source, tell containers anew and ask for vectors.

        Raises:
            StorageUnavailable: the database is away; what was done stays, and running again goes on.
        """
        async with self._database.transaction(self._user) as tx:
            agents = sorted((await rebuild.agents(tx) | {self._agent}) - {""})
        scopes = [self._user, *(replace(self._user, agent=agent) for agent in agents)]
        for step in steps:
            for scope in scopes if step.per_agent else scopes[:1]:
                await self._go_through(step, scope)
        how = {"engine": self._engine, "dry_run": self._dry_run}
        for scope in scopes:
            self._tally += await orphans.erase_nodes(self._database, scope, **how)  # type: ignore[arg-type]
        await self._tree(scopes)
        self._tally += await orphans.erase_sources(self._database, scopes, **how)  # type: ignore[arg-type]
        self._tally += await orphans.erase_references(self._database, scopes, **how)  # type: ignore[arg-type]
        self._tally += await orphans.erase_words(self._database, scopes, dry_run=self._dry_run)
        return Rebuilt(
            sources=self._sources,
            tally=self._tally,
            pending={scope.agent: number for scope in scopes if (number := await self._pending(scope))},
            unreadable=tuple(item for step in steps for item in step.unreadable),
            dry_run=self._dry_run,
        )

    async def _go_through(self, step: Step, scope: Scope) -> None:
        async with self._database.transaction(scope) as tx:
            total = await step.total(tx)
        after, done = _FIRST, 0
        while True:
            async with self._database.transaction(scope) as tx:
                ids = await step.page(tx, after=after)
            if not ids:
                break
            await step.prepare(scope)
            async with self._database.transaction(scope) as tx:
                changes = await step.compare(tx, ids)
            if self._dry_run:
                self._derived |= {node.uri for change in changes for node in change.wanted.above[-1:]}
                for change in changes:
                    self._tally += change.tally
            elif changes:
                await self._write_page(step, scope, changes)
            after, done = ids[-1], done + len(ids)
            self._progress(step.name, done, max(total, done))
        if step.counts:
            self._sources[step.name] = self._sources.get(step.name, 0) + done

    async def _write_page(self, step: Step, scope: Scope, changes: Sequence[Change]) -> None:
        """Write a page in one transaction; a source with very much to write has one of its own, so that its words are
        written before the clock is held."""
        large = [
            change.wanted for change in changes if len(change.versions.fresh) >= _MANY and not change.wanted.places
        ]
        alone = {one.key for one in large}
        for one in large:
            self._tally += await self._written(step, scope, [one.key], lay=one.nodes)
        rest = [change.wanted.key for change in changes if change.wanted.key not in alone]
        if rest:
            self._tally += await self._written(step, scope, rest)

    async def _written(
        self, step: Step, scope: Scope, ids: Sequence[UUID], *, lay: Sequence[IndexedNode] = ()
    ) -> Tally:
        """Write what still differs once every other writer waits. What the database refuses for another's sake (a
        deadlock, a lock that took too long, somebody who wrote the same) is tried again."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with self._database.transaction(scope) as tx:
                    return await self._write(tx, step, ids, lay)
            except _Overtaken:
                lay = ()
            except StorageError:
                if attempt == _ATTEMPTS:
                    raise
        raise AssertionError("the last attempt returns or raises")

    async def _write(self, tx: Transaction, step: Step, ids: Sequence[UUID], lay: Sequence[IndexedNode]) -> Tally:
        async def check() -> None:
            found = await step.compare(tx, ids)
            if [_digests(change.wanted.nodes) for change in found] != [_digests(lay)]:
                raise _Overtaken

        laid = await leaves.lay(tx, lay, engine=self._engine, check=check) if lay else 0
        await hold(tx, self._engine)
        changes = await step.compare(tx, ids)
        if changes:
            miv = await clock.advance(tx, engine=self._engine)
            await write(tx, changes, miv=miv, engine=self._engine)
        if laid:
            await jobs.defer(tx, jobs.EMBED, lock="embed")
        return sum((change.tally for change in changes), Tally(changed=laid))

    async def _tree(self, scopes: Sequence[Scope]) -> None:
        self._sources["containers"] = 0
        for scope in scopes:
            step = TreeStep(database=self._database, scope=scope, engine=self._engine)
            number, tally = await step.run(derived=self._derived, dry_run=self._dry_run)
            self._sources["containers"] += number
            self._tally += tally
            self._progress("containers", self._sources["containers"], self._sources["containers"])

    async def _pending(self, scope: Scope) -> int:
        """Leaves without a vector; they are asked for, unless a job that is about to start will see to them."""
        async with self._database.transaction(scope) as tx:
            if self._tally.records and not self._dry_run:
                await resources.settle(tx, engine=(await clock.read(tx, engine=self._engine)).engine)
            pending = await vectors.count_without_vector(tx, engine=self._engine)
            if pending and self._embeds and not self._dry_run and not await jobs.soon(tx, jobs.EMBED):
                await jobs.defer(tx, jobs.EMBED, lock="embed")
        return pending


class _Overtaken(Exception):
    """The source changed, or somebody else wrote it, while its words were written: nothing of that may stay."""


def _digests(nodes: Sequence[IndexedNode]) -> list[tuple[str, bytes]]:
    return [(item.node.uri, item.node.digest) for item in nodes if item.node.is_leaf]
