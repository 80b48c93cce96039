"""Whole turns with a chat model behind a scripted endpoint: tools, and every way in which a model fails."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from context.errors import ConfigurationError
from context.scope import Scope
from context.truth import ChatMessage, MessageRole, MessageState
from engine.engine import Engine
from engine.settings import ChatSettings
from graphs.runs import run_commit, run_turn
from storage import sessions, traces
from tests.conftest import OnlineEngine
from tests.support.engines import answer_of, ask, by_request, save_note, tell
from tests.support.openai_replies import Fault, Json, Reply, Text, ToolCall
from tests.support.openai_script import Body

PEANUTS = Json(
    {
        "candidates": [
            {
                "type": "PROFILE",
                "abstract": "我对花生过敏",
                "overview": "我对花生过敏",
                "subject": "user",
                "facet": "allergy:花生",
                "evidence": [{"message_id": "m1", "quote": "我对花生过敏"}],
                "event_time": None,
                "language": "zh",
                "negated": False,
                "confidence": 0.9,
            }
        ],
        "reason": "",
    }
)


async def stored(engine: Engine, scope: Scope, session_id: UUID) -> list[ChatMessage]:
    async with engine.database.transaction(scope) as tx:
        return await sessions.messages(tx, session_id)


def last_tool(body: Body) -> dict[str, Any]:
    """The newest tool result that the model has been shown, without the fence around it."""
    text = str([m for m in body["messages"] if m["role"] == "tool"][-1]["content"])
    shown: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
    return shown


def calls_answered(body: Body) -> bool:
    """Whether every tool call of the conversation has exactly one result, right after it: else an endpoint refuses."""
    asked = [call["id"] for m in body["messages"] for call in m.get("tool_calls") or []]
    given = [m["tool_call_id"] for m in body["messages"] if m["role"] == "tool"]
    return asked == given


async def test_a_model_walks_from_the_overview_to_a_memory_and_its_source(
    online_engine: OnlineEngine, scope: Scope
) -> None:
    def answers(body: Body) -> Reply:
        assert calls_answered(body)
        done = sum(m["role"] == "tool" for m in body["messages"])
        if done == 0:
            assert {"browse_memory_categories", "search_memories", "get_memory_detail"} <= {
                tool["function"]["name"] for tool in body["tools"]
            }
            return ToolCall("browse_memory_categories", {}, "c1")
        if done == 1:
            assert last_tool(body)["PROFILE"]["count"] == 1
            return ToolCall("search_memories", {"query": "花生过敏", "type": "PROFILE"}, "c2")
        if done == 2:
            return ToolCall("get_memory_detail", {"memory_id": last_tool(body)["matches"][0]["id"]}, "c3")
        return Text(f"你说过：{last_tool(body)['evidence'][0]['quote']}")

    async with online_engine(by_request(answers, memories=PEANUTS)) as (engine, server):
        await run_commit(engine, scope, session_id=await tell(engine, scope, "记住：我对花生过敏"))
        session_id = uuid4()
        state = await ask(engine, scope, "我对什么过敏？", session_id)
        assert answer_of(state) == "你说过：我对花生过敏"
        messages = await stored(engine, scope, session_id)
        roles = [message.role for message in messages]
        assert roles == [MessageRole.USER, *[MessageRole.ASSISTANT, MessageRole.TOOL] * 3, MessageRole.ASSISTANT]
        assert [m.tool["call_id"] for m in messages if m.role is MessageRole.TOOL] == ["c1", "c2", "c3"]
        assert [row["status"] for row in state["answer"]["tools"]] == ["success"] * 3
        assert any("/memories/PROFILE/" in uri for uri in state["answer"]["used"]), "what a tool opened counts as used"
        assert state["answer"]["usage"]["output_tokens"] > 0
        async with engine.database.transaction(scope) as tx:
            trace = await traces.get(tx, UUID(state["answer"]["trace_id"]))
        assert "花生" not in json.dumps(trace.body["tools"], ensure_ascii=False)
        assert not server.unexpected


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (ToolCall("no_such_tool", {}, "c1"), "There is no tool"),
        (ToolCall("search_memories", {}, "c1"), "arguments do not fit"),
        (ToolCall("search_memories", '{"query": ', "c1"), "arguments do not fit"),
        (ToolCall("search_memories", {"query": "x", "type": "NO_TYPE"}, "c1"), "arguments do not fit"),
        (ToolCall("search_memories", {"query": "  "}, "c1"), "empty"),
        (ToolCall("get_memory_detail", {"memory_id": "not-an-id"}, "c1"), "arguments do not fit"),
        (ToolCall("get_memory_detail", {"memory_id": str(UUID(int=7))}, "c1"), "no memory"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_call_that_cannot_be_made_is_answered_once_and_the_turn_goes_on(
    online_engine: OnlineEngine, scope: Scope, call: ToolCall, reason: str
) -> None:
    seen: list[dict[str, Any]] = []

    def answers(body: Body) -> Reply:
        if not any(m["role"] == "tool" for m in body["messages"]):
            return call
        assert calls_answered(body)
        seen.append(last_tool(body))
        return Text("I could not look that up.")

    async with online_engine(by_request(answers)) as (engine, server):
        session_id = uuid4()
        state = await ask(engine, scope, "What am I allergic to?", session_id)
        assert answer_of(state) == "I could not look that up."
        assert len(seen) == 1 and reason in seen[0]["error"]
        tools = [m for m in await stored(engine, scope, session_id) if m.role is MessageRole.TOOL]
        assert [(m.tool["call_id"], m.tool["status"]) for m in tools] == [("c1", "error")]
        assert not server.unexpected


async def test_several_calls_at_once_get_one_answer_each_in_order(online_engine: OnlineEngine, scope: Scope) -> None:
    calls = tuple(ToolCall("search_memories", {"query": f"topic {n}"}, f"c{n}") for n in range(8))

    def answers(body: Body) -> Reply:
        assert calls_answered(body)
        return Text("Nothing.") if any(m["role"] == "tool" for m in body["messages"]) else calls

    async with online_engine(by_request(answers)) as (engine, _):
        session_id = uuid4()
        assert answer_of(await ask(engine, scope, "What do I like?", session_id)) == "Nothing."
        tools = [m for m in await stored(engine, scope, session_id) if m.role is MessageRole.TOOL]
        assert [m.tool["call_id"] for m in tools] == [f"c{n}" for n in range(8)]


async def test_calls_that_share_an_id_do_not_break_the_turn(online_engine: OnlineEngine, scope: Scope) -> None:
    def answers(body: Body) -> Reply:
        done = any(m["role"] == "tool" for m in body["messages"])
        return Text("Done.") if done else Fault("duplicate_tool_ids")

    async with online_engine(by_request(answers)) as (engine, _):
        assert answer_of(await ask(engine, scope, "What do I like?")) == "Done."


@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_model_that_never_stops_calling_is_stopped(
    online_engine: OnlineEngine, scope: Scope, stubborn: bool
) -> None:
    rounds: list[int] = []

    def answers(body: Body) -> Reply:
        rounds.append(len(body.get("tools") or []))
        if body.get("tools") or stubborn:
            return ToolCall("browse_memory_categories", {}, f"c{len(rounds)}")
        return Text("I give up.")

    async with online_engine(by_request(answers)) as (engine, _):
        session_id = uuid4()
        async with asyncio.timeout(20):
            state = await ask(engine, scope, "What do I like?", session_id)
        assert [bool(offered) for offered in rounds] == [True] * 6 + [False]
        messages = await stored(engine, scope, session_id)
        assert sum(m.role is MessageRole.TOOL for m in messages) == 6
        assert messages[-1].role is MessageRole.ASSISTANT and messages[-1].content.strip()
        assert (messages[-1].state is MessageState.INCOMPLETE) is stubborn
        assert state["answer"]["incomplete"] is stubborn


FAULTS: dict[str, Fault] = {
    "429": Fault("status", status=429),
    "500": Fault("status", status=500),
    "503": Fault("status", status=503),
    "400": Fault("status", status=400),
    "no first token": Fault("hang", seconds=30),
    "stalled": Fault("stall", seconds=30, after=3),
    "cut": Fault("cut", after=4),
    "error inside": Fault("error_event", after=4),
    "no finish": Fault("no_finish"),
    "a web page": Fault("html"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_model_that_fails_leaves_a_marked_answer_and_a_free_session(
    online_engine: OnlineEngine, scope: Scope, fault: str
) -> None:
    replies: list[Reply] = [FAULTS[fault], Text("I am back.")]
    chat = ChatSettings(first_token=1.0, between_tokens=1.0, busy_wait=5.0, commit_after_messages=0)
    async with online_engine(by_request(replies), chat=chat) as (engine, _):
        session_id = uuid4()
        events = []
        async for part in run_turn(engine, scope, session_id, "我喜欢什么？"):
            events.append(part)
        state = events[-1].value
        question, answer = await stored(engine, scope, session_id)
        assert (question.state, answer.state) == (MessageState.COMPLETE, MessageState.INCOMPLETE)
        assert "模型" in answer.content, "the notice is in the user's language"
        if fault in ("stalled", "cut", "error inside", "no finish"):
            assert answer.content.startswith("a few"), "what had come is kept"
        assert state["answer"]["incomplete"]
        assert [row[:2] for row in state["degradations"]] == [["model", "model_unavailable"]]
        told = [part.value for part in events if part.kind == "event" and part.value["type"] == "degradation"]
        assert [event["code"] for event in told] == ["model_unavailable"]
        assert answer_of(await ask(engine, scope, "再试一次：我喜欢什么？", session_id)) == "I am back."


async def test_an_empty_answer_is_no_answer(online_engine: OnlineEngine, scope: Scope) -> None:
    async with online_engine(by_request([Text("")])) as (engine, _):
        session_id = uuid4()
        await ask(engine, scope, "我喜欢什么？", session_id)
        assert [m.state for m in await stored(engine, scope, session_id)] == [
            MessageState.COMPLETE,
            MessageState.INCOMPLETE,
        ]


async def test_a_refused_key_is_the_operator_s_and_ends_the_turn_cleanly(
    online_engine: OnlineEngine, scope: Scope
) -> None:
    async with online_engine(by_request([Fault("status", status=401), Text("Here.")])) as (engine, _):
        session_id = uuid4()
        with pytest.raises(ConfigurationError, match="key"):
            await ask(engine, scope, "What do I like?", session_id)
        assert [m.state for m in await stored(engine, scope, session_id)] == [MessageState.INCOMPLETE]
        async with asyncio.timeout(5):
            assert answer_of(await ask(engine, scope, "And now?", session_id)) == "Here."


async def test_a_half_answer_is_never_taken_for_memory(online_engine: OnlineEngine, scope: Scope) -> None:
    """The next turn sees that the answer before was broken off, and no error text is stored as knowledge."""
    shown: list[Body] = []

    def answers(body: Body) -> Reply:
        shown.append(body)
        return Fault("cut", after=4) if len(shown) == 1 else Text("Fine.")

    async with online_engine(by_request(answers)) as (engine, _):
        session_id = uuid4()
        await ask(engine, scope, "What do I like?", session_id)
        await ask(engine, scope, "Go on, what do I like?", session_id)
        done = await run_commit(engine, scope, session_id=session_id)
        assert done["stats"]["memories_extracted"] == 0
        assert all(calls_answered(body) for body in shown)


@pytest.mark.parametrize("plan", [Fault("status", status=500), Fault("prose"), Fault("wrong_schema"), Fault("html")])
async def test_intent_falls_back_to_rules_and_says_so(online_engine: OnlineEngine, scope: Scope, plan: Fault) -> None:
    async with online_engine(by_request([Text("On port 8443 [1].")], plan=plan)) as (engine, _):
        await save_note(engine, scope, "The staging gateway listens on port 8443.")
        state = await ask(engine, scope, "Which port does the staging gateway listen on?")
        assert state["plan"]["source"] == "fallback"
        assert ["intent", "model_failed"] in [row[:2] for row in state["degradations"]]
        assert [row["n"] for row in state["answer"]["citations"]] == [1]


async def test_a_model_s_citation_of_what_was_not_injected_is_no_citation(
    online_engine: OnlineEngine, scope: Scope
) -> None:
    async with online_engine(by_request([Text("See [1], [1], [2], [99] and [0].")])) as (engine, server):
        note = await save_note(engine, scope, "The staging gateway listens on port 8443.")
        state = await ask(engine, scope, "Which port does the staging gateway listen on?")
        assert [(row["n"], str(note.note_id) in row["uri"]) for row in state["answer"]["citations"]] == [(1, True)]
        sent = json.dumps(server.requests[-1]["messages"], ensure_ascii=False)
        system = server.requests[-1]["messages"][0]
        assert "8443" in sent
        assert system["role"] == "system" and "8443" not in system["content"], "content is never in the system slot"


async def test_a_cancelled_turn_gives_the_session_back_and_the_next_call_is_whole(
    online_engine: OnlineEngine, scope: Scope
) -> None:
    shown: list[Body] = []
    loop, speaking = asyncio.get_running_loop(), asyncio.Event()

    def answers(body: Body) -> Reply:
        shown.append(body)
        loop.call_soon_threadsafe(speaking.set)
        return Fault("slow", seconds=0.2, text="word " * 60) if len(shown) == 1 else Text("Here I am.")

    async with online_engine(by_request(answers)) as (engine, _):
        session_id = uuid4()
        turn = asyncio.create_task(ask(engine, scope, "What do I like?", session_id))
        await speaking.wait()
        await asyncio.sleep(0.3)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        question = (await stored(engine, scope, session_id))[0]
        assert (question.content, question.state) == ("What do I like?", MessageState.INCOMPLETE)
        async with asyncio.timeout(5):
            assert answer_of(await ask(engine, scope, "Still there?", session_id)) == "Here I am."
        assert calls_answered(shown[-1])
