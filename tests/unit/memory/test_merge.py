"""Merge: the texts and the confidence of a memory follow from its facts and sources, however often they are told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from context.derived import Candidate, Evidence, MemoryRecord
from context.types import Language, MemoryType
from memory.merge import new_memory, told, with_fact

COMMIT = uuid4()


def moved(city: str, year: int, *, source: int | None = None, language: Language = "en") -> Candidate:
    text = f"I live in {city}" if language == "en" else f"我住在{city}"
    proof = Evidence(source_uri=f"pm://user/ann/messages/{source or year}", quote=text, statement=text)
    return Candidate(
        memory_type=MemoryType.PROFILE,
        abstract=text,
        overview=f"{text}.",
        subject="user",
        facet="city",
        language=language,
        evidence=(proof,),
        mention_time=datetime(year, 5, 1, tzinfo=UTC),
        confidence=0.6,
    )


def remembered(candidate: Candidate) -> MemoryRecord:
    return new_memory(candidate, agent="", commit_id=COMMIT)


@pytest.mark.parametrize(
    ("language", "first", "second", "past"), [("en", "Berlin", "Oslo", "was"), ("zh", "柏林", "奥斯陆", "此前")]
)
def test_a_replaced_fact_leaves_the_overview_and_stays_in_the_content(
    language: Language, first: str, second: str, past: str
) -> None:
    memory = remembered(moved(first, 2025, language=language))
    assert first in memory.abstract
    now = with_fact(memory, moved(second, 2026, language=language), add=True, commit_id=COMMIT)
    statement = moved(second, 2026, language=language).abstract
    assert now.abstract.startswith(statement)
    assert now.overview == statement
    assert first not in now.overview + now.abstract
    history = [line for line in now.content.splitlines() if line.startswith(f"- {past} (2026-05-01)")]
    assert len(history) == 1
    assert first in history[0]
    assert told(now) == now, "telling it again changes nothing"


def test_facts_of_other_facets_are_listed_beside_the_current_one() -> None:
    job = replace(moved("Oslo", 2026), abstract="I work at Acme", facet="employer")
    memory = with_fact(remembered(moved("Berlin", 2025)), job, add=True, commit_id=COMMIT)
    assert memory.overview.splitlines() == ["- city: I live in Berlin", "- employer: I work at Acme"]
    memory = with_fact(memory, moved("Oslo", 2026), add=True, commit_id=COMMIT)
    assert sorted(memory.overview.splitlines()) == ["- city: I live in Oslo", "- employer: I work at Acme"]


def test_each_further_proof_takes_three_tenths_of_the_doubt_and_it_never_compounds() -> None:
    memory = remembered(moved("Berlin", 2025, source=1))
    assert memory.confidence == 0.6
    for proofs in range(2, 7):
        memory = with_fact(memory, moved("Berlin", 2025, source=proofs), add=False, commit_id=COMMIT)
        assert memory.confidence == pytest.approx(1 - (1 - 0.6) * 0.7 ** (proofs - 1), abs=5e-5)
        assert told(told(memory)).confidence == memory.confidence
    again = with_fact(memory, moved("Berlin", 2025, source=6), add=False, commit_id=COMMIT)
    assert again.confidence == memory.confidence, "the same turn is no further proof"
