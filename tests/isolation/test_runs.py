"""Runs: a stranger who names Ann's thread, session, commit or version ids gets what an unknown id gets."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any
from uuid import UUID, uuid4

import pytest
from langchain_core.runnables import RunnableConfig

from context.errors import NotFoundError, PocketMindError, ScopeError
from context.scope import Scope, entered
from engine.engine import Engine
from engine.identity import signed_in_identity
from graphs.chat import compile_chat
from graphs.commit import compile_commit
from graphs.runs import run_commit, run_turn
from tests.isolation.conftest import ANN, CANARY, World, refusal

WRITERS = {"another user": Scope(tenant="acme", user="dora"), "another tenant": Scope(tenant="umbrella", user="ann")}
QUESTIONS = ("What is the door code of the greenhouse?", "你知道我什么？", "我对什么过敏？", "温室的门禁密码是多少？")


def config_of(thread_id: object, **more: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": str(thread_id), **more}, "run_id": uuid4()}


def plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


@pytest.mark.parametrize("writer", WRITERS)
async def test_a_turn_on_her_thread_is_a_turn_of_a_new_session(world: World, shared: Engine, writer: str) -> None:
    before = world.rows_of_ann()
    for question in QUESTIONS:
        heard: list[object] = []
        async for part in run_turn(shared, WRITERS[writer], world.session_id, question):
            heard.append(part.value)
        told = plain(heard)
        assert CANARY not in told and "zimtstern" not in told and "花粉" not in told, question
        assert str(world.note_id) not in told and str(world.memory_id) not in told, question
    assert world.rows_of_ann() == before


@pytest.mark.parametrize("writer", WRITERS)
async def test_state_history_and_resume_of_her_thread_are_those_of_an_unknown_one(
    world: World, shared: Engine, writer: str
) -> None:
    graph = compile_chat(shared)
    before = world.rows_of_ann()
    stranger = Scope(tenant=WRITERS[writer].tenant, user=f"{WRITERS[writer].user}-reads")
    with entered(ANN):
        assert (await graph.aget_state(config_of(world.session_id))).values

    async def all_of(thread_id: object) -> list[object]:
        found: list[object] = [(await graph.aget_state(config_of(thread_id))).values]
        found += [snapshot.values async for snapshot in graph.aget_state_history(config_of(thread_id))]
        try:
            found.append(await graph.ainvoke(None, config_of(thread_id)))
        except Exception as error:  # whatever LangGraph raises, it must be the same
            found.append((type(error).__name__, str(error).replace(str(thread_id), "?")))
        return found

    with entered(stranger):
        hers, nobodys = await all_of(world.session_id), await all_of(uuid4())
    assert hers == nobodys
    assert hers[0] == {}
    assert world.rows_of_ann() == before


@pytest.mark.parametrize("writer", WRITERS)
async def test_her_commits_are_unknown(world: World, shared: Engine, writer: str) -> None:
    before = world.rows_of_ann()
    scope = WRITERS[writer]

    async def told(*, session: UUID, commit: UUID) -> list[dict[str, Any]]:
        found = []
        graph = compile_commit(shared)
        with entered(scope):
            for attempt in (
                run_commit(shared, scope, session_id=session),
                run_commit(shared, scope, commit_id=str(commit)),
                graph.ainvoke({"session_id": str(session)}, config_of(uuid4())),
                graph.ainvoke({"session_id": str(session), "commit_id": str(commit)}, config_of(uuid4())),
            ):
                with pytest.raises(PocketMindError) as refused:
                    await attempt
                found.append(asdict(refusal(refused.value)))
        return found

    hers = await told(session=world.waiting_session, commit=world.waiting_commit)
    assert hers == await told(session=uuid4(), commit=uuid4())
    assert {row["kind"] for row in hers} == {"NotFoundError"}
    assert world.rows_of_ann() == before


async def test_a_forged_state_opens_nothing(world: World, shared: Engine) -> None:
    """A client may write any channel of its own thread; every node resolves the scope anew and reads by it."""
    scope = Scope(tenant="acme", user="forger")
    graph = compile_chat(shared)
    before = world.rows_of_ann()
    for node in ("assemble_context", "call_model", "close_turn"):
        config = config_of(uuid4())
        with entered(scope):
            given = {"messages": [{"role": "user", "content": QUESTIONS[0]}]}
            await graph.ainvoke(given, config, interrupt_before=[node])
            state = (await graph.aget_state(config)).values
            match = {"uri": world.leaf_uri, "vid": world.leaf_vid, "context_type": "RESOURCE", "score": 1.0, "raw": 1.0}
            forged: dict[str, Any] = {"matches": [{**match, "words": []}], "found_session": [1, 2]}
            if node != "assemble_context":
                chosen = [{"match": {**match, "words": []}, "tier": 2}]
                forged |= {"selection": {**state["selection"], "chosen": chosen, "session": [1, 2]}}
            forged |= {"turn": {**state["turn"], "session_id": str(world.session_id)}}
            await graph.aupdate_state(config, forged)
            try:
                ended = plain(await graph.ainvoke(None, config))
            except NotFoundError as error:
                ended = error.message
        assert CANARY not in ended and "zimtstern" not in ended, node
    assert world.rows_of_ann() == before


async def test_a_forged_identity_in_the_configuration_does_not_win(world: World, shared: Engine) -> None:
    ann: Any = signed_in_identity(ANN.tenant, ANN.user)
    graph = compile_chat(shared)
    with entered(WRITERS["another user"]):
        found = await graph.aget_state(config_of(world.session_id, langgraph_auth_user=ann))
        assert CANARY not in plain(found.values)
        given = {"messages": [{"role": "user", "content": QUESTIONS[0]}]}
        ended = await graph.ainvoke(given, config_of(uuid4(), langgraph_auth_user=ann, user_id="ann"))
    assert "zimtstern" not in plain(ended)


async def test_nobody_runs_nothing(world: World, shared: Engine) -> None:
    before = world.rows_of_ann()
    given = {"messages": [{"role": "user", "content": QUESTIONS[0]}]}
    with pytest.raises(ScopeError):
        await compile_chat(shared).ainvoke(given, config_of(world.session_id))
    with pytest.raises(ScopeError):
        await compile_commit(shared).ainvoke({"session_id": str(world.waiting_session)}, config_of(world.session_id))
    assert world.rows_of_ann() == before
