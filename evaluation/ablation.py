"""The ablation: one mechanism of retrieval changed at a time, over the same stores and the same questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from context.types import ContextType
from engine.engine import Engine
from evaluation.retrieval_run import Asked, RememberedQuestions, ask_all, retriever_of
from evaluation.retrieval_score import METRICS, Interval, Outcome, interval
from evaluation.samples import Samples
from models.embedders import EmbedderHandle
from retrievers.profile import MEASURED, SEED, RetrievalProfile

Moved = Callable[[int, int], None]
"""Told how many questions of the whole ablation are answered, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One change.

    Attributes:
        profile: instead of the default one.
        words: False takes away everything beside the cosine (words, date, prior, speaker: all that w weighs).
        vectors: False searches by words only.
        windows: False takes away the days that the plan found in a question.
    """

    name: str
    profile: RetrievalProfile = MEASURED
    words: bool = True
    vectors: bool = True
    windows: bool = True


VARIANTS: tuple[Variant, ...] = (
    Variant(name="without vectors (words alone)", vectors=False),
    Variant(name="cosine alone (w = 0)", words=False),
    Variant(name="without words", profile=replace(MEASURED, lexical=False)),
    Variant(name="without windows", profile=replace(MEASURED, window_dense=False, window_lexical=False)),
    Variant(name="without the window of vectors", profile=replace(MEASURED, window_dense=False)),
    Variant(name="without the window of words", profile=replace(MEASURED, window_lexical=False)),
    Variant(name="without the turn's prior", profile=replace(MEASURED, prior=False)),
    Variant(name="without the mark of times", profile=replace(MEASURED, names_time=0.0)),
    Variant(name="without date", windows=False),
    Variant(name="without speaker", profile=replace(MEASURED, speaker=0.0)),
    Variant(name="BM25 of notes for k1 of turns", profile=replace(MEASURED, turn_k1=MEASURED.note_k1)),
    Variant(name="without floor", profile=replace(MEASURED, floor=0.0)),
    Variant(name="reciprocal ranks", profile=replace(MEASURED, fusion="rrf", floor=0.0)),
    Variant(name="parent's share, lifting only", profile=replace(MEASURED, propagate=True)),
    Variant(name="parent's share, as mixed", profile=replace(MEASURED, propagate=True, lift_only=False)),
    Variant(
        name="hotness on transcripts too",
        profile=replace(MEASURED, hotness_on=(ContextType.MEMORY.value, ContextType.RESOURCE.value)),
    ),
    Variant(name="profile seed", profile=SEED),
)
"""What can be switched from outside and can change a list of turns. Layer, priority and turn shift only place turns
among notes and memories, of which these sets have none."""

COMPARED = ("turn hit@1", "turn hit@10", "turn MRR", "session recall@10")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A variant beside the default.

    Attributes:
        values: mean of each metric, 0 to 1. differences: of the same questions, with their 95 % intervals.
    """

    name: str
    values: Mapping[str, float]
    differences: Mapping[str, Interval]
    times: Samples = field(default_factory=Samples)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.name,
            "values": dict(self.values),
            "differences": {k: {"mean": d.mean, "low": d.low, "high": d.high} for k, d in self.differences.items()},
            "p50_ms": self.times.p50,
            "p95_ms": self.times.p95,
        }


async def ablate(
    engine: Engine,
    embedder: EmbedderHandle,
    asked: Sequence[Asked],
    base: Sequence[Outcome],
    *,
    moved: Moved,
    variants: Sequence[Variant] = VARIANTS,
) -> list[Compared]:
    """Put the questions to every variant, each question embedded once.

    Args:
        base: what the default answered to the same questions, in the same order.
    """
    remembered = replace(embedder, embeddings=RememberedQuestions(embedder.embeddings))
    total = len(variants) * len(asked)
    found = []
    for number, variant in enumerate(variants):
        handle = replace(remembered, weight=remembered.weight if variant.words else 0.0)
        retriever = retriever_of(engine, handle if variant.vectors else None, variant.profile)
        plans = asked if variant.windows else [replace(one, plan=replace(one.plan, windows=())) for one in asked]
        outcomes = await ask_all(retriever, plans, partial(_reach, moved, number * len(asked), total))
        found.append(compare(variant.name, outcomes, base))
    return found


def _reach(moved: Moved, before: int, total: int, done: int) -> None:
    moved(before + done, total)


def compare(name: str, outcomes: Sequence[Outcome], base: Sequence[Outcome]) -> Compared:
    """A variant beside the default, question by question. Pure."""
    values, differences = {}, {}
    for metric in COMPARED:
        score = METRICS[metric]
        own = [score(outcome) for outcome in outcomes]
        values[metric] = sum(own) / len(own)
        differences[metric] = interval([a - score(b) for a, b in zip(own, base, strict=True)])
    times = Samples([outcome.milliseconds for outcome in outcomes])
    return Compared(name=name, values=values, differences=differences, times=times)
