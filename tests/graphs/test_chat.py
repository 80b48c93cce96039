"""Whole turns without a chat model: what is stored, what is answered, what is cited, what is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from langchain_core.runnables import RunnableConfig

from context.errors import ConflictError, InvalidInputError, PocketMindError, ScopeError, StorageUnavailable
from context.scope import Scope, entered
from context.truth import ChatMessage, ChatSession, MessageRole, MessageState
from context.types import ContextType, MemoryPolicy
from engine.engine import Engine, open_engine
from engine.settings import ChatSettings
from graphs.chat import compile_chat
from graphs.runs import run_commit, run_turn
from resources.vectors import fill_vectors
from storage import jobs, sessions, traces
from tests.support import cluster
from tests.support.engines import answer_of, ask, save_note, settings_for

PLAN = """# Launch plan

The staging gateway listens on port 8443. A kanarik lives beside it.

## 根因

结论：根因是连接池耗尽，修复方法是把池大小改为 32。
"""


async def stored(engine: Engine, scope: Scope, session_id: UUID) -> list[ChatMessage]:
    async with engine.database.transaction(scope) as tx:
        return await sessions.messages(tx, session_id)


async def events_of(engine: Engine, scope: Scope, text: str, session_id: UUID) -> list[dict[str, Any]]:
    return [part.value async for part in run_turn(engine, scope, session_id, text) if part.kind == "event"]


def given(text: str, identity: str | None = None) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text, "id": identity or str(uuid4())}]}


def config_of(session_id: UUID, *, run_id: UUID | None = None, more: Mapping[str, str] | None = None) -> RunnableConfig:
    return {"configurable": {"thread_id": str(session_id), **(more or {})}, "run_id": run_id or uuid4()}


@pytest.mark.parametrize("greeting", ["你好", "Hello!", "谢谢", "thanks"])
async def test_small_talk_is_answered_and_costs_no_retrieval(engine: Engine, scope: Scope, greeting: str) -> None:
    await save_note(engine, scope, PLAN)
    session_id = uuid4()
    events = await events_of(engine, scope, greeting, session_id)
    ran = [event["stage"] for event in events if event["type"] == "stage" and event["state"] == "started"]
    assert ran == ["open_turn", "analyze_intent", "assemble_context", "call_model", "close_turn"]
    assert [message.role for message in await stored(engine, scope, session_id)] == [
        MessageRole.USER,
        MessageRole.ASSISTANT,
    ]


@pytest.mark.parametrize(
    ("question", "fact", "lines"),
    [
        ("Which port does the staging gateway listen on?", "8443", (1, 4)),
        ("根因是什么？", "连接池耗尽", (5, 7)),
    ],
)
@pytest.mark.parametrize("embedded", [True, False])
async def test_a_question_is_answered_from_a_note_and_cites_what_was_injected(
    engine: Engine, scope: Scope, question: str, fact: str, lines: tuple[int, int], embedded: bool
) -> None:
    note = await save_note(engine, scope, PLAN, title="Launch plan")
    if embedded:
        assert engine.embedder is not None
        await fill_vectors(engine.database, scope, engine.embedder)
    state = await ask(engine, scope, question)
    pending = [row[1] for row in state["degradations"]]
    assert pending == ([] if embedded else ["vectors_pending"]), "words alone find it, and say that they were alone"
    assert fact in answer_of(state)
    cited = state["answer"]["citations"]
    assert cited
    async with engine.database.transaction(scope) as tx:
        trace = await traces.get(tx, UUID(state["answer"]["trace_id"]))
    assert {row["uri"] for row in cited} <= set(trace.body["injected"])
    assert all(f"[{row['n']}]" in answer_of(state) for row in cited)
    assert str(note.note_id) in cited[0]["uri"]
    name, _, span = cited[0]["source_ref"].rpartition(":")
    first, last = (int(number) for number in span.split("-")) if "-" in span else (int(span), int(span))
    assert name == "Launch plan"
    assert lines[0] <= first <= last <= lines[1]
    assert fact in "\n".join(PLAN.splitlines()[first - 1 : last])


async def test_the_question_is_stored_before_the_model_speaks_and_each_message_once(
    engine: Engine, scope: Scope
) -> None:
    await save_note(engine, scope, PLAN)
    graph, session_id, run_id, identity = compile_chat(engine), uuid4(), uuid4(), str(uuid4())
    config = config_of(session_id, run_id=run_id)
    with entered(scope):
        await graph.ainvoke(given("Which port?", identity), config, interrupt_before=["call_model"])
        before = await stored(engine, scope, session_id)
        assert [(m.role, str(m.message_id), m.content) for m in before] == [(MessageRole.USER, identity, "Which port?")]
        await graph.ainvoke(None, config)
        once = await stored(engine, scope, session_id)
        assert [(m.seq, m.role, m.state) for m in once] == [
            (1, MessageRole.USER, MessageState.COMPLETE),
            (2, MessageRole.ASSISTANT, MessageState.COMPLETE),
        ]
        assert once[1].parent_id == once[0].message_id
        for _ in range(2):  # a server that lost its reply sends the same run again
            await graph.ainvoke(given("Which port?", identity), config)
        assert await stored(engine, scope, session_id) == once
        await graph.ainvoke(given("Which port?", identity), config_of(session_id))  # another run, the same message
    again = await stored(engine, scope, session_id)
    assert [m.role for m in again] == [MessageRole.USER, MessageRole.ASSISTANT, MessageRole.ASSISTANT]


async def test_two_turns_at_once_are_both_stored_each_question_with_its_answer(engine: Engine, scope: Scope) -> None:
    session_id = uuid4()
    await asyncio.gather(*(ask(engine, scope, f"hello number {n}", session_id) for n in range(4)))
    found = await stored(engine, scope, session_id)
    assert [m.role for m in found] == [MessageRole.USER, MessageRole.ASSISTANT] * 4
    assert {m.content for m in found[::2]} == {f"hello number {n}" for n in range(4)}
    assert all(found[n + 1].parent_id == found[n].message_id for n in range(0, 8, 2))
    assert all(found[n + 1].turn_id == found[n].turn_id for n in range(0, 8, 2))


async def test_a_busy_session_says_so_and_stores_nothing_of_the_refused_turn(
    database: cluster.Database, scope: Scope, tmp_path: Any
) -> None:
    chat = ChatSettings(busy_wait=0.0, commit_after_messages=0)
    async with open_engine(settings_for(database, tmp_path, chat=chat)) as engine:
        session_id = uuid4()
        ended = await asyncio.gather(
            *(ask(engine, scope, f"hello {n}", session_id) for n in range(2)), return_exceptions=True
        )
        refused = [end for end in ended if isinstance(end, ConflictError)]
        assert [type(end) for end in ended if isinstance(end, BaseException)] == [ConflictError]
        assert refused[0].retryable
        assert len(await stored(engine, scope, session_id)) == 2
        await ask(engine, scope, "hello again", session_id)
        assert len(await stored(engine, scope, session_id)) == 4


@pytest.mark.parametrize(
    "content",
    [
        "",
        "   \n\t ",
        "\u3000",
        "x" * 300_000,
        "字" * 100_000,
        [{"type": "image_url", "image_url": {"url": "http://x"}}],
    ],
)
async def test_a_message_that_cannot_be_taken_is_refused_and_leaves_no_turn(
    engine: Engine, scope: Scope, content: Any
) -> None:
    session_id = uuid4()
    with entered(scope), pytest.raises(InvalidInputError):
        await compile_chat(engine).ainvoke({"messages": [{"role": "user", "content": content}]}, config_of(session_id))
    async with engine.database.transaction(scope) as tx:
        assert await sessions.list_sessions(tx) == []


async def test_what_is_no_user_message_is_refused(engine: Engine, scope: Scope) -> None:
    for messages in ([], [{"role": "assistant", "content": "I said so"}], [{"role": "system", "content": "obey"}]):
        with entered(scope), pytest.raises(InvalidInputError):
            await compile_chat(engine).ainvoke({"messages": messages}, config_of(uuid4()))
    with entered(scope), pytest.raises(InvalidInputError):
        await compile_chat(engine).ainvoke(given("hello"), {"configurable": {"thread_id": "not-a-uuid"}})


async def test_nul_and_lone_surrogates_are_replaced_and_said(engine: Engine, scope: Scope) -> None:
    session_id = uuid4()
    events = await events_of(engine, scope, "hello \x00 and \ud800 there", session_id)
    told = [event for event in events if event["type"] == "degradation"]
    assert [event["code"] for event in told] == ["text_cleaned"]
    assert "U+FFFD" in told[0]["text"]
    assert (await stored(engine, scope, session_id))[0].content == "hello \ufffd and \ufffd there"


@pytest.mark.parametrize("key", ["tenant", "user", "pm_user", "scope", "owner_id", "model"])
async def test_an_unknown_configuration_key_is_refused(engine: Engine, scope: Scope, key: str) -> None:
    with entered(scope), pytest.raises(ScopeError, match=key):
        await compile_chat(engine).ainvoke(given("hello"), config_of(uuid4(), more={key: "bob"}))
    async with engine.database.transaction(scope) as tx:
        assert await sessions.list_sessions(tx) == []


LEGS: dict[str, tuple[str, str]] = {
    "skills": ("skill_retriever", "retrieve"),
    "session": ("session_retriever", "retrieve"),
    "resources": ("retriever", "recall"),
    "memories": ("retriever", "recall"),
}


@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("error", [StorageUnavailable("The database did not answer."), RuntimeError("a bug")])
async def test_a_failed_leg_is_a_stated_degradation_and_the_turn_is_answered(
    engine: Engine, scope: Scope, monkeypatch: pytest.MonkeyPatch, leg: str, error: Exception
) -> None:
    await save_note(engine, scope, PLAN, title="Launch plan")
    name, method = LEGS[leg]
    part = getattr(engine, name)
    real: Callable[..., Awaitable[Any]] = getattr(part, method)

    async def broken(*arguments: Any, **named: Any) -> Any:
        kind = {"resources": ContextType.RESOURCE, "memories": ContextType.MEMORY}.get(leg)
        if kind is None or named.get("context_type") is kind:
            raise error
        return await real(*arguments, **named)

    monkeypatch.setattr(part, method, broken)
    session_id = uuid4()
    question = "总结一下 gateway port 的笔记，帮我做个列表" if leg == "skills" else "Which port does the gateway use?"
    state = await ask(engine, scope, question, session_id)
    failed = [row for row in state["degradations"] if row[1] == "leg_failed"]
    assert {row[0] for row in failed} == {leg}
    assert "a bug" not in str(failed), "no words of a stranger's exception reach the user"
    assert [m.state for m in await stored(engine, scope, session_id)] == [MessageState.COMPLETE] * 2
    if leg in ("session", "memories"):
        assert state["answer"]["citations"]
    async with engine.database.transaction(scope) as tx:
        trace = await traces.get(tx, UUID(state["answer"]["trace_id"]))
    assert [row for row in trace.body["degradations"] if row[1] == "leg_failed"] == failed


async def test_a_temporary_chat_recalls_nothing_and_leaves_nothing(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    await ask(engine, scope, "记住：我对花生过敏", first := uuid4())
    await run_commit(engine, scope, session_id=first)
    await save_note(engine, scope, PLAN, title="Launch plan")
    assert "花生" in answer_of(await ask(engine, scope, "我对什么过敏？"))

    session_id = uuid4()
    async with engine.database.transaction(scope) as tx:
        await sessions.create(tx, ChatSession(session_id=session_id, policy=MemoryPolicy.OFF))
    known = database.table("pm.memory_records")
    for question in ("我对什么过敏？", "你知道我什么？", "Which port does the gateway use?"):
        state = await ask(engine, scope, question, session_id)
        assert "花生" not in answer_of(state) and "8443" not in answer_of(state), question
        assert ["memories", "recall_off", ""] in state["degradations"]
        assert state["selection"]["catalogue"] == state["selection"]["chosen"] == []
    await ask(engine, scope, "记住：我叫金丝雀", session_id)
    done = await run_commit(engine, scope, session_id=session_id)
    assert (done["state"], done["stats"]["memories_extracted"]) == ("done", 0)
    assert "off" in done["reason"]
    assert database.table("pm.memory_records") == known
    assert "pm.context_catalog" not in database.tables_with("金丝雀")


async def test_a_read_only_chat_recalls_and_leaves_nothing(engine: Engine, scope: Scope) -> None:
    await save_note(engine, scope, PLAN, title="Launch plan")
    session_id = uuid4()
    async with engine.database.transaction(scope) as tx:
        await sessions.create(tx, ChatSession(session_id=session_id, policy=MemoryPolicy.READ_ONLY))
    assert "8443" in answer_of(await ask(engine, scope, "Which port does the gateway use?", session_id))
    done = await run_commit(engine, scope, session_id=session_id)
    assert (done["state"], done["stats"]["memories_extracted"]) == ("done", 0)
    async with engine.database.transaction(scope) as tx:
        assert (await sessions.get(tx, session_id)).committed_seq == 0


async def test_checkpoints_hold_no_text_of_notes(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    await save_note(engine, scope, PLAN, title="Launch plan")
    state = await ask(engine, scope, "Which port does the staging gateway listen on?")
    assert state["answer"]["citations"] and state["selection"]["chosen"], "the chunk with the canary was injected"
    assert "kanarik" not in answer_of(state)
    assert database.tables_with("kanarik") == {"pm.note", "pm.context_catalog", "pm.posting"}


async def test_a_long_chat_stays_small(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    session_id = uuid4()
    for number in range(14):
        await ask(engine, scope, f"hello {number}, {'how are you today? ' * 20}", session_id)
    with entered(scope):
        state = (await compile_chat(engine).aget_state(config_of(session_id))).values
        assert len(state["messages"]) <= engine.settings.chat.window + 1
        await engine.saver.aprune([str(session_id)])
    size = database.rows(
        "select sum(length(blob)) from (select blob from pm_checkpoint.checkpoint_blobs"
        " union all select blob from pm_checkpoint.checkpoint_writes) b"
    )
    assert size[0][0] <= 64 * 1024


async def test_enough_messages_start_one_commit(database: cluster.Database, scope: Scope, tmp_path: Any) -> None:
    chat = ChatSettings(commit_after_messages=4)
    async with open_engine(settings_for(database, tmp_path, chat=chat)) as engine:
        session_id = uuid4()
        waiting = []
        for text in ("记住：我对花生过敏", "hello", "谢谢"):
            await ask(engine, scope, text, session_id)
            async with engine.database.transaction(scope) as tx:
                waiting.append((await jobs.counts(tx)).get(("commit", "todo"), 0))
        assert waiting == [0, 1, 1]
        job = database.rows("select args ->> 'commit_id' from pm_jobs.procrastinate_jobs where task_name = 'commit'")
        done = await run_commit(engine, scope, commit_id=job[0][0])
        assert done["commit_id"] == job[0][0]
        assert done["stats"]["memories_extracted"] == 1
        assert (await run_commit(engine, scope, commit_id=job[0][0])) == done


async def test_a_turn_that_fails_gives_the_session_back_at_once(
    engine: Engine, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = uuid4()

    async def broken(*_: Any, **__: Any) -> Any:
        raise StorageUnavailable("The database did not answer; try again.")

    with monkeypatch.context() as patch:
        patch.setattr(engine.assembler, "select", broken)
        with pytest.raises(PocketMindError):
            await ask(engine, scope, "hello", session_id)
    assert [(m.content, m.state) for m in await stored(engine, scope, session_id)] == [
        ("hello", MessageState.INCOMPLETE)
    ]
    async with asyncio.timeout(5):
        await ask(engine, scope, "hello again", session_id)
    assert [m.content for m in await stored(engine, scope, session_id)][:2] == ["hello", "hello again"]


async def test_a_branch_that_the_user_left_is_no_part_of_the_conversation(engine: Engine, scope: Scope) -> None:
    when = datetime(2027, 5, 3, 9, tzinfo=UTC)
    said = [
        ChatMessage(message_id=uuid4(), role=MessageRole.USER, content=text, sent_at=when, tool=tool)
        for text, tool in (("the first draft", {"branch": "side"}), ("the second draft", {}))
    ]
    session = uuid4()
    async with engine.database.transaction(scope) as tx:
        await sessions.create(tx, ChatSession(session_id=session))
        await sessions.append(tx, session, said)
    state = await ask(engine, scope, "你好", session)
    told = [str(message.text) for message in state["messages"]]
    assert "the second draft" in told
    assert "the first draft" not in told
