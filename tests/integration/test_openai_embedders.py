"""Embeddings of an endpoint through langchain-openai: the wire, the order, the dimension, and every way to fail."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import numpy as np
import pytest
from pydantic import SecretStr

from context.errors import ConfigurationError, ModelOutputInvalid, ModelUnavailable
from models.embedders import EmbedderHandle, build_embedder, close_embedder, embed_batch
from tests.support.hangs import HANGS
from tests.support.hashing import hashed_vector
from tests.support.openai_models import CANARY, misleading_environment
from tests.support.openai_script import EmbeddingScript, ScriptedOpenAI
from tests.support.openai_server import Fault, Vectors, scripted_openai


@pytest.fixture(autouse=True)
def on_this_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with misleading_environment(monkeypatch):
        yield


@asynccontextmanager
async def scripted_embedder(
    script: EmbeddingScript | None = None, *, dimension: int | None = 64, deadline: float = 10.0
) -> AsyncIterator[tuple[EmbedderHandle, ScriptedOpenAI]]:
    with scripted_openai(embeddings=script) as server:
        handle = build_embedder(
            model="bge-m3",
            base_url=server.base_url,
            api_key=SecretStr("sk-test"),
            dimension=dimension,
            timeout=deadline,
        )
        try:
            yield handle, server
        finally:
            await close_embedder(handle)
    assert not server.unexpected and CANARY not in str(server.headers)


async def test_vectors_come_over_the_wire_packed_and_in_order() -> None:
    async with scripted_embedder() as (handle, server):
        texts = ["花生过敏", "", "peanut allergy", "花生过敏很严重"]
        near, blank, far, similar = await embed_batch(handle, texts, "passage")
    assert str(handle.identity) == "bge-m3/64/unit" and handle.weight == 0.35
    assert near is not None and far is not None and similar is not None and blank is None
    assert np.allclose(near, hashed_vector("花生过敏", 64), atol=1e-6)
    assert near @ similar > 0.5 > near @ far
    assert server.requests == [
        {
            "input": ["花生过敏", "peanut allergy", "花生过敏很严重"],
            "model": "bge-m3",
            "dimensions": 64,
            "encoding_format": "base64",
        }
    ]


async def test_a_long_list_goes_in_batches_and_a_long_text_is_cut() -> None:
    async with scripted_embedder() as (handle, server):
        vectors = await embed_batch(handle, [f"第{place}条" for place in range(150)] + ["x" * 100_000], "query")
        with pytest.raises(ValueError, match="async"):
            handle.embeddings.embed_query("the blocking twin is closed")
    assert len(vectors) == 151 and all(vector is not None for vector in vectors)
    assert [len(request["input"]) for request in server.requests] == [64, 64, 23]
    assert len(server.requests[-1]["input"][-1]) == 4_000


async def test_without_a_dimension_it_is_1536_and_none_is_asked_for() -> None:
    async with scripted_embedder(dimension=None) as (handle, server):
        (vector,) = await embed_batch(handle, ["hello"], "query")
    assert handle.identity.dimension == 1536 and vector is not None and vector.shape == (1536,)
    assert "dimensions" not in server.requests[0]


async def test_vectors_that_arrive_out_of_order_find_their_texts() -> None:
    async with scripted_embedder([Vectors([[0.0, 1.0], [1.0, 0.0]], indices=[1, 0])], dimension=2) as (handle, _):
        first, second = await embed_batch(handle, ["一", "二"], "passage")
    assert first is not None and first.tolist() == [1.0, 0.0]
    assert second is not None and second.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("indices", [[0, 0], [1, 2]])
async def test_vectors_without_a_place_are_refused(indices: list[int]) -> None:
    async with scripted_embedder([Vectors([[0.0, 1.0], [1.0, 0.0]], indices=indices)], dimension=2) as (handle, _):
        with pytest.raises(ModelOutputInvalid, match="numbered"):
            await embed_batch(handle, ["一", "二"], "passage")


async def test_an_endpoint_that_cannot_shorten_vectors_is_asked_without() -> None:
    refusals = 0

    def script(body: dict[str, object]) -> Vectors | Fault:
        nonlocal refusals
        if "dimensions" in body:
            refusals += 1
            return Fault("status", status=400, text="Model does not support matryoshka representation.")
        return Vectors([[0.0, 1.0]])

    async with scripted_embedder(script, dimension=2) as (handle, server):
        for text in ("one", "二"):
            (vector,) = await embed_batch(handle, [text], "passage")
            assert vector is not None
    assert refusals == 1 and len(server.requests) == 3


async def test_a_bad_vector_costs_only_itself() -> None:
    vectors = Vectors([[float("nan"), 1.0], [0.0, 0.0], [0.0, 5.0]])
    async with scripted_embedder([vectors], dimension=2) as (handle, _):
        nan, zero, good = await embed_batch(handle, ["一", "二", "三"], "passage")
    assert nan is None and zero is None and good is not None and good.tolist() == [0.0, 1.0]


async def test_another_dimension_than_agreed_is_refused() -> None:
    async with scripted_embedder([Vectors([[1.0, 0.0, 0.0]])], dimension=2) as (handle, _):
        with pytest.raises(ModelOutputInvalid, match="3 numbers where 2"):
            await embed_batch(handle, ["一"], "passage")


@pytest.mark.parametrize(
    ("fault", "becomes", "words"),
    [
        (Fault("status", status=401), ConfigurationError, "401"),
        (Fault("status", status=404, code="model_not_found"), ConfigurationError, "404, model_not_found"),
        (Fault("status", status=400), ModelOutputInvalid, "400"),
        (Fault("html"), ModelOutputInvalid, "no answer"),
    ],
)
async def test_each_refusal_becomes_our_error(fault: Fault, becomes: type[Exception], words: str) -> None:
    async with scripted_embedder([fault, fault], dimension=64) as (handle, _):
        with pytest.raises(becomes, match=words):
            await embed_batch(handle, ["花生"], "passage")


@pytest.mark.parametrize(
    "fault", [Fault("hang", seconds=9), Fault("status", status=503, retry_after=9), Fault("status", status=429)]
)
async def test_an_outage_ends_at_the_deadline_and_may_be_tried_again(fault: Fault) -> None:
    began = time.monotonic()
    async with scripted_embedder(lambda _: fault, deadline=0.3) as (handle, _):
        with pytest.raises(ModelUnavailable) as caught:
            await embed_batch(handle, ["花生"], "passage")
    assert time.monotonic() - began < HANGS
    assert caught.value.retryable


async def test_a_short_outage_is_bridged() -> None:
    script: list[Vectors | Fault] = [Fault("status", status=503, retry_after=0.05), Fault("cut"), Vectors([[3.0, 4.0]])]
    async with scripted_embedder(script, dimension=2) as (handle, server):
        (vector,) = await embed_batch(handle, ["花生\x00"], "passage")
    assert vector is not None and vector.tolist() == pytest.approx([0.6, 0.8])
    assert [request["input"] for request in server.requests] == [["花生"]] * 3
