"""Vectors: whatever has none gets one, newest first; an embedder that changed answers only when it has seen all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from context.scope import Scope
from context.window import WINDOW
from models.embedders import EmbedderHandle, Refused, embed_passages
from storage import clock, jobs, resources, vectors
from storage.database import Database
from storage.vectors import Unembedded, Vector

_BATCH = 32
_STAGES_AT_ONCE = 50
_DROPPED_AT_ONCE = 5_000

T = TypeVar("T")
Moved = Callable[[int, int], None]
"""Told after each batch how many nodes are done, and of how many."""


async def fill_vectors(
    database: Database, scope: Scope, embedder: EmbedderHandle, *, most: int | None = None, moved: Moved | None = None
) -> int:
    """Embed live nodes that have no vector of this engine, in batches, each batch its own transaction.

    No transaction is open while the embedder works. A text that it cannot embed is recorded with the reason, stays
    findable by words, and is not tried again by the same engine. While another engine answers the owner's queries, the
    vectors are built beside its own, for all agents of the owner, and the switch comes when none is missing.

    Args:
        most: stop after about so many; None goes on until nothing is left.
        moved: hears how far it has come.

    Returns:
        How many vectors were stored.

    Raises:
        ModelUnavailable: the embedder gave no answer; what was stored stays.
        ModelOutputInvalid: it embeds nothing at all, whatever the text.
    """
    engine = str(embedder.identity)
    async with database.transaction(scope) as tx:
        answering = (await clock.read(tx, engine=engine)).engine
        agents = await vectors.agents(tx) if answering != engine else []
    filling = _Filling(database=database, embedder=embedder, most=most, moved=moved)
    for agent in [scope.agent, *(agent for agent in agents if agent != scope.agent)]:
        await filling.fill(replace(scope, agent=agent))
    async with database.transaction(scope) as tx:  # also when all there is has carried its vectors over
        await resources.settle(tx, engine=engine)
    if answering != engine and not filling.full:
        await _switch(database, scope, engine, answering=answering, agents=agents)
    return filling.stored


@dataclass(slots=True, kw_only=True)
class _Filling:
    """One run of an embedder over what it has not seen."""

    database: Database
    embedder: EmbedderHandle
    most: int | None
    moved: Moved | None
    stored: int = 0
    done: int = 0

    @property
    def full(self) -> bool:
        """Whether as many are done as were asked for."""
        return self.most is not None and self.done >= self.most

    async def fill(self, who: Scope) -> None:
        """All that one agent sees, and again what came meanwhile, until nothing is left."""
        engine = str(self.embedder.identity)
        while not self.full:
            async with self.database.transaction(who) as tx:
                waiting = await vectors.without_vector(tx, engine=engine)
            before = self.done
            for vids in _pieces(waiting, _BATCH):
                await self._embed(who, vids)
                if self.moved is not None:
                    self.moved(self.done, before + len(waiting))
                if self.full:
                    return
            if self.done == before:
                return

    async def _embed(self, scope: Scope, vids: Sequence[int]) -> None:
        engine = str(self.embedder.identity)
        async with self.database.transaction(scope) as tx:
            items = await vectors.unembedded(tx, vids)
        if not items:
            return
        found = await embed_passages(self.embedder, [text_to_embed(item) for item in items])
        seen = [(item, made) for item, made in zip(items, found, strict=True) if not isinstance(made, Refused)]
        refused = {item.vid: made.reason for item, made in zip(items, found, strict=True) if isinstance(made, Refused)}
        async with self.database.transaction(scope) as tx:
            if seen:
                await vectors.put_vectors(tx, [item for item, _ in seen], [made for _, made in seen], engine=engine)
            if refused:
                await vectors.refuse(tx, refused, engine=engine)
            turns = [item.vid for item, _ in seen if item.pos > 0]
            if turns:
                norms = window_norms(await vectors.turns_near(tx, turns, engine=engine))
                await vectors.set_norms(tx, norms, engine=engine)
        self.stored += len(seen)
        self.done += len(items)


async def _switch(database: Database, scope: Scope, engine: str, *, answering: str, agents: Sequence[str]) -> None:
    """Let an embedder answer that has seen everything, in one transaction with the norms of its windows."""
    async with database.transaction(scope) as tx:
        stages = await vectors.a_turn_of_each_stage(tx)
    norms: dict[int, float] = {}
    for some in _pieces(stages, _STAGES_AT_ONCE):
        async with database.transaction(scope) as tx:
            norms |= window_norms(await vectors.turns_near(tx, some, engine=engine))
    async with database.transaction(scope) as tx:
        if not await clock.switch_engine(tx, engine=engine, agents=agents):
            return  # something came meanwhile; the job that came with it goes on
        late = [vid for vid in await vectors.a_turn_of_each_stage(tx) if vid not in norms]
        norms |= window_norms(await vectors.turns_near(tx, late, engine=engine))
        await vectors.set_norms(tx, norms, engine=engine)
        await jobs.defer(tx, jobs.SWEEP, lock="sweep", engine=answering)  # should this process end before it is done
    await drop_engine(database, scope, answering)


async def drop_engine(database: Database, scope: Scope, engine: str) -> int:
    """Delete the vectors of an engine that does not answer any more, in batches; how many that were."""
    total = 0
    while True:
        async with database.transaction(scope) as tx:
            dropped = await vectors.drop_engine(tx, engine=engine, limit=_DROPPED_AT_ONCE)
        total += dropped
        if dropped < _DROPPED_AT_ONCE:
            return total


def text_to_embed(item: Unembedded) -> str:
    """What an embedder sees: a turn with its speaker, a chunk under its title, a container by title and abstract."""
    if item.pos > 0:
        return f"{item.speaker}: {item.body}" if item.speaker else item.body or item.abstract
    if item.is_leaf:
        return f"{item.title}\n{item.body or item.abstract}"
    return f"{item.title}\n{item.abstract}" if item.title != item.abstract else item.title


def window_norms(turns: Sequence[Mapping[str, Any]]) -> dict[int, float]:
    """The length of each turn's window vector A_i = sum of weight x v_j over neighbours of the same stage.

    With it cos(q, A_i) = sum of weight x cos(q, v_j) / norm_i, so one raw vector a turn is enough and forgetting a
    turn leaves nothing of it behind.

    Args:
        turns: rows with vid, pos, parent_uri and embedding.
    """
    stages: dict[str, dict[int, tuple[int, Vector]]] = defaultdict(dict)
    for turn in turns:
        vector = np.asarray(turn["embedding"].to_numpy(), dtype=np.float32)
        stages[turn["parent_uri"]][turn["pos"]] = (turn["vid"], vector)
    norms: dict[int, float] = {}
    for stage in stages.values():
        for place, (vid, vector) in stage.items():
            total = np.zeros_like(vector)
            for offset, weight in WINDOW.items():
                if (neighbour := stage.get(place + offset)) is not None:
                    total = total + weight * neighbour[1]
            norms[vid] = float(np.linalg.norm(total)) or 1.0
    return norms


def _pieces(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
