"""Scores of ranked lists: hits, recall, reciprocal rank, evidence within a budget, and how sure a mean is. Pure.

Evidence is a set of units (a message, an exchange, a session); a ranking names units best first, each once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from context.errors import InvalidInputError

_ROUNDS = 2_000
_SEED = 20_230_508


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question, answered.

    Attributes:
        ranked: units in the order of the results, each where it stands first; those that count neither way left out.
        sessions: their sessions, in the order in which each appears first.
        budgets: name of a way to count tokens to the share of the evidence that fits into the budget.
        score: of the first result, calibrated; 0 when nothing was found.
        milliseconds: of retrieval, the question's vector included. planning: of the plan before it.
        looked_up: whether a turn of a chat would search for this at all.
    """

    conversation: int
    category: str
    question: str
    evidence: frozenset[str]
    corrected: frozenset[str]
    ranked: tuple[str, ...]
    evidence_sessions: frozenset[str]
    sessions: tuple[str, ...]
    budgets: Mapping[str, float]
    score: float
    milliseconds: float
    planning: float
    looked_up: bool = True
    dated: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval, in the unit of the values."""

    mean: float
    low: float
    high: float


def hit(ranked: Sequence[str], evidence: Set[str], k: int) -> float:
    """1 if any piece of evidence is among the first k, else 0."""
    return float(any(unit in evidence for unit in ranked[:k]))


def recall(ranked: Sequence[str], evidence: Set[str], k: int) -> float:
    """Share of the evidence that is among the first k, 0 to 1.

    Raises:
        InvalidInputError: there is no evidence.
    """
    if not evidence:
        raise InvalidInputError("A question without evidence has no recall.")
    return len(evidence & set(ranked[:k])) / len(evidence)


def reciprocal_rank(ranked: Sequence[str], evidence: Set[str]) -> float:
    """1 / rank of the first piece of evidence, 0 if there is none in the list."""
    return next((1.0 / place for place, unit in enumerate(ranked, start=1) if unit in evidence), 0.0)


def first_seen(units: Iterable[str]) -> tuple[str, ...]:
    """Each unit once, where it stands first."""
    return tuple(dict.fromkeys(units))


def recall_within(
    ranked: Sequence[str],
    evidence: Set[str],
    *,
    budget: int,
    cost: Callable[[str], int],
    session_of: Mapping[str, str],
    header: int,
) -> float:
    """Share of the evidence among the ranked units that fit into a budget, one header a session; filling ends with the
    first that does not fit.

    Args:
        budget, header: tokens; cost: tokens of a unit.
    """
    spent = 0
    kept: list[str] = []
    opened: set[str] = set()
    for unit in ranked:
        session = session_of[unit]
        spent += cost(unit) + (0 if session in opened else header)
        if spent > budget:
            break
        opened.add(session)
        kept.append(unit)
    return recall(kept, evidence, len(kept))


def interval(values: Sequence[float], *, rounds: int = _ROUNDS, seed: int = _SEED) -> Interval:
    """Mean and 95 % interval: percentile bootstrap over questions (Efron 1979), seeded, so that it can be repeated.

    Raises:
        InvalidInputError: there are no values.
    """
    if not values:
        raise InvalidInputError("Nothing was measured, so there is no mean.")
    given = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(seed)
    means = given[generator.integers(0, len(given), (rounds, len(given)))].mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return Interval(float(given.mean()), float(low), float(high))


Metric = Callable[[Outcome], float]

METRICS: Mapping[str, Metric] = {
    "turn hit@1": lambda o: hit(o.ranked, o.evidence, 1),
    "turn hit@5": lambda o: hit(o.ranked, o.evidence, 5),
    "turn hit@10": lambda o: hit(o.ranked, o.evidence, 10),
    "turn recall@10": lambda o: recall(o.ranked, o.evidence, 10),
    "turn MRR": lambda o: reciprocal_rank(o.ranked, o.evidence),
    "session hit@10": lambda o: hit(o.sessions, o.evidence_sessions, 10),
    "session recall@10": lambda o: recall(o.sessions, o.evidence_sessions, 10),
}
"""What is said of every group of questions, by name; a unit is a turn, in MemoryBank an exchange."""

CORRECTED: Mapping[str, Metric] = {
    "turn hit@1": lambda o: hit(o.ranked, o.corrected, 1),
    "turn hit@10": lambda o: hit(o.ranked, o.corrected, 10),
    "turn MRR": lambda o: reciprocal_rank(o.ranked, o.corrected),
}
"""The same against the audited labels."""
