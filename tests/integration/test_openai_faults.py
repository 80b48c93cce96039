"""The endpoint of a chat model fails in every way it can: each fault ends in time and as one of our errors."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from context.errors import ConfigurationError, ModelOutputInvalid, ModelUnavailable
from models.chat import (
    build_chat_model,
    close_chat_model,
    retry_after,
    stream_with_deadlines,
    structured,
)
from tests.support.hangs import HANGS
from tests.support.openai_models import QUESTION, hung_up, misleading_environment, scripted_model
from tests.support.openai_replies import Reply
from tests.support.openai_server import Fault, Text, scripted_openai


class Answer(BaseModel):
    answer: str


@pytest.fixture(autouse=True)
def on_this_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with misleading_environment(monkeypatch):
        yield


def streamed(
    model: ChatOpenAI, *, first: float = 5, between: float = 5, total: float = 20
) -> AsyncIterator[AIMessageChunk]:
    return stream_with_deadlines(model.astream(QUESTION), first=first, between=between, total=total)


@pytest.mark.parametrize(
    ("fault", "becomes", "words"),
    [
        (Fault("status", status=401, text="Incorrect key sk-secret"), ConfigurationError, "key.*401"),
        (Fault("status", status=403), ConfigurationError, "key.*403"),
        (Fault("status", status=404, code="model_not_found"), ConfigurationError, "404, model_not_found"),
        (Fault("status", status=429), ModelUnavailable, "429"),
        (Fault("status", status=500), ModelUnavailable, "500"),
        (Fault("status", status=503), ModelUnavailable, "503"),
        (Fault("status", status=400), ModelOutputInvalid, "400"),
        (Fault("status", status=400, code="context_length_exceeded"), ModelOutputInvalid, "longer than"),
        (Fault("null_choices"), ModelOutputInvalid, "no answer of an OpenAI API"),
        (Fault("html"), ModelOutputInvalid, "no answer of an OpenAI API"),
        (Fault("cut"), ModelUnavailable, "connection broke"),
    ],
)
async def test_each_fault_becomes_our_error(fault: Fault, becomes: type[Exception], words: str) -> None:
    async with scripted_model([fault]) as (model, _):
        with pytest.raises(becomes, match=words) as caught:
            await structured(model, Answer, QUESTION, deadline=10)
    assert type(caught.value) is becomes
    assert caught.value.__cause__ is not None and "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("cut", after=3), "connection broke"),
        (Fault("error_event", after=3, code="overloaded"), "inside its answer, overloaded"),
        (Fault("no_finish"), "without a finish reason"),
    ],
)
async def test_half_a_stream_is_kept_and_said(fault: Fault, words: str) -> None:
    got: list[str] = []
    async with scripted_model([fault]) as (model, _):
        with pytest.raises(ModelUnavailable, match=words):
            async for chunk in streamed(model):
                got.append(chunk.text)
    assert fault.text.startswith("".join(got)) and "".join(got)


async def test_nobody_listens() -> None:
    with scripted_openai() as server:
        gone = server.base_url
    model = build_chat_model(model="scripted", base_url=gone, api_key=None, max_retries=0)
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await structured(model, Answer, QUESTION, deadline=10)
    await close_chat_model(model)


async def test_load_is_waited_out_as_long_as_the_server_asks() -> None:
    script: list[Reply] = [
        Fault("status", status=429, retry_after=0.05),
        Fault("status", status=503, retry_after=0.05),
        Text("好"),
    ]
    async with scripted_model(script, max_retries=2) as (model, server):
        assert (await model.ainvoke(QUESTION)).text == "好"
    assert len(server.requests) == 3


async def test_the_wait_that_a_server_asks_for_is_kept() -> None:
    async with scripted_model([Fault("status", status=429, retry_after=7)]) as (model, _):
        with pytest.raises(ModelUnavailable) as caught:
            await structured(model, Answer, QUESTION, deadline=10)
    assert retry_after(caught.value) == 7.0 and caught.value.hint == "Try again in 7 s." and caught.value.retryable


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("hang", seconds=9), "first token"),
        (Fault("stall", after=3, seconds=9), "between tokens"),
        (Fault("slow", seconds=0.1), "total"),
    ],
)
async def test_deadlines_of_a_stream_end_the_request(fault: Fault, words: str) -> None:
    began = time.monotonic()
    async with scripted_model([fault]) as (model, server):
        with pytest.raises(ModelUnavailable, match=words):
            async for _ in streamed(model, first=0.3, between=0.3, total=0.6):
                pass
        assert await hung_up(server)
    assert time.monotonic() - began < HANGS


async def test_leaving_a_stream_early_closes_the_connection() -> None:
    async with scripted_model([Fault("slow", seconds=0.05, text="words " * 100)]) as (model, server):
        stream = stream_with_deadlines(model.astream(QUESTION), first=5, between=5, total=20)
        await anext(stream)
        await stream.aclose()
        assert await hung_up(server)
