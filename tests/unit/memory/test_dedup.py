"""Dedup: the newer of two facts holds, whoever comes later; what differs in number or denial is never the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from context.derived import Candidate, Evidence, MemoryRecord
from context.types import MemoryType
from memory.candidates import digest, hashed, merge_key
from memory.dedup import Action, Decision, combine, decide, facts_of, similar
from memory.merge import new_memory, with_fact

OLD, KNOWN, NEW = (datetime(year, 5, 1, 12, tzinfo=UTC) for year in (2024, 2025, 2026))


def said(
    abstract: str,
    *,
    at: datetime | None = KNOWN,
    kind: MemoryType = MemoryType.PREFERENCE,
    facet: str = "answer_style",
    **more: Any,
) -> Candidate:
    """What was said in a message of its own."""
    source = Evidence(source_uri=f"pm://user/ann/messages/{abstract}/{at}", quote=abstract, statement=abstract)
    values: dict[str, Any] = {"subject": "user", "overview": abstract, "language": "en", "evidence": (source,)}
    return Candidate(memory_type=kind, abstract=abstract, facet=facet, mention_time=at, **{**values, **more})


def remembered(candidate: Candidate) -> dict[str, MemoryRecord]:
    """The memory that a candidate has become, as `decide` is given it."""
    return {merge_key(candidate): new_memory(candidate, agent="", commit_id=uuid4())}


def fate(candidate: Candidate, known: Candidate) -> Decision:
    (decision,) = decide([candidate], remembered(known), buried=set())
    return decision


@pytest.mark.parametrize("kind", [MemoryType.PREFERENCE, MemoryType.PROFILE])
@pytest.mark.parametrize("negated", [False, True])
def test_what_was_said_earlier_never_replaces_what_was_said_later(kind: MemoryType, negated: bool) -> None:
    known = said("I prefer short answers", kind=kind)
    older = fate(said("I prefer long tables", kind=kind, at=OLD, negated=negated), known)
    assert (older.action, older.reason) == (Action.SKIP, "older than what is known")
    assert older.target is None, "nor does it lend its source to the fact it contradicts"
    newer = fate(said("I prefer long tables", kind=kind, at=NEW, negated=negated), known)
    assert newer.action is (Action.MERGE if kind is MemoryType.PROFILE else Action.SUPERSEDE)


def test_an_old_affirmation_does_not_undo_a_newer_denial() -> None:
    known = said("我不再吃辣", negated=True, facet="like:spicy", language="zh")
    assert fate(said("我爱吃辣", at=OLD, facet="like:spicy", language="zh"), known).action is Action.SKIP
    again = fate(said("我爱吃辣", at=NEW, facet="like:spicy", language="zh"), known)
    assert (again.action, again.reason) == (Action.SUPERSEDE, "says the opposite")


def test_the_age_of_a_fact_is_that_of_its_own_facet_and_what_was_replaced_does_not_count() -> None:
    home = said("I live in Berlin", kind=MemoryType.PROFILE, facet="city", at=NEW)
    memory = new_memory(home, agent="", commit_id=uuid4())
    job = said("I work at Acme", kind=MemoryType.PROFILE, facet="employer", at=OLD)
    existing = {merge_key(home): memory}
    (decision,) = decide([job], existing, buried=set())
    assert (decision.action, decision.reason) == (Action.MERGE, "another fact about the same subject")
    existing = {merge_key(home): with_fact(memory, job, add=True, commit_id=uuid4())}
    (decision,) = decide([replace(job, abstract="I work at Globex", mention_time=KNOWN)], existing, buried=set())
    assert (decision.action, decision.reason) == (Action.MERGE, "replaces an older fact")


_ALIKE = "and so does the whole team that opens it every morning before the daily meeting begins upstairs"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"The server listens on port 8080, {_ALIKE}", f"The server listens on port 8081, {_ALIKE}"),
        (f"The budget is 1,500 euros, {_ALIKE}", f"The budget is 2,500 euros, {_ALIKE}"),
        ("The budget is 1.5 million", "The budget is 15 million"),
        ("我们每周三上午10:30在三楼会议室开项目例会", "我们每周三上午10:45在三楼会议室开项目例会"),
        (f"I want the report, {_ALIKE}", f"I do not want the report, {_ALIKE}"),
        (f"The report comes on Monday, {_ALIKE}", f"The report never comes on Monday, {_ALIKE}"),
        (f"I use tabs in code, {_ALIKE}", f"I don't use tabs in code, {_ALIKE}"),
        ("我希望每周都收到柏林团队的项目进展报告", "我不希望每周都收到柏林团队的项目进展报告"),
    ],
)
def test_another_number_or_a_denial_makes_another_fact(one: str, other: str) -> None:
    assert not similar(one, other)
    assert not similar(other, one)
    assert fate(said(other, at=NEW), said(one)).action is Action.SUPERSEDE
    assert len(combine([said(one), said(other)])) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer short answers", "i prefer SHORT answers!"),
        ("The port is 8080.", "the port is ８０８０"),
        ("我喜欢简短的回答。", "我喜欢简短的回答"),
        ("I never eat peanuts.", "I never eat peanuts"),
    ],
)
def test_the_same_fact_in_another_form_is_known_and_lends_its_source(one: str, other: str) -> None:
    assert similar(one, other)
    known, again = said(one), said(other, at=NEW)
    decision = fate(again, known)
    (memory,) = remembered(known).values()
    assert (decision.action, decision.reason) == (Action.SKIP, "known; its source is added")
    assert decision.target is not None
    merged = with_fact(memory, again, add=False, commit_id=uuid4())
    assert [e.quote for e in merged.evidence] == [one, other]
    assert [fact.statement for fact in facts_of(merged)] == [fact.statement for fact in facts_of(memory)]
    (joined,) = combine([known, again])
    assert [e.quote for e in joined.evidence] == [one, other]


def test_a_denial_ends_what_it_denies_and_alone_it_ends_nothing() -> None:
    likes = said("I like spicy food", facet="like:spicy")
    ended = fate(said("I no longer eat spicy food", facet="like:spicy", at=NEW, negated=True), likes)
    assert (ended.action, ended.reason) == (Action.SUPERSEDE, "says the opposite")
    gone = said("I no longer work at Acme", kind=MemoryType.PROFILE, facet="employer", negated=True)
    (alone,) = decide([gone], {}, buried=set())
    assert (alone.action, alone.reason) == (Action.SKIP, "ends nothing that is known")


def test_an_event_never_merges_and_the_same_occasion_is_known() -> None:
    launch = said("We launched Atlas", kind=MemoryType.EVENT, facet="launch", event_time=KNOWN)
    party = said("We held a party", kind=MemoryType.EVENT, facet="launch", event_time=KNOWN)
    again = said("We launched Atlas again", kind=MemoryType.EVENT, facet="launch", event_time=NEW)
    known = new_memory(launch, agent="", commit_id=uuid4())
    decisions = decide([party, again], {merge_key(launch): known}, buried=set(), events=[known])
    assert [d.action for d in decisions] == [Action.CREATE, Action.CREATE]
    (same,) = decide([replace(launch, evidence=party.evidence)], {}, buried=set(), events=[known])
    assert (same.action, same.target) == (Action.SKIP, known.memory_id)


def test_later_candidates_of_a_batch_see_what_earlier_ones_began() -> None:
    city = said("I live in Berlin", kind=MemoryType.PROFILE, facet="city")
    job = said("I work at Acme", kind=MemoryType.PROFILE, facet="employer")
    decisions = decide([city, job], {}, buried=set())
    assert [(d.action, d.joins) for d in decisions] == [(Action.CREATE, None), (Action.MERGE, digest(city))]
    short, long = said("I prefer short answers"), said("I prefer long tables", at=NEW)
    decisions = decide([short, long], {}, buried=set())
    assert [(d.action, d.joins) for d in decisions] == [(Action.CREATE, None), (Action.SUPERSEDE, digest(short))]


def test_repeats_join_unless_the_opposite_was_said_in_between() -> None:
    likes, no_more = said("I like tea", facet="like:tea"), said("I hate tea", facet="like:tea", negated=True)
    again = said("I like tea!", facet="like:tea", at=NEW)
    assert len(combine([likes, again])) == 1
    assert [c.abstract for c in combine([likes, no_more, again])] == ["I like tea", "I hate tea", "I like tea!"]


def test_what_was_deleted_is_refused_as_long_as_every_source_of_it_is_buried() -> None:
    gone = said("I live in Berlin", kind=MemoryType.PROFILE, facet="city")
    (source,) = (e.source_uri for e in gone.evidence)
    key, kind = hashed(merge_key(gone)), MemoryType.PROFILE.value
    for stone in ((source, kind, key), (source, "", ""), (source, kind, "")):
        (decision,) = decide([gone], {}, buried={stone})
        assert (decision.action, decision.reason) == (Action.REFUSE, "was deleted or corrected")
    for stone in ((source, MemoryType.EVENT.value, key), (source, kind, hashed("PROFILE|anna")), ("pm://x", "", "")):
        (decision,) = decide([gone], {}, buried={stone})
        assert decision.action is Action.CREATE
    elsewhere = replace(gone, evidence=(*gone.evidence, *said("I live in Berlin", at=NEW).evidence))
    (decision,) = decide([elsewhere], {}, buried={(source, kind, key)})
    assert decision.action is Action.CREATE, "a source that nobody deleted still proves it"
