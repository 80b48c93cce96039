"""How well explicit statements are read: precision and recall on labelled sentences, for each language.

A row has text, language and expect: a list of {type, facet, subject, negated, optional}. `type` may name alternatives
(`PROFILE|PREFERENCE`); a facet that ends with `:` is a prefix; what a label leaves out may be anything, except
`negated`, which is false. An optional fact counts neither when it is found nor when it is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from context.derived import Candidate
from evaluation.labelled import rows_of
from memory.statements import StatementSource, extract_statements

_SAID_AT = datetime(2026, 5, 13, 10, 0, tzinfo=UTC)
"""When every sentence was said: relative dates must not make the figure depend on the day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionOutcome:
    """One text with the facts that were found rightly, found wrongly, and missed."""

    text: str
    language: str
    right: int
    wrong: tuple[str, ...]
    missed: tuple[str, ...]


def score_statements(path: Path) -> list[ExtractionOutcome]:
    """Read every text of a set by the shipped rules.

    Raises:
        ConfigurationError: the set cannot be used.
    """
    outcomes = []
    for row in rows_of(path, ("text", "language", "expect")):
        source = StatementSource(uri="pm://user/labelled/sessions/0/messages/1", text=row["text"], said_at=_SAID_AT)
        outcomes.append(compare(row, extract_statements(source).candidates))
    return outcomes


def compare(row: Mapping[str, Any], candidates: Sequence[Candidate]) -> ExtractionOutcome:
    """Match candidates and labels one to one, the labels that count before the optional ones."""
    left = list(candidates)
    right = 0
    missed = []
    for label in sorted(row["expect"], key=lambda label: bool(label.get("optional"))):
        found = next((candidate for candidate in left if _fits(label, candidate)), None)
        if found is not None:
            left.remove(found)
            right += not label.get("optional")
        elif not label.get("optional"):
            missed.append(" ".join(f"{key}={value}" for key, value in label.items()))
    wrong = tuple(f"{c.memory_type} {c.facet} {c.subject}: {c.abstract}" for c in left)
    return ExtractionOutcome(text=row["text"], language=row["language"], right=right, wrong=wrong, missed=tuple(missed))


def precision(outcomes: Sequence[ExtractionOutcome]) -> float:
    """Share of the facts found that are labelled, 0..1; 1 when nothing was found, since nothing is wrong then."""
    right = sum(outcome.right for outcome in outcomes)
    wrong = sum(len(outcome.wrong) for outcome in outcomes)
    return right / (right + wrong) if right + wrong else 1.0


def recall(outcomes: Sequence[ExtractionOutcome]) -> float:
    """Share of the labelled facts that were found, 0..1; 1 when none was to be found."""
    right = sum(outcome.right for outcome in outcomes)
    missed = sum(len(outcome.missed) for outcome in outcomes)
    return right / (right + missed) if right + missed else 1.0


def _fits(label: Mapping[str, Any], candidate: Candidate) -> bool:
    if candidate.memory_type.value not in label["type"].split("|"):
        return False
    facet = label.get("facet", ":")
    if not (candidate.facet.startswith(facet.rstrip(":")) if facet.endswith(":") else candidate.facet == facet):
        return False
    if "subject" in label and label["subject"] != candidate.subject:
        return False
    return bool(label.get("negated")) == candidate.negated
