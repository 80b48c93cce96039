"""langchain-openai for real, against a scripted endpoint on loopback: answers, tools, structure, faults, deadlines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.tools import tool
from langgraph.constants import TAG_NOSTREAM
from langgraph.graph import END, START, MessagesState, StateGraph
from pydantic import BaseModel, Field, SecretStr

from context.errors import ConfigurationError, ModelOutputInvalid, ModelUnavailable
from models.chat import (
    NOSTREAM,
    build_chat_model,
    close_chat_model,
    stream_with_deadlines,
    structured,
)
from models.health import listed_models
from tests.support.loopback import LeftTheMachine
from tests.support.openai_models import CANARY, QUESTION, hung_up, misleading_environment, scripted_model
from tests.support.openai_server import Fault, Json, Text, ToolCall, scripted_openai


class Fact(BaseModel):
    """What the tests ask for in JSON."""

    text: str
    kind: Literal["profile", "event"] = "profile"
    confidence: float = Field(default=0.5, ge=0, le=1)


@tool
def search_memories(query: str, limit: int = 3) -> str:
    """Search what the user has told."""
    return f"{query} {limit}"


@pytest.fixture(autouse=True)
def on_this_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with misleading_environment(monkeypatch):
        yield


# -- answers ---------------------------------------------------------------------------------------------------------


async def test_an_answer_its_usage_and_what_was_sent() -> None:
    async with scripted_model([Text("花生。Peanuts.")]) as (model, server):
        answer = await model.ainvoke(QUESTION)
    assert answer.content == "花生。Peanuts." and answer.usage_metadata and answer.usage_metadata["output_tokens"] > 0
    assert server.requests[0]["messages"][1] == {"role": "user", "content": "我对什么过敏？"}
    assert server.headers[0]["authorization"] == "Bearer sk-test"


async def test_a_stream_arrives_in_pieces_with_usage() -> None:
    async with scripted_model([Text("你对花生过敏，去年秋天说过。")]) as (model, server):
        chunks = [chunk async for chunk in stream_with_deadlines(model.astream(QUESTION), first=5, between=5, total=20)]
    assert "".join(chunk.text for chunk in chunks) == "你对花生过敏，去年秋天说过。"
    assert sum(bool(chunk.text) for chunk in chunks) > 2
    assert any(chunk.usage_metadata for chunk in chunks) and server.requests[0]["stream_options"]["include_usage"]


async def test_tool_calls_arrive_whole_and_streamed() -> None:
    calls = (
        ToolCall("search_memories", {"query": "过敏", "limit": 2}, "call_a"),
        ToolCall("search_memories", {"query": "x"}, "call_b"),
    )
    async with scripted_model([calls, calls]) as (model, server):
        bound = model.bind_tools([search_memories])
        whole = await bound.ainvoke(QUESTION)
        summed: AIMessageChunk | None = None
        async for chunk in stream_with_deadlines(bound.astream(QUESTION), first=5, between=5, total=20):  # type: ignore[arg-type]  # a bound model is declared to yield any message
            summed = chunk if summed is None else summed + chunk
    assert isinstance(whole, AIMessage) and summed is not None
    assert [call["args"] for call in whole.tool_calls] == [{"query": "过敏", "limit": 2}, {"query": "x"}]
    assert summed.tool_calls == whole.tool_calls
    assert server.requests[0]["tools"][0]["function"]["name"] == "search_memories"


async def test_faulty_tool_calls_reach_the_caller_as_they_are() -> None:
    script = [Fault("duplicate_tool_ids"), Fault("unknown_tool"), Fault("bad_tool_args")]
    async with scripted_model(script) as (model, _):
        bound = model.bind_tools([search_memories])
        same, unknown, bad = [await bound.ainvoke(QUESTION) for _ in range(3)]
    assert isinstance(same, AIMessage) and isinstance(unknown, AIMessage) and isinstance(bad, AIMessage)
    assert [call["id"] for call in same.tool_calls] == ["call_same", "call_same"]
    assert unknown.tool_calls[0]["name"] == "no_such_tool"
    assert not bad.tool_calls and bad.invalid_tool_calls[0]["args"] == '{"query": '


# -- structured answers ----------------------------------------------------------------------------------------------

GOOD = {"text": "对花生过敏", "kind": "profile", "confidence": 0.9}


@pytest.mark.parametrize("reply", [Json(GOOD), Fault("fenced_json", value=GOOD)])
async def test_a_structured_answer(reply: Json | Fault) -> None:
    async with scripted_model([reply]) as (model, server):
        fact = await structured(model, Fact, QUESTION, deadline=10)
    assert fact == Fact(text="对花生过敏", confidence=0.9)
    sent = server.requests[0]["response_format"]["json_schema"]
    assert sent["strict"] is True and sent["schema"]["additionalProperties"] is False
    assert sent["schema"]["required"] == ["text", "kind", "confidence"]
    assert not server.requests[0].get("stream")


@pytest.mark.parametrize("kind", ["broken_json", "truncated", "prose", "wrong_schema"])
async def test_an_answer_that_does_not_fit_is_repaired_once(
    kind: Literal["broken_json", "truncated", "prose", "wrong_schema"],
) -> None:
    async with scripted_model([Fault(kind, value=GOOD), Json(GOOD)]) as (model, server):
        assert (await structured(model, Fact, QUESTION, deadline=10)).text == "对花生过敏"
    *before, reply, complaint = server.requests[1]["messages"]
    assert before == server.requests[0]["messages"]
    assert reply["role"] == "assistant" and reply["content"]
    assert complaint["role"] == "user" and "does not fit" in complaint["content"]


async def test_after_one_repair_it_gives_up_and_does_not_repeat_the_users_words() -> None:
    secret = {"text": ["我的秘密"], "kind": "我的秘密"}
    async with scripted_model([Json(secret), Json(secret)]) as (model, _):
        with pytest.raises(ModelOutputInvalid, match=r"does not fit Fact.*text \(string_type\)") as caught:
            await structured(model, Fact, QUESTION, deadline=10)
    assert "秘密" not in caught.value.message


async def test_a_refusal_is_not_argued_with() -> None:
    async with scripted_model([Fault("refusal", text="I cannot help with that.")]) as (model, _):
        with pytest.raises(ModelOutputInvalid, match="declined"):
            await structured(model, Fact, QUESTION, deadline=10)


async def test_the_deadline_covers_the_repair() -> None:
    async with scripted_model([Fault("prose"), Fault("hang", seconds=9)]) as (model, server):
        with pytest.raises(ModelUnavailable, match=r"structured answer, 0\.4 s"):
            await structured(model, Fact, QUESTION, deadline=0.4)
        assert await hung_up(server)


async def test_a_structured_call_stays_out_of_the_chat_stream() -> None:
    async with scripted_model([Json(GOOD), Text("Here you are.")]) as (model, server):

        async def plan(state: MessagesState) -> dict[str, list[AIMessage]]:
            await structured(model, Fact, state["messages"], deadline=10)
            return {"messages": []}

        async def answer(state: MessagesState) -> dict[str, list[AIMessage]]:
            return {"messages": [await model.ainvoke(state["messages"])]}

        builder = StateGraph(MessagesState)
        builder.add_node("plan", plan)
        builder.add_node("answer", answer)
        builder.add_edge(START, "plan")
        builder.add_edge("plan", "answer")
        builder.add_edge("answer", END)
        seen: list[tuple[str, str]] = []
        turn = MessagesState(messages=[HumanMessage("记住了吗？")])
        async for part in builder.compile().astream(turn, stream_mode="messages", version="v2"):
            assert part["type"] == "messages"
            chunk, metadata = part["data"]
            seen.append((metadata["langgraph_node"], str(chunk.text)))
    assert not server.requests[0].get("stream") and server.requests[1]["stream"]
    assert {node for node, _ in seen} == {"answer"}
    assert "".join(text for _, text in seen) == "Here you are."
    assert NOSTREAM == TAG_NOSTREAM


# -- settings --------------------------------------------------------------------------------------------------------


async def test_without_a_key_the_one_in_the_environment_is_not_sent() -> None:
    with scripted_openai([Text("ok")]) as server:
        model = build_chat_model(model="scripted", base_url=server.base_url, api_key=None)
        await model.ainvoke(QUESTION)
        await close_chat_model(model)
    assert CANARY not in str(server.headers)
    with pytest.raises(ConfigurationError, match="no API key"):
        build_chat_model(model="gpt-4.1-mini", base_url=None, api_key=None)


async def test_without_a_base_url_openai_itself_is_meant_and_the_guard_holds_it_back() -> None:
    model = build_chat_model(model="gpt-4.1-mini", base_url=None, api_key=SecretStr("sk-test"), max_retries=0)
    assert str(model.root_async_client.base_url) == "https://api.openai.com/v1/"
    with pytest.raises(LeftTheMachine, match=r"api\.openai\.com"):
        await model.ainvoke(QUESTION)
    await close_chat_model(model)


async def test_the_endpoint_lists_its_models() -> None:
    with scripted_openai(models=["qwen3", "deepseek-v4"]) as server:
        assert await listed_models(base_url=server.base_url, api_key=None, deadline=5) == ("deepseek-v4", "qwen3")
        with pytest.raises(ModelUnavailable, match="500"):
            await listed_models(base_url=server.base_url + "/nowhere", api_key=None, deadline=5)
    assert server.unexpected == ["GET /v1/nowhere/models"]


async def test_a_used_up_script_is_a_loud_error() -> None:
    with scripted_openai([Text("one")]) as server:
        model = build_chat_model(model="scripted", base_url=server.base_url, api_key=None, max_retries=0)
        await model.ainvoke(QUESTION)
        with pytest.raises(Exception, match="script of 1 replies is used up"):
            await model.ainvoke(QUESTION)
        await close_chat_model(model)
    assert len(server.unexpected) == 1
