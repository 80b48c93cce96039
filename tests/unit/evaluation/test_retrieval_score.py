"""Scores of ranked lists, on lists small enough to be counted by hand."""

from __future__ import annotations

import pytest

from context.errors import InvalidInputError
from evaluation.ablation import compare
from evaluation.retrieval_report import abstention_section, locomo_sections
from evaluation.retrieval_score import (
    METRICS,
    Outcome,
    first_seen,
    hit,
    interval,
    recall,
    recall_within,
    reciprocal_rank,
)

RANKED = ("a", "b", "c", "d")


def outcome(*ranked: str, category: str = "4 single-hop", conversation: int = 0) -> Outcome:
    """A question whose evidence is `a` and `z`, in sessions A and Z; a unit's session is its capital letter."""
    return Outcome(
        conversation=conversation,
        category=category,
        question="?",
        evidence=frozenset("az"),
        corrected=frozenset("b"),
        ranked=ranked,
        evidence_sessions=frozenset("AZ"),
        sessions=first_seen(unit[0].upper() for unit in ranked),
        budgets={"chars/4 + 4": 0.5, "o200k": 0.5, "gate": 0.0},
        score=0.7 if ranked else 0.0,
        milliseconds=4.0,
        planning=1.0,
    )


def test_hits_count_any_evidence_and_recall_its_share_within_k() -> None:
    evidence = {"c", "z"}
    assert [hit(RANKED, evidence, k) for k in (2, 3)] == [0.0, 1.0]
    assert [recall(RANKED, evidence, k) for k in (2, 3, 10)] == [0.0, 0.5, 0.5]
    assert reciprocal_rank(RANKED, evidence) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKED, {"z"}) == 0.0
    with pytest.raises(InvalidInputError):
        recall(RANKED, set(), 10)


def test_sessions_stand_where_their_first_turn_does() -> None:
    found = outcome("b", "a2", "b2", "a")
    assert found.sessions == ("B", "A")
    assert METRICS["session hit@10"](found) == 1.0
    assert METRICS["session recall@10"](found) == 0.5


def test_a_budget_takes_whole_turns_in_order_and_one_header_a_session() -> None:
    session_of = {"a": "S", "b": "S", "c": "T"}
    cost = {"a": 10, "b": 10, "c": 5}.__getitem__

    def found(budget: int) -> float:
        return recall_within("abc", {"b", "c"}, budget=budget, cost=cost, session_of=session_of, header=3)

    # S with a: 3 + 10, b: 10, T with c: 3 + 5
    assert [found(budget) for budget in (22, 23, 30, 31)] == [0.0, 0.5, 0.5, 1.0]


def test_an_interval_holds_its_mean_and_is_the_same_every_time() -> None:
    values = [1.0, 0.0, 1.0, 1.0] * 50
    found = interval(values)
    assert found == interval(values)
    assert found.low < found.mean == 0.75 < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * (0.75 * 0.25 / 200) ** 0.5, abs=0.02)
    assert interval([1.0] * 9).low == 1.0
    with pytest.raises(InvalidInputError):
        interval([])


def test_a_variant_is_compared_question_by_question() -> None:
    base = [outcome("a", "b"), outcome("b", "c")]
    variant = [outcome("b", "a"), outcome("a", "c")]
    found = compare("changed", variant, base)
    assert found.values["turn hit@1"] == 0.5
    assert found.differences["turn hit@1"].mean == 0.0
    assert found.differences["turn hit@10"].mean == 0.5
    assert found.times.p50 == 4.0


def test_refusals_are_told_apart_from_abstentions() -> None:
    adversarial = outcome(category="5 adversarial", conversation=7)
    section = abstention_section("LoCoMo", [outcome("a"), outcome("b"), outcome(), adversarial], [0.0, 0.45])
    wrong_speaker, strangers, refused = section.figures
    assert (wrong_speaker.value, strangers.value) == (100.0, 50.0)
    assert "0.5: 100.0" in strangers.note
    assert refused.value == pytest.approx(100 / 3)


def test_parts_are_told_apart_and_targets_need_the_whole_set() -> None:
    sections = locomo_sections([outcome("a"), outcome("b"), outcome("c", conversation=8)])
    figures = {(s.title, f.name): f for s in sections for f in s.figures}
    assert figures["LoCoMo, conversations 5 to 9 (held out): 1 questions", "turn hit@1"].value == 0.0
    development = figures["LoCoMo, conversations 0 to 4 (constants were chosen here): 2 questions", "turn hit@1"]
    assert development.value == 50.0
    corrected = figures["LoCoMo, labels after an audit", "turn hit@1, corrected labels"]
    assert corrected.value == pytest.approx(100 / 3)
    assert all(figure.target is None for figure in figures.values())
