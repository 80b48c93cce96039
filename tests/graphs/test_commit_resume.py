"""Commits that are cut short anywhere, run twice, or overtaken: always the same end state."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from langchain_core.runnables import RunnableConfig

from context.errors import ConflictError, NotFoundError, PocketMindError
from context.scope import Scope, entered
from context.types import Status
from engine.engine import Engine, open_engine
from graphs.commit import STEPS, compile_commit
from graphs.runs import run_commit
from memory import archive
from nodes.commit import CommitNodes
from storage import memories, sessions
from storage.embedded import EmbeddedServer
from tests.support import cluster
from tests.support.engines import ask, settings_for, tell

KNOWN = ("我爱吃辣", "我住在上海")
SAID = ("记住：我对花生过敏", "我不再吃辣了", "2027年5月3日我们决定发布", "I prefer short answers")

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
Node = Callable[..., Awaitable[dict[str, Any]]]


def config_of(thread: object) -> RunnableConfig:
    return {"configurable": {"thread_id": str(thread)}, "run_id": uuid4()}


async def prepared(engine: Engine, scope: Scope) -> UUID:
    """A session with something to create, to merge, to supersede and to count."""
    await run_commit(engine, scope, session_id=await tell(engine, scope, *KNOWN))
    session_id = uuid4()
    await ask(engine, scope, "我住在哪里？", session_id)
    return await tell(engine, scope, *SAID, session_id=session_id)


async def end_state(engine: Engine, database: cluster.Database, scope: Scope) -> dict[str, Any]:
    """What a commit leaves, without the ids and times that differ between two owners."""
    async with engine.database.transaction(scope) as tx:
        records = await memories.list_memories(tx, statuses=Status)
    owner = (scope.tenant, scope.user)

    def rows(columns: str, table: str, more: str = "") -> list[str]:
        statement = f"select {columns} from pm.{table} where tenant_id = %s and owner_id = %s {more}"  # noqa: S608
        found = (json.dumps(row, ensure_ascii=False, default=str) for row in database.rows(statement, owner))
        return sorted(_ID.sub("<id>", row).replace(f'"{scope.user}"', "<user>") for row in found)

    return {
        "memories": sorted(
            (m.memory_type, m.status, m.version, m.abstract, m.content, [e.quote for e in m.evidence]) for m in records
        ),
        "events": rows("kind, count(*)", "event", "and kind like 'memory%%' group by kind"),
        "live": rows("context_type, is_leaf, abstract", "context_catalog", "and died > 1e18"),
        "stages": rows("count(*)", "resource_records", "and resource_type = 'session'"),
        "uses": rows("count(*)", "usage_event"),
        "links": rows("ref_type, count(*)", "context_ref", "group by ref_type"),
        "commits": rows("state, reason, stats", "session_commit"),
    }


@pytest.fixture(scope="module")
def expected(server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The end state of a commit that nothing happened to."""

    async def undisturbed(database: cluster.Database) -> dict[str, Any]:
        scope = Scope(tenant="acme", user="calm")
        async with open_engine(settings_for(database, tmp_path_factory.mktemp("home"))) as engine:
            await run_commit(engine, scope, session_id=await prepared(engine, scope))
            return await end_state(engine, database, scope)

    with cluster.new_database(server) as database:
        return asyncio.run(undisturbed(database))


async def commit_id_of(engine: Engine, scope: Scope, session_id: UUID) -> UUID:
    """The id of the session's next commit: also its thread's."""
    async with engine.database.transaction(scope) as tx:
        return archive.commit_id_of(session_id, (await sessions.get(tx, session_id)).committed_seq)


async def again(engine: Engine, scope: Scope, session_id: UUID, commit_id: UUID) -> dict[str, Any]:
    """As the worker does: the commit by its id, or the session's if nothing was claimed."""
    try:
        return await run_commit(engine, scope, commit_id=str(commit_id))
    except NotFoundError:
        return await run_commit(engine, scope, session_id=session_id)


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("node", [*STEPS, "report"])
async def test_stopped_before_any_node_and_resumed_it_ends_the_same(
    engine: Engine, database: cluster.Database, scope: Scope, expected: dict[str, Any], node: str
) -> None:
    session_id = await prepared(engine, scope)
    commit_id = await commit_id_of(engine, scope, session_id)
    with entered(scope):
        given = {"session_id": str(session_id)}
        await compile_commit(engine).ainvoke(given, config_of(commit_id), interrupt_before=[node], durability="sync")
    assert (await again(engine, scope, session_id, commit_id))["state"] == "partial"
    assert await end_state(engine, database, scope) == expected


@pytest.mark.parametrize("node", [*STEPS, "report"])
async def test_killed_after_a_node_s_effect_and_run_again_it_ends_the_same(
    engine: Engine,
    database: cluster.Database,
    scope: Scope,
    expected: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    node: str,
) -> None:
    """The effect is in the database, the checkpoint is not: LangGraph runs the node a second time."""
    session_id = await prepared(engine, scope)
    commit_id = await commit_id_of(engine, scope, session_id)
    real: Node = getattr(CommitNodes, node)

    async def dies(self: CommitNodes, state: Any, *, runtime: Any) -> dict[str, Any]:
        await real(self, state, runtime=runtime)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(CommitNodes, node, dies)
        with pytest.raises(Killed):
            await run_commit(engine, scope, session_id=session_id)
    assert (await again(engine, scope, session_id, commit_id))["state"] == "partial"
    assert await end_state(engine, database, scope) == expected


async def test_a_stale_worker_is_refused_and_changes_nothing(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    session_id = await prepared(engine, scope)
    graph, slow = compile_commit(engine), config_of(uuid4())
    with entered(scope):
        await graph.ainvoke({"session_id": str(session_id)}, slow, interrupt_before=["merge"])
    done = await run_commit(engine, scope, session_id=session_id)
    before = await end_state(engine, database, scope)
    with entered(scope), pytest.raises(ConflictError):
        await graph.ainvoke(None, slow)
    assert await end_state(engine, database, scope) == before
    assert await run_commit(engine, scope, commit_id=done["commit_id"]) == done


async def test_of_two_workers_only_the_one_that_took_over_last_may_write(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    session_id = await prepared(engine, scope)
    given = {"session_id": str(session_id), "commit_id": str(await commit_id_of(engine, scope, session_id))}
    graph, old, new = compile_commit(engine), config_of(uuid4()), config_of(uuid4())
    with entered(scope):
        await graph.ainvoke({"session_id": str(session_id)}, old, interrupt_before=["merge"])
        await graph.ainvoke(given, new, interrupt_before=["merge"])
        before = await end_state(engine, database, scope)
        with pytest.raises(ConflictError, match="newer worker"):
            await graph.ainvoke(None, old)
        assert await end_state(engine, database, scope) == before
        assert (await graph.ainvoke(None, new))["state"] == "partial"


async def test_a_message_that_arrives_during_a_commit_belongs_to_the_next(engine: Engine, scope: Scope) -> None:
    session_id = await tell(engine, scope, "我爱吃辣")
    graph, config = compile_commit(engine), config_of(uuid4())
    with entered(scope):
        await graph.ainvoke({"session_id": str(session_id)}, config, interrupt_before=["extract"])
    await tell(engine, scope, "我住在上海", session_id=session_id)
    with entered(scope):
        first = await graph.ainvoke(None, config)
    second = await run_commit(engine, scope, session_id=session_id)
    assert [first["stats"]["messages"], second["stats"]["messages"]] == [1, 1]
    async with engine.database.transaction(scope) as tx:
        found = await memories.list_memories(tx, statuses=[Status.CURRENT])
    assert {memory.abstract: len(memory.evidence) for memory in found} == {"爱吃辣": 1, "住在上海": 1}


async def test_two_commits_about_one_memory_both_count(engine: Engine, scope: Scope) -> None:
    """Both decide against the same memory; the one that writes second sees that it moved and decides again."""
    await run_commit(engine, scope, session_id=await tell(engine, scope, "我住在上海"))
    graph = compile_commit(engine)
    runs = []
    for text in ("我对花生过敏", "我叫安娜"):
        config = config_of(uuid4())
        session_id = await tell(engine, scope, text)
        with entered(scope):
            await graph.ainvoke({"session_id": str(session_id)}, config, interrupt_before=["merge"])
        runs.append(config)

    async def finish(config: RunnableConfig) -> None:
        with entered(scope):
            await graph.ainvoke(None, config)

    await asyncio.gather(*(finish(config) for config in runs))
    async with engine.database.transaction(scope) as tx:
        (memory,) = await memories.list_memories(tx, statuses=[Status.CURRENT])
    assert {fact["facet"] for fact in memory.stats["facts"]} == {"residence", "allergy:花生", "name"}
    assert memory.version == 3
    assert len(memory.evidence) == 3


async def test_a_deleted_session_s_commit_is_gone(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    session_id = await tell(engine, scope, "我爱吃辣")
    graph, config = compile_commit(engine), config_of(uuid4())
    with entered(scope):
        await graph.ainvoke({"session_id": str(session_id)}, config, interrupt_before=["extract"])
    database.rows("delete from pm.chat_session")
    with entered(scope), pytest.raises(PocketMindError):
        await graph.ainvoke(None, config)
    assert database.table("pm.memory_records") == []
