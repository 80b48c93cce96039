"""The saver: LangGraph's own conformance suite, behind our identity rule and our wall."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from uuid import uuid4

import ormsgpack
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.serde.jsonplus import (
    EXT_CONSTRUCTOR_POS_ARGS,
    EXT_CONSTRUCTOR_SINGLE_ARG,
    EXT_METHOD_SINGLE_ARG,
)

from context.errors import ScopeError
from context.scope import Scope, entered
from engine.engine import Engine
from storage.checkpoints import PooledSaver
from tests.support import cluster


def thread(identity: str, checkpoint_id: str = "") -> RunnableConfig:
    more = {"checkpoint_id": checkpoint_id} if checkpoint_id else {}
    return {"configurable": {"thread_id": identity, "checkpoint_ns": "", **more}}


async def write(saver: PooledSaver, identity: str, text: str, *, run_id: str = "") -> RunnableConfig:
    """One checkpoint with one value (a list: plain words would not become a blob) and one pending write."""
    values = {"channel_values": {"said": [text]}, "channel_versions": {"said": text}}
    checkpoint: Checkpoint = {**empty_checkpoint(), **values}  # type: ignore[typeddict-item]
    metadata: Any = {"source": "loop", "step": 1, "parents": {}, "run_id": run_id}
    config = await saver.aput(thread(identity), checkpoint, metadata, {"said": text})
    await saver.aput_writes(config, [("next", text)], task_id=str(uuid4()))
    return config


async def test_the_saver_passes_langgraph_s_conformance_suite(engine: Engine, scope: Scope) -> None:
    @checkpointer_test(name="PooledSaver")
    async def ours() -> AsyncGenerator[BaseCheckpointSaver[Any], None]:
        yield engine.saver

    with entered(scope):
        report = await validate(ours)
    failures = {name: result.failures for name, result in report.results.items() if not result.passed}
    assert failures == {}
    assert all(result.detected for result in report.results.values()), "no capability is skipped"
    assert sum(result.tests_passed for result in report.results.values()) >= 66


async def test_many_calls_run_at_once_and_each_sees_its_own(engine: Engine, scope: Scope) -> None:
    async def turn(number: int) -> None:
        owner = Scope(tenant=scope.tenant, user=f"user-{number % 4}")
        with entered(owner):
            identity = str(uuid4())
            await write(engine.saver, identity, f"text {number}")
            found = await engine.saver.aget_tuple(thread(identity))
            assert found is not None
            assert found.checkpoint["channel_values"] == {"said": [f"text {number}"]}
            assert [write[2] for write in found.pending_writes or []] == [f"text {number}"]
            mine = [row async for row in engine.saver.alist(None)]
            assert {row.checkpoint["channel_values"]["said"][0] for row in mine} <= {
                f"text {other}" for other in range(number % 4, 40, 4)
            }

    await asyncio.gather(*(turn(number) for number in range(40)))


@pytest.mark.parametrize("stranger", ["other_user", "other_tenant"])
async def test_a_stranger_s_thread_is_an_unknown_thread(
    engine: Engine, database: cluster.Database, scope: Scope, stranger: str, request: pytest.FixtureRequest
) -> None:
    identity = str(uuid4())
    saver = engine.saver
    with entered(scope):
        config = await write(saver, identity, "ann's words", run_id="run-1")
    before = database.table("pm_checkpoint.checkpoint_blobs")
    with entered(request.getfixturevalue(stranger)):
        assert await saver.aget_tuple(thread(identity)) is None
        assert await saver.aget_tuple(config) is None
        assert [row async for row in saver.alist(thread(identity))] == []
        assert [row async for row in saver.alist(None)] == []
        await saver.acopy_thread(identity, str(uuid4()))
        await saver.adelete_thread(identity)
        await saver.adelete_for_runs(["run-1"])
        await saver.aprune([identity], strategy="delete")
        assert [row async for row in saver.alist(None)] == []
    assert database.table("pm_checkpoint.checkpoint_blobs") == before
    with entered(scope):
        found = await saver.aget_tuple(thread(identity))
    assert found is not None and len(found.pending_writes or []) == 1


async def test_without_an_identity_nothing_is_read_or_written(engine: Engine) -> None:
    saver, identity = engine.saver, str(uuid4())
    for attempt in (
        saver.aget_tuple(thread(identity)),
        write(saver, identity, "nobody's"),
        saver.aput_writes(thread(identity, "c"), [("a", 1)], "t"),
        saver.acopy_thread(identity, str(uuid4())),
        saver.aprune([identity]),
        anext(saver.alist(thread(identity))),
    ):
        with pytest.raises(ScopeError):
            await attempt


async def test_the_janitor_deletes_without_an_identity_and_can_do_nothing_else(
    engine: Engine, database: cluster.Database, scope: Scope, other_user: Scope
) -> None:
    first, second, third = (str(uuid4()) for _ in range(3))
    for owner, identity, run in ((scope, first, "r1"), (scope, second, "r2"), (other_user, third, "r3")):
        with entered(owner):
            await write(engine.saver, identity, "words", run_id=run)
    await engine.saver.adelete_thread(first)
    await engine.saver.adelete_for_runs(["r3"])
    left = database.rows("select thread_id from pm_checkpoint.checkpoints")
    assert left == [(second,)]
    assert database.rows("select distinct thread_id from pm_checkpoint.checkpoint_writes") == [(second,)]
    async with engine.database.transaction(scope) as tx:
        await tx.execute("set local role pm_janitor")
        for statement in (
            "select checkpoint from pm_checkpoint.checkpoints",
            "select blob from pm_checkpoint.checkpoint_blobs",
            "update pm_checkpoint.checkpoints set thread_id = 'x'",
            "select * from pm.note",
        ):
            with pytest.raises(Exception, match="InsufficientPrivilege"):
                async with tx.connection.transaction():
                    await tx.execute(statement)


async def test_a_copied_thread_has_the_whole_history_and_goes_its_own_way(engine: Engine, scope: Scope) -> None:
    source, target = str(uuid4()), str(uuid4())
    with entered(scope):
        for text in ("1", "2", "3"):
            await write(engine.saver, source, text)
        await engine.saver.acopy_thread(source, target)
        copied = [row async for row in engine.saver.alist(thread(target))]
        original = [row async for row in engine.saver.alist(thread(source))]
        assert [row.checkpoint for row in copied] == [row.checkpoint for row in original]
        assert [len(row.pending_writes or []) for row in copied] == [1, 1, 1]
        await engine.saver.adelete_thread(source)
        assert len([row async for row in engine.saver.alist(thread(target))]) == 3


async def test_a_hostile_class_in_a_checkpoint_is_not_constructed(
    engine: Engine, database: cluster.Database, scope: Scope, tmp_path: Path
) -> None:
    identity, trap = str(uuid4()), tmp_path / "opened"
    with entered(scope):
        await write(engine.saver, identity, "honest")
    for kind, call in (
        (EXT_CONSTRUCTOR_SINGLE_ARG, ("os", "mkdir", str(trap))),
        (EXT_CONSTRUCTOR_POS_ARGS, ("os", "mkdir", [str(trap)])),
        (EXT_METHOD_SINGLE_ARG, ("pathlib", "os", str(trap), "mkdir")),
    ):
        blob = ormsgpack.packb(ormsgpack.Ext(kind, ormsgpack.packb(call)))
        assert database.rows("update pm_checkpoint.checkpoint_blobs set blob = %s returning type", (blob,)) == [
            ("msgpack",)
        ]
        with entered(scope):
            found = await engine.saver.aget_tuple(thread(identity))
        assert not trap.exists()
        assert found is not None
        assert found.checkpoint["channel_values"]["said"] in (str(trap), [str(trap)]), "only what was passed to it"


async def test_a_pickle_in_a_checkpoint_is_refused(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    identity = str(uuid4())
    with entered(scope):
        await write(engine.saver, identity, "honest")
        database.rows("update pm_checkpoint.checkpoint_blobs set type = 'pickle', blob = '\\x80049502'")
        with pytest.raises(NotImplementedError):
            await engine.saver.aget_tuple(thread(identity))
