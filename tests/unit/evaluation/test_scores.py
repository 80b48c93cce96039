"""Scores: what counts as right, on hand-made cases; and the shipped questions fit their notes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from context.derived import Candidate
from context.errors import ConfigurationError
from context.types import MemoryType
from evaluation.answer_score import AnswerCase, AnswerOutcome, load_cases, share
from evaluation.extraction_score import ExtractionOutcome, compare, precision, recall
from evaluation.intent_score import IntentOutcome, accuracy, macro_f1
from evaluation.labelled import rows_of
from models.intents import Intent


def candidate(kind: MemoryType, facet: str, *, subject: str = "user", negated: bool = False) -> Candidate:
    return Candidate(
        memory_type=kind,
        abstract=facet,
        overview=facet,
        subject=subject,
        facet=facet,
        language="en",
        evidence=(),
        negated=negated,
    )


def compared(expect: list[dict[str, Any]], *found: Candidate) -> ExtractionOutcome:
    return compare({"text": "t", "language": "en", "expect": expect}, found)


def test_a_fact_counts_once_and_what_is_left_is_wrong() -> None:
    residence: dict[str, Any] = {"type": "PROFILE", "facet": "residence"}
    twice = [candidate(MemoryType.PROFILE, "residence")] * 2
    outcome = compared([residence], *twice)
    assert (outcome.right, len(outcome.wrong), outcome.missed) == (1, 1, ())
    assert compared([residence]).missed == ("type=PROFILE facet=residence",)


def test_polarity_must_fit_even_where_the_label_leaves_it_out() -> None:
    outcome = compared([{"type": "PREFERENCE"}], candidate(MemoryType.PREFERENCE, "like:pork", negated=True))
    assert (outcome.right, len(outcome.wrong), len(outcome.missed)) == (0, 1, 1)


def test_alternatives_prefixes_and_subjects_are_read() -> None:
    assert compared([{"type": "PROFILE|ENTITY", "facet": "pet:"}], candidate(MemoryType.ENTITY, "pet:dog")).right == 1
    kofi = {"type": "ENTITY", "subject": "Kofi"}
    assert compared([kofi], candidate(MemoryType.ENTITY, "friend", subject="Kofi")).right == 1
    assert compared([kofi], candidate(MemoryType.ENTITY, "friend", subject="Theo")).right == 0


def test_an_optional_fact_counts_neither_way_and_takes_no_place() -> None:
    labels: list[dict[str, Any]] = [{"type": "EVENT", "optional": True}, {"type": "EVENT", "facet": "decision"}]
    both = [candidate(MemoryType.EVENT, "decision"), candidate(MemoryType.EVENT, "milestone")]
    outcomes = [compared(labels, *both), compared(labels, both[0]), compared(labels, both[1])]
    assert [(o.right, len(o.wrong), len(o.missed)) for o in outcomes] == [(1, 0, 0), (1, 0, 0), (0, 0, 1)]
    assert (precision(outcomes), round(recall(outcomes), 3)) == (1.0, 0.667)


def test_macro_f1_lets_a_rare_intent_count_like_a_common_one() -> None:
    def outcome(true: Intent, guessed: Intent) -> IntentOutcome:
        return IntentOutcome(text="", language="zh", true=true, guessed=guessed, source="rules")

    common = [outcome(Intent.QUESTION, Intent.QUESTION)] * 9
    outcomes = [*common, outcome(Intent.TASK, Intent.QUESTION)]
    assert accuracy(outcomes) == 0.9
    assert macro_f1(outcomes) == pytest.approx((18 / 19 + 0) / 2)


def test_an_answer_is_right_by_its_first_citation_and_false_only_where_there_is_none() -> None:
    known = AnswerCase(question="q", language="en", kind="fact", notes=("n1",), answer=("8443", "VPN"))
    unknown = AnswerCase(question="q", language="en", kind="near", notes=(), answer=())
    outcomes = [
        AnswerOutcome(case=known, text="Port 8443 behind the VPN [1]", cited=("n1", "n2")),
        AnswerOutcome(case=known, text="Port 8443 [1]", cited=("n2", "n1")),
        AnswerOutcome(case=unknown, text="I have nothing on that.", cited=()),
        AnswerOutcome(case=unknown, text="Your notes say ... [1]", cited=("n1",)),
    ]
    assert [o.first_right for o in outcomes] == [True, False, False, False]
    assert [o.holds_answer for o in outcomes[:2]] == [True, False]
    assert share(outcomes[2:], "false") == 0.5
    assert share(outcomes[:2], "false") == 0.0


def test_the_shipped_questions_are_balanced_and_their_notes_hold_the_answers() -> None:
    notes, cases = load_cases()
    assert len(notes) == 40
    answerable = Counter(case.language for case in cases if case.notes)
    without = Counter(case.language for case in cases if not case.notes)
    assert answerable == {"zh": 30, "en": 30}
    assert without == {"zh": 10, "en": 10}
    assert len({case.question for case in cases}) == len(cases)


def test_a_bad_row_is_named_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"text": "a", "lang": "en"}\n\n{"text": "b"}\n', "utf-8")
    with pytest.raises(ConfigurationError, match=r"set\.jsonl:3 lacks lang"):
        rows_of(path, ("text", "lang"))
    path.write_text("{", "utf-8")
    with pytest.raises(ConfigurationError, match=r"set\.jsonl:1 is not JSON"):
        rows_of(path, ())
    with pytest.raises(ConfigurationError, match="cannot be read"):
        rows_of(tmp_path / "missing.jsonl", ())
