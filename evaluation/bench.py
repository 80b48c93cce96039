"""`make bench`: how quick the engine is on this machine, offline and in process, on a database of its own.

Real parts on synthetic notes. Ratios of two times of the same run carry over to other machines; times do not.
"""

from __future__ import annotations

import evaluation.environment  # noqa: F401  # isort: skip  # first: it sets what LangGraph reads when imported

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from context.errors import ConfigurationError, PocketMindError
from context.scope import Scope
from engine.engine import Engine, open_engine
from engine.logs import configure_logs
from evaluation.commit_speed import CommitTimes, time_commits
from evaluation.figures import Figure, Report, Section
from evaluation.machine import describe_machine
from evaluation.retrieval_speed import RetrievalTimes, time_retrieval
from evaluation.rig import Rig, Say, own_database
from evaluation.samples import Samples
from evaluation.stores import Store, synthetic_handle
from evaluation.synthetic import TOPICS, TopicVectors, plain_passage, synthetic_question
from evaluation.turn_speed import TurnTimes, time_turns
from models.embedders import EmbedderHandle, embed_batch


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """How much is measured.

    Attributes:
        notes: how many notes the larger store has when ingest is timed against one of `small_ingest` notes.
        small, large: notes of the two stores that are searched and talked about; a note is two nodes.
        questions, turns, commits, passages: how often each thing is done.
    """

    notes: int = 1_000
    small_ingest: int = 1_000
    small: int = 500
    large: int = 5_000
    questions: int = 40
    turns: int = 50
    commits: int = 7
    passages: int = 12


QUICK = BenchOptions(
    notes=200, small_ingest=100, small=60, large=200, questions=8, turns=10, commits=2, passages=2
)
_SLICE = 100
"""Notes saved in turn here and there, to compare the cost of a note in two stores."""


@dataclass(slots=True, kw_only=True)
class _Measured:
    """What one run found, before it is put into figures."""

    rig: Rig
    first_open: float
    second_open: float
    first_vector: float
    passage: dict[str, float]
    question: float
    nodes: tuple[int, int]
    small: Store
    large: Store
    retrieval: list[RetrievalTimes]
    turns: list[TurnTimes]
    commits: CommitTimes
    ingest: tuple[Samples, Samples]


async def bench(rig: Rig, options: BenchOptions, say: Say) -> Report:
    """Measure everything once.

    Raises:
        ConfigurationError: this machine has no embedder, so neither retrieval nor turns are what they should be.
    """
    began = time.perf_counter()
    async with open_engine(rig.settings()):
        first_open = time.perf_counter() - began
    began = time.perf_counter()
    async with open_engine(rig.settings()) as engine:
        second_open = time.perf_counter() - began
        if engine.embedder is None:
            raise ConfigurationError("Nothing can be measured without an embedder.", hint=str(engine.degradations))
        say("embedder")
        first_vector, passage, question = await _embedder(engine.embedder, options)
        vectors = await _topic_vectors(engine.embedder)
        small, large = (_store(engine, vectors, name) for name in ("small", "large"))
        say(f"ingest: {options.small} and {options.large} notes")
        await small.grow(options.small)
        await large.grow(options.large)
        say("vectors")
        await small.fill()
        await large.fill()
        nodes = (await small.nodes(), await large.nodes())
        say(f"retrieval at {nodes[0]} and {nodes[1]} nodes")
        retrieval = await time_retrieval([small, large], questions=options.questions, vectors=vectors)
        say(f"chat: {options.turns} turns each")
        turns = await time_turns([small, large], turns=options.turns)
        say(f"commits: {options.commits}")
        commits = await time_commits(small, commits=options.commits)
        say(f"ingest: on to {options.small_ingest} and {max(options.notes, options.large)} notes")
        ingest = await _compare_ingest(small, large, options)
        measured = _Measured(
            rig=rig,
            first_open=first_open,
            second_open=second_open,
            first_vector=first_vector,
            passage=passage,
            question=question,
            nodes=nodes,
            small=small,
            large=large,
            retrieval=retrieval,
            turns=turns,
            commits=commits,
            ingest=ingest,
        )
        return _report(engine, options, measured)


def _store(engine: Engine, vectors: TopicVectors, name: str) -> Store:
    assert engine.embedder is not None  # noqa: S101  # checked by `bench`
    scope = Scope(tenant="measured", user=name)
    return Store(engine=engine, scope=scope, vectors=synthetic_handle(engine.embedder, vectors))


async def _embedder(handle: EmbedderHandle, options: BenchOptions) -> tuple[float, dict[str, float], float]:
    """Milliseconds of the first vector with loading the engine; of a passage of 1 kB in each language; of a question."""
    loading, asked = Samples(), Samples()
    with loading.timed():
        await embed_batch(handle, ["warm"], "query")
    found = {}
    for language in TOPICS:
        passages = Samples()
        for number in range(options.passages):
            with passages.timed():
                await embed_batch(handle, [plain_passage(language, number)], "passage")
        found[language] = passages.p50
    for number in range(4 * options.passages):
        with asked.timed():
            await embed_batch(handle, [synthetic_question(number, series="embed")], "query")
    return loading.milliseconds[0], found, asked.p50


async def _topic_vectors(handle: EmbedderHandle) -> TopicVectors:
    names = [name for topics in TOPICS.values() for name in topics]
    vectors = await embed_batch(handle, names, "passage")
    return TopicVectors({name: v.tolist() for name, v in zip(names, vectors, strict=True) if v is not None})


async def _compare_ingest(small: Store, large: Store, options: BenchOptions) -> tuple[Samples, Samples]:
    """Times of a slice of notes in a store of `small_ingest` and in the larger one, saved in turn."""
    slice_notes = min(_SLICE, options.small_ingest // 2)
    await small.grow(options.small_ingest - slice_notes)
    await large.grow(max(options.notes, options.large) - slice_notes)
    first_small, first_large = small.notes, large.notes
    for step in range(1, slice_notes + 1):
        await small.grow(first_small + step)
        await large.grow(first_large + step)
    return (
        small.ingest.between(first_small + 1, first_small + slice_notes),
        large.ingest.between(first_large + 1, first_large + slice_notes),
    )


def _report(engine: Engine, options: BenchOptions, found: _Measured) -> Report:
    sections = [
        _start_figures(found),
        _ingest_figures(options, found),
        _retrieval_figures(found),
        _turn_figures(options, found),
        _commit_figures(found),
    ]
    remarks = [
        "Notes and vectors are synthetic (vectors: a topic's real vector and noise); times of the embedder are apart.",
        "The model is the offline brain, whose time is taken off; a server adds its own queue and network.",
    ]
    if found.large.notes < 10_000:
        remarks.append(f"The larger store has {found.large.notes} notes; --notes 10000 compares ingest at 10,000.")
    details = {
        "stages_p50_ms": [{name: round(s.p50, 2) for name, s in times.stages.items()} for times in found.turns],
        "turn_ms": [[round(value, 2) for value in times.ours.milliseconds] for times in found.turns],
        "commits": found.commits.stats,
        "matches_per_question": [round(times.matches / options.questions, 1) for times in found.retrieval],
        "turns_with_citations": [times.cited for times in found.turns],
    }
    return Report(
        title="PocketMind bench",
        machine=describe_machine(postgres=found.rig.postgres, embedder=engine.engine_id),
        options=asdict(options),
        sections=sections,
        remarks=remarks,
        details=details,
    )


def _start_figures(found: _Measured) -> Section:
    rig = found.rig
    first = "database, first start" if rig.fresh else "database, start in a home that existed"
    return Section(
        title="start",
        figures=(
            Figure(name=first, value=rig.start_seconds, unit="s", note="cluster, server, roles" if rig.fresh else ""),
            Figure(name="database, attach", value=rig.attach_seconds, unit="s"),
            Figure(name="engine, first opening", value=found.first_open, unit="s", note="with all migrations"),
            Figure(name="engine, opening", value=found.second_open, unit="s"),
            Figure(name="embedder, first vector", value=found.first_vector, unit="ms", note="loads the weights"),
        ),
    )


def _ingest_figures(options: BenchOptions, found: _Measured) -> Section:
    counted = min(options.notes, found.large.notes)
    first = found.large.ingest.between(1, counted)
    mean = sum(first.milliseconds) / len(first.milliseconds)
    small, large = found.ingest
    return Section(
        title="ingest, one note a transaction",
        figures=(
            Figure(
                name=f"note, the first {counted:,}, p50",
                value=first.p50,
                unit="ms",
                target=5,
                note=f"without the embedder; mean {mean:.1f} ms",
            ),
            Figure(name=f"note, the first {counted:,}, p95", value=first.p95, unit="ms"),
            Figure(name=f"note at {found.small.notes:,} notes, p50", value=small.p50, unit="ms"),
            Figure(name=f"note at {found.large.notes:,} notes, p50", value=large.p50, unit="ms"),
            Figure(name="note, larger store against smaller", value=large.p50 / small.p50, unit="x"),
            Figure(name="vector stored, a node", value=found.large.vector_milliseconds, unit="ms"),
            Figure(name="embedding, passage of 1 kB, en", value=found.passage["en"], unit="ms", note="p50"),
            Figure(name="embedding, passage of 1 kB, zh", value=found.passage["zh"], unit="ms", note="333 characters"),
            Figure(name="embedding, question", value=found.question, unit="ms", note="p50, one at a time"),
        ),
    )


def _retrieval_figures(found: _Measured) -> Section:
    figures = []
    for nodes, times in zip(found.nodes, found.retrieval, strict=True):
        target = 3 if nodes >= 10_000 else None
        figures += [
            Figure(name=f"retrieve at {nodes:,} nodes, p50", value=times.kept.p50, unit="ms", note="nothing changed"),
            Figure(name=f"retrieve at {nodes:,} nodes, p95", value=times.kept.p95, unit="ms"),
            Figure(name=f"the same after a change, p50", value=times.changed.p50, unit="ms", note="reads live nodes"),
            Figure(name=f"the same after a change, p95", value=times.changed.p95, unit="ms"),
            Figure(name=f"exact pgvector query at {nodes:,}, p50", value=times.plain.p50, unit="ms", note="top 10"),
            Figure(
                name=f"retrieve / pgvector at {nodes:,} nodes",
                value=times.kept.p50 / times.plain.p50,
                unit="x",
                target=target,
            ),
            Figure(
                name=f"after a change / pgvector at {nodes:,} nodes",
                value=times.changed.p50 / times.plain.p50,
                unit="x",
                target=target,
            ),
        ]
    note = "the question's vector is given; a plan of two queries, memories and resources"
    return Section(title=f"retrieval ({note})", figures=tuple(figures))


def _turn_figures(options: BenchOptions, found: _Measured) -> Section:
    figures = []
    span = min(10, options.turns // 2)
    for nodes, times in zip(found.nodes, found.turns, strict=True):
        target = 60 if nodes >= 10_000 else None
        early, late = times.ours.between(1, span), times.ours.between(options.turns - span + 1, options.turns)
        figures += [
            Figure(name=f"turn at {nodes:,} nodes, p50", value=times.ours.p50, unit="ms", target=target),
            Figure(name=f"turn at {nodes:,} nodes, p95", value=times.ours.p95, unit="ms"),
            Figure(
                name=f"turns {options.turns - span + 1}-{options.turns} / 1-{span} at {nodes:,} nodes",
                value=late.p50 / early.p50,
                unit="x",
                note="medians; flat is 1",
            ),
            Figure(name=f"the offline brain itself at {nodes:,} nodes, p50", value=times.model.p50, unit="ms"),
        ]
    large = found.turns[-1]
    figures += [
        Figure(
            name=f"checkpoint after {options.turns} turns, live",
            value=large.live_bytes,
            unit="bytes",
            target=65_536,
            note="target is for 200 turns",
        ),
        Figure(name=f"checkpoints after {options.turns} turns, stored", value=large.stored_bytes, unit="bytes"),
    ]
    return Section(title="chat turn without its model, embedding of the question included", figures=tuple(figures))


def _commit_figures(found: _Measured) -> Section:
    whole = found.commits.whole
    return Section(
        title="commit of 20 messages, offline rules",
        figures=(
            Figure(name="commit, p50", value=whole.p50, unit="ms", target=1_000, note="no model call"),
            Figure(name="commit, slowest", value=max(whole.milliseconds), unit="ms"),
        ),
    )


def options_of(arguments: Sequence[str] | None = None) -> tuple[BenchOptions, argparse.Namespace]:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="pocketmind bench", description=__doc__)
    parser.add_argument("--notes", type=int, help="notes of the store in which ingest is timed (default 1000)")
    parser.add_argument("--quick", action="store_true", help="a smoke run of some seconds; its figures mean little")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout, the table on stderr")
    parser.add_argument("--home", type=Path, help="home of an embedded PostgreSQL to use (default: a temporary one)")
    parsed = parser.parse_args(arguments)
    base = QUICK if parsed.quick else BenchOptions()
    if parsed.notes is None:
        return base, parsed
    if parsed.notes < 1:
        parser.error("--notes must be at least 1")
    return BenchOptions(**{**asdict(base), "notes": parsed.notes}), parsed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it. Exit code: 0 measured (whether or not targets are met), 1 failed, 2 usage or configuration."""
    options, parsed = options_of(arguments)
    configure_logs()
    errors = Console(stderr=True)
    began = time.monotonic()

    def say(text: str) -> None:
        errors.print(f"[{time.monotonic() - began:5.1f} s] {text}", markup=False, highlight=False)

    try:
        say("database")
        with own_database(parsed.home) as rig:
            report = asyncio.run(bench(rig, options, say))
    except PocketMindError as error:
        errors.print(f"bench: {error.message} {error.hint or ''}", markup=False)
        return 2 if isinstance(error, ConfigurationError) else 1
    report.print_to(errors if parsed.json else Console())
    if parsed.json:
        sys.stdout.write(report.to_json() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
