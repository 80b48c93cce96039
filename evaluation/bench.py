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
from dataclasses import replace
from pathlib import Path

from context.errors import ConfigurationError, PocketMindError
from context.scope import Scope
from context.types import Language
from engine.collection import settle_collector
from engine.engine import Engine, open_engine
from engine.logs import configure_logs
from evaluation.bench_report import BenchOptions, Measured, report_of
from evaluation.commit_speed import time_commits
from evaluation.figures import Report, console
from evaluation.retrieval_speed import time_retrieval
from evaluation.rig import Rig, Say, leave_when_told, own_database
from evaluation.samples import Samples
from evaluation.stores import Store, synthetic_handle
from evaluation.synthetic import TOPICS, TopicVectors, plain_passage, synthetic_question
from evaluation.turn_speed import time_turns
from models.embedders import EmbedderHandle, embed_batch

QUICK = BenchOptions(notes=200, small_ingest=100, small=60, large=200, questions=8, turns=10, commits=2, passages=2)
_SLICE = 100
"""Notes saved in turn here and there, to compare the cost of a note in two stores."""


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
        settle_collector()  # as a server does
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
        await asyncio.to_thread(rig.analyze)
        nodes = (await small.nodes(), await large.nodes())
        say(f"retrieval at {nodes[0]} and {nodes[1]} nodes")
        retrieval = await time_retrieval([small, large], questions=options.questions, vectors=vectors)
        say(f"chat: {options.turns} turns each")
        turns = await time_turns([small, large], turns=options.turns)
        say(f"commits: {options.commits}")
        commits = await time_commits(small, commits=options.commits)
        say(f"ingest: on to {options.small_ingest} and {max(options.notes, options.large)} notes")
        ingest = await _compare_ingest(small, large, options)
        measured = Measured(
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
        return report_of(engine.engine_id, options, measured)


def _store(engine: Engine, vectors: TopicVectors, name: str) -> Store:
    assert engine.embedder is not None  # noqa: S101  # checked by `bench`
    scope = Scope(tenant="measured", user=name)
    return Store(engine=engine, scope=scope, vectors=synthetic_handle(engine.embedder, vectors))


async def _embedder(handle: EmbedderHandle, options: BenchOptions) -> tuple[float, dict[Language, float], float]:
    """Milliseconds: the first vector with loading the weights; a passage of 1 kB in each language; a question."""
    loading, asked = Samples(), Samples()
    with loading.timed():
        await embed_batch(handle, ["warm"], "query")
    found: dict[Language, float] = {}
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
    return replace(base, notes=parsed.notes), parsed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it. Exit code: 0 measured (whether or not targets are met), 1 failed, 2 usage or configuration."""
    options, parsed = options_of(arguments)
    configure_logs()
    leave_when_told()
    errors = console(errors=True)
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
    report.print_to(errors if parsed.json else console())
    if parsed.json:
        sys.stdout.write(report.to_json() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
