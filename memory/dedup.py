"""Dedup: what becomes of each candidate, given what is remembered already. Pure rules over values.

The unit is a fact: a statement with its facet, its polarity and its evidence. A memory is one or more facts about one
subject; PROFILE keeps all facets of a subject in one record, PREFERENCE and ENTITY one facet a record, EVENT and CASE
one occasion a record.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from context.derived import Candidate, Evidence, MemoryRecord
from context.terms import terms
from context.types import MemoryType
from memory.candidates import digest, hashed, merge_key

_SAME = 0.85
_NUMBER = re.compile(r"(?:(?<![\w.)-])-)?\d+(?:[.,:]\d+)*")
_NEGATION = re.compile(r"[不没無无非勿别]|\b(?:not|no|never|without|none|neither|nor)\b|n['’]t\b", re.IGNORECASE)
_ADDS_UP = frozenset({MemoryType.ENTITY, MemoryType.PATTERN, MemoryType.TOOL_EXPERIENCE, MemoryType.SKILL_EXECUTION})


class Action(StrEnum):
    """What is done with a candidate. SUPERSEDE: the old record ends and is kept, a new one begins."""

    CREATE = "created"
    MERGE = "merged"
    SKIP = "skipped"
    SUPERSEDE = "superseded"
    REFUSE = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One candidate's fate. `target` is an existing memory, `joins` the digest of an earlier candidate."""

    candidate: Candidate
    action: Action
    reason: str
    target: UUID | None = None
    joins: str | None = None

    @property
    def digest(self) -> str:
        """Names the candidate in reports."""
        return digest(self.candidate)


def in_time(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates in the order in which they were said, whoever proposed them first; without a time comes first."""
    return sorted(candidates, key=lambda c: c.mention_time.timestamp() if c.mention_time else float("-inf"))


def combine(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates of one batch with repeats joined: the same fact twice is one candidate with both sources, unless the
    opposite was said in between."""
    kept: list[Candidate] = []
    for candidate in in_time(candidates):
        for place, known in enumerate(kept):
            if same_fact(known, candidate) and not any(_opposite(other, candidate) for other in kept[place + 1 :]):
                evidence = {(e.source_uri, e.quote): e for e in (*known.evidence, *candidate.evidence)}
                kept[place] = replace(
                    known,
                    evidence=tuple(evidence.values()),
                    confidence=max(known.confidence, candidate.confidence),
                )
                break
        else:
            kept.append(candidate)
    return kept


def same_fact(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates say the same of the same thing."""
    if one.memory_type is not other.memory_type or merge_key(one) != merge_key(other):
        return False
    if one.negated != other.negated or _facet(one.facet) != _facet(other.facet):
        return False
    if not one.memory_type.mergeable and one.event_time != other.event_time:
        return False
    return similar(one.abstract, other.abstract) or (
        one.memory_type.mergeable and one.facet.startswith(("like:", "allergy:")) and one.facet == other.facet
    )


def _opposite(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates speak of one thing, and one of them denies it."""
    same = one.memory_type is other.memory_type and merge_key(one) == merge_key(other)
    return same and _facet(one.facet) == _facet(other.facet) and one.negated != other.negated


def similar(one: str, other: str) -> bool:
    """Whether two sentences are the same but for form: equal when folded, or nearly all terms shared."""
    if _numbers(one) != _numbers(other) or _denies(one) != _denies(other):
        return False  # another amount, date or port, or its opposite, is another fact however alike the rest is
    if _folded(one) == _folded(other):
        return True
    left, right = set(terms(one)), set(terms(other))
    return bool(left and right) and len(left & right) / len(left | right) >= _SAME


def decide(
    candidates: Sequence[Candidate],
    existing: Mapping[str, MemoryRecord],
    *,
    buried: set[tuple[str, str, str]],
    events: Sequence[MemoryRecord] = (),
) -> list[Decision]:
    """The fate of every candidate, in order of time. Later candidates see what earlier ones of the batch decided.

    Args:
        existing: current mergeable memories by merge key.
        buried: tombstones (source, type, hashed merge key): what was deleted or corrected stays so.
        events: current EVENTs and CASEs that may be the same occasion.
    """
    decisions: list[Decision] = []
    made: dict[str, list[Candidate]] = {}  # by merge key: the facts of the memory that this batch begins
    for candidate in in_time(candidates):
        key = merge_key(candidate)
        if _is_buried(candidate, key, buried):
            decisions.append(Decision(candidate=candidate, action=Action.REFUSE, reason="was deleted or corrected"))
            continue
        if not candidate.memory_type.mergeable:
            decisions.append(_occasion(candidate, events))
            continue
        old = existing.get(key)
        if key in made:
            decision = _within(candidate, made[key])
        elif old is not None:
            decision = _against(candidate, old)
        elif candidate.negated and candidate.memory_type is not MemoryType.PREFERENCE:
            decision = Decision(candidate=candidate, action=Action.SKIP, reason="ends nothing that is known")
        else:
            decision = Decision(candidate=candidate, action=Action.CREATE, reason="new")
        if decision.action in (Action.CREATE, Action.SUPERSEDE):
            made[key] = [candidate]
        elif key in made:
            made[key].append(candidate)
        decisions.append(decision)
    return decisions


def _within(candidate: Candidate, begun: Sequence[Candidate]) -> Decision:
    """A candidate beside the memory that earlier ones of its batch have begun."""
    of_facet = [fact for fact in begun if _facet(fact.facet) == _facet(candidate.facet)]

    def so(action: Action, reason: str) -> Decision:
        return Decision(candidate=candidate, action=action, reason=reason, joins=digest(begun[0]))

    if candidate.memory_type is not MemoryType.PROFILE and of_facet:
        if candidate.negated or any(fact.negated for fact in of_facet):
            return so(Action.SUPERSEDE, "says the opposite")
        if candidate.memory_type not in _ADDS_UP:
            return so(Action.SUPERSEDE, "another value of the same facet")
    return so(Action.MERGE, "joins this commit")


def _occasion(candidate: Candidate, events: Sequence[MemoryRecord]) -> Decision:
    for event in events:
        same_source = {(e.source_uri, e.quote) for e in event.evidence} & {
            (e.source_uri, e.quote) for e in candidate.evidence
        }
        same_time = event.event_time == candidate.event_time and candidate.event_time is not None
        if event.memory_type is candidate.memory_type and (
            same_source or (same_time and similar(event.abstract, candidate.abstract))
        ):
            return Decision(
                candidate=candidate, action=Action.SKIP, reason="this occasion is known", target=event.memory_id
            )
    return Decision(candidate=candidate, action=Action.CREATE, reason="a new occasion")


def _against(candidate: Candidate, old: MemoryRecord) -> Decision:
    """A candidate beside the one memory of its merge key."""
    facts = facts_of(old)
    of_facet = [fact for fact in facts if _facet(fact.facet) == _facet(candidate.facet)]

    def so(action: Action, reason: str) -> Decision:
        return Decision(candidate=candidate, action=action, reason=reason, target=old.memory_id)

    for fact in of_facet:
        if fact.negated == candidate.negated and similar(fact.statement, candidate.abstract):
            return so(Action.SKIP, "known; its source is added")
        if fact.negated == candidate.negated and candidate.facet.startswith(("like:", "allergy:")):
            return so(Action.SKIP, "known in other words; its source is added")
    if of_facet and old.memory_type not in _ADDS_UP and _is_older(candidate, of_facet):
        return Decision(candidate=candidate, action=Action.SKIP, reason="older than what is known")
    if old.memory_type is MemoryType.PROFILE:
        return so(Action.MERGE, "another fact about the same subject" if not of_facet else "replaces an older fact")
    if candidate.negated or any(fact.negated for fact in of_facet):
        return so(Action.SUPERSEDE, "says the opposite")
    if old.memory_type in _ADDS_UP:
        return so(Action.MERGE, "adds to what is known")
    return so(Action.SUPERSEDE, "another value of the same facet")


def _is_older(candidate: Candidate, facts: Sequence[Fact]) -> bool:
    """Whether a candidate was said before what is known of its facet (an old chat imported later)."""
    said = candidate.mention_time
    known = [datetime.fromisoformat(fact.at) for fact in facts if fact.at]
    return said is not None and bool(known) and said < max(known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One statement of a memory. `at` is ISO time of when it was said; `until` of when another replaced it."""

    facet: str
    statement: str
    negated: bool = False
    at: str = ""
    until: str = ""

    def to_json(self) -> dict[str, str | bool]:
        """Plain values for the memory's row."""
        return {
            "facet": self.facet,
            "statement": self.statement,
            "negated": self.negated,
            "at": self.at,
            "until": self.until,
        }


def facts_of(memory: MemoryRecord) -> list[Fact]:
    """What a memory holds now, without what was replaced."""
    return [fact for fact in all_facts(memory) if not fact.until]


def all_facts(memory: MemoryRecord) -> list[Fact]:
    """All facts of a memory, replaced ones included."""
    stored = memory.stats.get("facts") or [{"facet": memory.facet, "statement": memory.abstract}]
    return [Fact(**fact) for fact in stored]


def fact_of(candidate: Candidate) -> Fact:
    """A candidate as a fact."""
    return Fact(
        facet=candidate.facet,
        statement=candidate.abstract.rstrip(" ;；,，"),
        negated=candidate.negated,
        at=candidate.mention_time.isoformat() if candidate.mention_time else "",
    )


def proof_count(evidence: Sequence[Evidence]) -> int:
    """Number of distinct source turns."""
    return len({e.source_uri for e in evidence})


def _is_buried(candidate: Candidate, key: str, buried: set[tuple[str, str, str]]) -> bool:
    """Whether every source of a candidate has a tombstone for it."""
    kinds = (candidate.memory_type.value, "")
    return all(
        any((source, kind, marked) in buried for kind in kinds for marked in (hashed(key), ""))
        for source in {e.source_uri for e in candidate.evidence}
    )


def _numbers(text: str) -> list[str]:
    return sorted(_NUMBER.findall(unicodedata.normalize("NFKC", text)))


def _denies(text: str) -> bool:
    return bool(_NEGATION.search(text))


def same_facet(one: str, other: str) -> bool:
    """Whether two facets are the same but for case, width and punctuation."""
    return _folded(one) == _folded(other)


def _facet(facet: str) -> str:
    return _folded(facet)


def _folded(text: str) -> str:
    kept = (c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
    return "".join(kept)
