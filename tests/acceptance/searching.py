"""What a person does and the worker does, for acceptance tests: search, make vectors, refresh texts of containers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from context.derived import ContextNode
from context.scope import Scope
from context.types import ContextType, TaskType
from engine.engine import Engine
from resources import tree
from resources.vectors import fill_vectors
from retrievers.base import QueryPlan, RetrievalResult, TypedQuery
from storage import catalog, clock, containers

OTHERS = (
    "The invoice of May is paid.",
    "会议改到周四上午。",
    "Boil the noodles for nine minutes.",
    "图书馆周一闭馆。",
    "The gateway of the office listens on 9443.",
)
"""Notes that are about something else."""


@dataclass(frozen=True)
class Found:
    """What a search found, with the texts, best first."""

    result: RetrievalResult
    nodes: Sequence[ContextNode]

    @property
    def best(self) -> ContextNode:
        assert self.nodes, "nothing was found"
        return self.nodes[0]

    @property
    def texts(self) -> str:
        return "\n".join(node.body or node.abstract for node in self.nodes)


async def search(engine: Engine, scope: Scope, question: str, *, miv: int | None = None) -> Found:
    """What a question finds among resources, now or as of a miv."""
    async with engine.database.transaction(scope) as tx:
        pin = await engine.pin(tx, seq=0)
    query = TypedQuery(query=question, context_type=ContextType.RESOURCE, priority=1)
    plan = QueryPlan(task_type=TaskType.INFORMATIONAL, queries=(query,))
    pin = pin if miv is None else replace(pin, miv=miv)
    result = await engine.retriever.retrieve(scope, plan, pin=pin, now=engine.now())
    async with engine.database.transaction(scope) as tx:
        bodies = await catalog.bodies(tx, [match.vid for match in result.matches])
    return Found(result, [bodies[match.vid][0] for match in result.matches])


async def embed(engine: Engine, scope: Scope) -> None:
    """Vectors for whatever has none."""
    assert engine.embedder is not None
    await fill_vectors(engine.database, scope, engine.embedder)


async def refresh(engine: Engine, scope: Scope) -> None:
    """New texts for every container, those of memories too, as after a rebuild."""
    async with engine.database.transaction(scope) as tx:
        await containers.touch(tx, await containers.all_uris(tx))
    while True:
        async with engine.database.transaction(scope) as tx:
            if not await tree.refresh(tx, engine=engine.engine_id, quiet=0, longest=0):
                return


async def miv_of(engine: Engine, scope: Scope) -> int:
    """The number of the newest writing transaction."""
    async with engine.database.transaction(scope) as tx:
        return (await clock.read(tx, engine=engine.engine_id)).miv
