"""The ranker against what its formulas say, computed the plain way on a small catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from math import log

import numpy as np
import pytest

from context.types import ContextType
from context.window import WINDOW
from retrievers.base import TimeWindow
from retrievers.fusion import (
    QueryInput,
    lexical_coverage,
    place_cosines,
    place_words,
    query_input,
    score,
    window_cosines,
)
from retrievers.profile import MEASURED, SEED, RetrievalProfile
from retrievers.snapshot import Snapshot
from tests.unit.retrievers.trees import folder, live, snapshot_of

NOTES = {"note/1": {"harbor": 1, "local": 2}, "note/2": {"harbor": 3}, "note/3": {"weather": 1}}
TURNS: Mapping[int, dict[str, int]] = {1: {"harbor": 1}, 2: {}, 3: {"harbor": 2, "local": 1}, 4: {}, 9: {"local": 1}}
"""Position to words; between 4 and 9 a stage ends."""
QUESTION = "harbor local zeppelin"


def catalogue() -> Snapshot:
    """A folder with three notes and a chat with five turns, of known lengths and norms."""
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    notes = [live(uri, "notes", length=10 * n, layer="project") for n, uri in enumerate(NOTES, start=1)]
    turns = [
        live(f"turn/{pos}", "chat", pos=pos, norm=1 + pos / 10, prior=0.01 * pos, speaker="Ann", happened_at=noon)
        for pos in TURNS
    ]
    return snapshot_of([folder("notes"), *notes, folder("chat"), *turns])


CATALOGUE = catalogue()
COSINES = {uri: 0.1 + place * 0.07 for place, uri in enumerate(CATALOGUE.index)}


def asked(snapshot: Snapshot = CATALOGUE, *, missing: tuple[str, ...] = (), priority: int = 1) -> QueryInput:
    """The question as the database answers it; `missing` have no vector."""
    words = {**NOTES, **{f"turn/{pos}": said for pos, said in TURNS.items()}}
    pairs: dict[str, list[tuple[int, int]]] = {"harbor": [(7, 5)]}  # a version that is no longer live
    for uri, counts in words.items():
        for word, count in counts.items():
            pairs.setdefault(word, []).append((snapshot.nodes[snapshot.index[uri]].vid, count))
    postings = {
        word: (np.array([vid for vid, _ in p]), np.array([n for _, n in p], float)) for word, p in pairs.items()
    }
    embedded = [node for node in snapshot.nodes if node.uri not in missing]
    first = (np.array([7, *(n.vid for n in embedded)]), np.array([0.9, *(COSINES[n.uri] for n in embedded)]))
    placed = place_cosines(snapshot, {0: first, 1: (np.array([10]), np.array([0.9]))}, questions=2)
    hits = place_words(snapshot, postings)
    return query_input(QUESTION, cosines=placed[0], hits=hits, priority=priority)


def at(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], uri: str) -> float:
    return float(values[CATALOGUE.index[uri]])


def cosines_of(query: QueryInput) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    assert query.cosines is not None
    return query.cosines


def test_a_turn_s_cosine_is_the_sum_over_its_neighbours_by_its_norm() -> None:
    found = window_cosines(CATALOGUE, cosines_of(asked()))
    for pos in TURNS:
        near = {pos + offset: part for offset, part in WINDOW.items() if pos + offset in TURNS}
        direct = sum(part * COSINES[f"turn/{other}"] for other, part in near.items()) / (1 + pos / 10)
        assert at(found, f"turn/{pos}") == pytest.approx(direct)
    assert at(found, "turn/9") == pytest.approx(COSINES["turn/9"] / 1.9), "nothing crosses the end of a stage"
    for uri in ("notes", *NOTES):
        assert at(found, uri) == pytest.approx(COSINES[uri]), "all else is its own"


def test_a_node_without_a_vector_takes_the_median_and_lends_its_neighbours_nothing() -> None:
    query = asked(missing=("note/2", "turn/2"))
    found = window_cosines(CATALOGUE, cosines_of(query))
    median = float(np.median([value for uri, value in COSINES.items() if uri not in ("note/2", "turn/2")]))
    assert at(found, "note/2") == pytest.approx(median)
    assert at(found, "turn/2") == pytest.approx(median)
    assert at(found, "turn/1") == pytest.approx((COSINES["turn/1"] + WINDOW[2] * COSINES["turn/3"]) / 1.1)
    assert np.isfinite(found).all()
    nothing = window_cosines(CATALOGUE, np.full(len(CATALOGUE.nodes), np.nan))
    assert (nothing == 0).all()


def naive_coverage(profile: RetrievalProfile) -> dict[str, float]:
    """BM25 over its greatest value, with loops: notes alone, turns by their window."""
    documents = {**NOTES, **{f"turn/{pos}": said for pos, said in TURNS.items()}}
    idf = {}
    for word in QUESTION.split():
        df = sum(word in counts for counts in documents.values())
        idf[word] = log(1 + (len(documents) - df + 0.5) / (df + 0.5))
    mean = (10 + 20 + 30) / 3
    found = {}
    for n, (uri, counts) in enumerate(NOTES.items(), start=1):
        k1, b = profile.note_k1, profile.note_b
        parts = [
            idf[w] * counts.get(w, 0) * (k1 + 1) / (counts.get(w, 0) + k1 * (1 - b + b * 10 * n / mean)) for w in idf
        ]
        found[uri] = sum(parts) / sum(value * (k1 + 1) for value in idf.values())
    for pos in TURNS:
        k1, total = profile.turn_k1, 0.0
        for word, value in idf.items():
            near = sum(part * TURNS.get(pos + offset, {}).get(word, 0) for offset, part in WINDOW.items())
            total += value * (1 + k1) * near / (near + k1)
        found[f"turn/{pos}"] = total / sum(value * (1 + k1) for value in idf.values())
    return found


def test_lexical_coverage_is_bm25_by_its_greatest_value_for_notes_and_turns() -> None:
    leaves = CATALOGUE.allowed(None, ContextType.RESOURCE) & CATALOGUE.leaf
    found = lexical_coverage(CATALOGUE, asked(), leaves, MEASURED)
    expected = naive_coverage(MEASURED)
    assert {uri: at(found, uri) for uri in expected} == pytest.approx(expected)
    assert at(found, "note/3") == at(found, "notes") == 0
    assert 0 < at(found, "turn/2") < at(found, "turn/3") < 1, "a turn is found by what stands beside it"


@pytest.mark.parametrize("profile", [MEASURED, SEED], ids=["measured", "seed"])
@pytest.mark.parametrize("missing", [(), ("note/2", "turn/3")], ids=["whole", "pending"])
def test_the_parts_add_up_to_the_total(profile: RetrievalProfile, missing: tuple[str, ...]) -> None:
    allowed = CATALOGUE.allowed(None, ContextType.RESOURCE)
    windows = [TimeWindow(first=date(2026, 3, 1), last=date(2026, 3, 2))]
    query = asked(missing=missing, priority=3)
    named = QueryInput(
        text="ann: harbor", words=query.words, cosines=query.cosines, hits=query.hits, priority=query.priority
    )
    scored = score(CATALOGUE, named, allowed=allowed, windows=windows, weight=0.37, profile=profile)
    assert allowed.all()
    assert np.allclose(np.sum(list(scored.parts.values()), axis=0), scored.total)
    if profile.fusion == "score":
        # turn/3: w x (coverage + date + prior + speaker) + layer + priority, beside its window.
        coverage = naive_coverage(profile)["turn/3"]
        rest = 0.37 * (coverage + profile.date_inside + 0.03 + profile.speaker) - 2 * profile.priority_step
        assert scored.dense is not None
        assert at(scored.total, "turn/3") == pytest.approx(at(scored.dense, "turn/3") + rest)
        assert at(scored.parts["layer"], "note/1") == profile.layer_prior
        assert at(scored.parts["layer"], "turn/3") == at(scored.parts["layer"], "notes") == 0


def test_without_an_embedder_words_count_whole_and_what_is_not_allowed_is_out() -> None:
    allowed = CATALOGUE.allowed(None, ContextType.RESOURCE)
    query = asked()
    words = QueryInput(text=query.text, words=query.words, cosines=None, hits=query.hits)
    hidden = allowed.copy()
    hidden[CATALOGUE.index["note/3"]] = False
    scored = score(CATALOGUE, words, allowed=hidden, windows=(), weight=0.37, profile=MEASURED)
    assert "dense" not in scored.parts
    assert at(scored.parts["lexical"], "note/1") == at(scored.lexical, "note/1") > 0
    assert at(scored.total, "note/3") == -np.inf
    assert np.isfinite(np.delete(scored.total, CATALOGUE.index["note/3"])).all()


def test_in_profile_seed_each_arm_gives_one_over_sixty_and_its_rank() -> None:
    scored = score(
        CATALOGUE,
        asked(),
        allowed=CATALOGUE.allowed(None, ContextType.RESOURCE),
        windows=(),
        weight=0.37,
        profile=SEED,
    )
    for arm, ranks in scored.ranks().items():
        assert np.allclose(scored.parts[arm], [1 / (60 + rank) if rank else 0.0 for rank in ranks])
    assert at(scored.parts["lexical"], "note/3") == 0.0
    assert sorted(scored.ranks()["dense"]) == list(range(1, len(CATALOGUE.nodes) + 1))
