"""The figures of a bench run: what was measured, each number under the name that people read, beside its target."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from context.types import Language
from evaluation.commit_speed import CommitTimes
from evaluation.figures import Figure, Report, Section
from evaluation.machine import describe_machine
from evaluation.retrieval_speed import RetrievalTimes
from evaluation.rig import Rig
from evaluation.samples import Samples
from evaluation.stores import Store
from evaluation.turn_speed import TurnTimes

_TARGET_NODES = 10_000
"""The size that the targets of retrieval and of a turn speak of."""


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


@dataclass(slots=True, kw_only=True)
class Measured:
    """What one run found, before it is put into figures. Pairs are of the smaller store and the larger one."""

    rig: Rig
    first_open: float
    second_open: float
    first_vector: float
    passage: dict[Language, float]
    question: float
    nodes: tuple[int, int]
    small: Store
    large: Store
    retrieval: list[RetrievalTimes]
    turns: list[TurnTimes]
    commits: CommitTimes
    ingest: tuple[Samples, Samples]


def report_of(engine_id: str, options: BenchOptions, found: Measured) -> Report:
    """All figures of a run, its machine, and what was synthetic."""
    sections = [
        _start_figures(found),
        _ingest_figures(options, found),
        _retrieval_figures(found),
        _turn_figures(options, found),
        _commit_figures(found),
    ]
    remarks = [
        "Notes and vectors are synthetic (vectors: a topic's real vector and noise); times of the embedder are apart.",
        "A question is searched as two queries, for memories and for resources, as the rules plan it.",
        "A turn includes embedding its question. Its model is the offline brain, whose time is taken off.",
        "A server adds its own queue and network. Statistics of the planner are fresh.",
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
        machine=describe_machine(postgres=found.rig.postgres, embedder=engine_id),
        options=asdict(options),
        sections=sections,
        remarks=remarks,
        details=details,
    )


def _start_figures(found: Measured) -> Section:
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


def _ingest_figures(options: BenchOptions, found: Measured) -> Section:
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


def _retrieval_figures(found: Measured) -> Section:
    figures = []
    for nodes, times in zip(found.nodes, found.retrieval, strict=True):
        for name, samples in (("nothing changed", times.kept), ("after a change", times.changed)):
            note = "live nodes are read anew" if samples is times.changed else "live nodes are at hand"
            figures += [
                Figure(name=f"{nodes:,} nodes, {name}, p50", value=samples.p50, unit="ms", note=note),
                Figure(name=f"{nodes:,} nodes, {name}, p95", value=samples.p95, unit="ms"),
                Figure(
                    name=f"{nodes:,} nodes, {name}, against pgvector",
                    value=samples.p50 / times.plain.p50,
                    unit="x",
                    target=3 if nodes >= _TARGET_NODES else None,
                    note="medians",
                ),
            ]
        note = "ten nearest, behind the same wall"
        figures.append(
            Figure(name=f"{nodes:,} nodes, exact pgvector query, p50", value=times.plain.p50, unit="ms", note=note)
        )
    return Section(title="retrieval, the question's vector given", figures=tuple(figures))


def _turn_figures(options: BenchOptions, found: Measured) -> Section:
    figures = []
    span = min(10, options.turns // 2)
    for nodes, times in zip(found.nodes, found.turns, strict=True):
        target = 60 if nodes >= _TARGET_NODES else None
        early, late = times.ours.between(1, span), times.ours.between(options.turns - span + 1, options.turns)
        figures += [
            Figure(name=f"{nodes:,} nodes, p50", value=times.ours.p50, unit="ms", target=target),
            Figure(name=f"{nodes:,} nodes, p95", value=times.ours.p95, unit="ms"),
            Figure(
                name=f"{nodes:,} nodes, turns {options.turns - span + 1}-{options.turns} against 1-{span}",
                value=late.p50 / early.p50,
                unit="x",
                note="medians; flat is 1",
            ),
            Figure(name=f"{nodes:,} nodes, the offline brain itself, p50", value=times.model.p50, unit="ms"),
        ]
    small, large = found.turns
    figures += [
        Figure(
            name="larger store against smaller",
            value=large.ours.p50 / small.ours.p50,
            unit="x",
            note=f"{found.nodes[1]:,} nodes against {found.nodes[0]:,}",
        ),
        Figure(
            name=f"checkpoint after {options.turns} turns, live",
            value=large.live_bytes,
            unit="bytes",
            target=65_536,
            note="target is for 200 turns",
        ),
        Figure(name=f"checkpoints after {options.turns} turns, stored", value=large.stored_bytes, unit="bytes"),
    ]
    return Section(title="chat turn without its model", figures=tuple(figures))


def _commit_figures(found: Measured) -> Section:
    whole = found.commits.whole
    return Section(
        title="commit of 20 messages, offline rules",
        figures=(
            Figure(name="commit, p50", value=whole.p50, unit="ms", target=1_000, note="no model call"),
            Figure(name="commit, slowest", value=max(whole.milliseconds), unit="ms"),
        ),
    )
