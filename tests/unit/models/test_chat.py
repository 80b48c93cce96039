"""Deadlines of a stream, tried on plain generators: which one passed, what was yielded, that the stream is closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from langchain_core.messages import AIMessageChunk

from context.errors import ConfigurationError, ModelError, ModelOutputInvalid, ModelUnavailable
from models.chat import stream_with_deadlines, translate_model_error


class Source:
    """A stream with a pause before each chunk that knows whether it was closed."""

    def __init__(self, *pauses: float, error: Exception | None = None) -> None:
        self.pauses, self.error, self.closed = pauses, error, False

    async def stream(self) -> AsyncIterator[AIMessageChunk]:
        try:
            for place, pause in enumerate(self.pauses):
                await asyncio.sleep(pause)
                yield AIMessageChunk(content=str(place))
            if self.error is not None:
                raise self.error
        finally:
            self.closed = True


async def gather(source: Source, *, first: float = 1.0, between: float = 1.0, total: float = 5.0) -> list[str]:
    got: list[str] = []
    try:
        async for chunk in stream_with_deadlines(source.stream(), first=first, between=between, total=total):
            got.append(chunk.text)
    finally:
        assert source.closed
    return got


async def test_a_stream_in_time_passes_unchanged() -> None:
    assert await gather(Source(0.0, 0.01, 0.0)) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("source", "named"),
    [
        (Source(9.0), "first token, 0.05 s"),
        (Source(0.0, 9.0), "between tokens, 0.05 s"),
        (Source(*[0.03] * 20), "total, "),
    ],
)
async def test_the_deadline_that_passed_is_named(source: Source, named: str) -> None:
    with pytest.raises(ModelUnavailable, match=named):
        await gather(source, first=0.05, between=0.05, total=0.15)


async def test_the_consumers_own_time_does_not_count() -> None:
    source, got = Source(0.0, 0.0, 0.0), 0
    async for _ in stream_with_deadlines(source.stream(), first=0.05, between=0.05, total=0.1):
        await asyncio.sleep(0.08)
        got += 1
    assert got == 3


async def test_a_consumer_that_leaves_closes_the_stream() -> None:
    source = Source(0.0, 0.0, 9.0)
    stream = stream_with_deadlines(source.stream(), first=1.0, between=1.0, total=1.0)
    assert (await anext(stream)).text == "0"
    await stream.aclose()
    assert source.closed


async def test_cancelling_the_turn_is_no_model_error() -> None:
    source = Source(9.0)
    task = asyncio.create_task(gather(source))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    ("raised", "becomes"),
    [
        (OSError("no route"), ModelUnavailable),
        (TimeoutError(), ModelUnavailable),
        (ValueError("broken event"), ModelOutputInvalid),
        (RuntimeError("?"), ModelError),
        (ConfigurationError("ours"), ConfigurationError),
    ],
)
async def test_errors_inside_the_stream_are_translated_once(raised: Exception, becomes: type[Exception]) -> None:
    with pytest.raises(becomes) as caught:
        await gather(Source(0.0, error=raised))
    assert type(caught.value) is becomes
    assert caught.value is raised or caught.value.__cause__ is raised
    assert translate_model_error(caught.value) is caught.value
