"""`pocketmind eval retrieval`: how well what was said is found again, by the shipped path without a chat model.

On a database of its own: labelled conversations are stored and archived as an import does it, embedded by the default
embedder, and asked about through plan and retriever as a turn asks.
"""

from __future__ import annotations

import evaluation.environment  # noqa: F401  # isort: skip  # first: it sets what LangGraph reads when imported

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from context.errors import ConfigurationError
from context.scope import Scope
from engine.engine import Engine, open_engine
from evaluation.ablation import Compared, ablate
from evaluation.datasets import DataSet, Kind, find_sets
from evaluation.figures import Report, Section
from evaluation.kept_vectors import KeptVectors
from evaluation.labelled_store import LabelledStore
from evaluation.machine import describe_machine
from evaluation.retrieval_report import (
    ablation_section,
    abstention_section,
    cost_section,
    locomo_sections,
    memorybank_sections,
    plain_outcomes,
    set_remarks,
)
from evaluation.retrieval_run import STRANGERS, ask_all, ask_strangers, plan_all
from evaluation.retrieval_score import Outcome
from evaluation.rig import Rig
from models.embedders import EmbedderHandle

_NAMES = {"locomo": "LoCoMo", "memorybank": "MemoryBank-zh"}


class Progress(Protocol):
    """Told how far the work is: `storing`, `embedding`, `planning`, `asking`, `refusing` or `ablating`."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalOptions:
    """What is measured.

    Attributes:
        data: a file or folder with data sets. kind: None takes every kind that is there.
        conversations: of LoCoMo, by number; None: all. questions: at most so many about each conversation.
        vectors: folder that keeps vectors between runs; None keeps none.
    """

    data: Path
    kind: Kind | None = None
    conversations: tuple[int, ...] | None = None
    questions: int | None = None
    ablate: bool = False
    vectors: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """A measurement: its report, and what plots are made of, by the name of each data set."""

    report: Report
    outcomes: dict[str, list[Outcome]]
    ablation: dict[str, list[Compared]]


def chosen_sets(options: RetrievalOptions) -> list[DataSet]:
    """The data sets that are asked for, read before anything is started.

    Raises:
        ConfigurationError: there is none, one cannot be read, or nothing of it is left.
    """
    sets = []
    for data in find_sets(options.data, options.kind):
        numbers = options.conversations if data.kind == "locomo" else None
        chosen = data.chosen(numbers, questions=options.questions)
        if not any(conversation.questions for conversation in chosen.conversations):
            raise ConfigurationError(f"There is no question to ask about {_NAMES[data.kind]}.")
        sets.append(chosen)
    return sets


async def evaluate_retrieval(
    rig: Rig, sets: Sequence[DataSet], options: RetrievalOptions, progress: Progress
) -> Evaluated:
    """Measure the sets on the rig's database.

    Raises:
        ConfigurationError: there is no embedder, or kept vectors cannot be read.
    """
    sections: list[Section] = []
    remarks: list[str] = []
    outcomes: dict[str, list[Outcome]] = {}
    ablation: dict[str, list[Compared]] = {}
    async with open_engine(rig.settings()) as engine:
        if engine.embedder is None:
            raise ConfigurationError("There is no embedder here.", hint=str(engine.degradations))
        for data in sets:
            name = _NAMES[data.kind]
            stores = await _stored(engine, engine.embedder, data, options.vectors, progress)
            rig.analyze()
            total = sum(len(store.conversation.questions) for store in stores)
            asked = await plan_all(engine, stores, partial(progress, "planning", total=total))
            found = await ask_all(engine.retriever, asked, partial(progress, "asking", total=total))
            outcomes[name] = found
            sections += locomo_sections(found) if data.kind == "locomo" else memorybank_sections(found)
            sections.append(abstention_section(name, found, await _strangers(engine, stores, progress)))
            sections.append(cost_section(stores, found))
            remarks += set_remarks(data)
            if options.ablate:
                ablation[name] = await ablate(
                    engine, engine.embedder, asked, found, moved=partial(progress, "ablating")
                )
                sections.append(ablation_section(name, ablation[name]))
    numbers = options.conversations
    report = Report(
        title="PocketMind retrieval, without a model",
        machine=describe_machine(postgres=rig.postgres, embedder=engine.engine_id),
        options={
            "sets": [_NAMES[data.kind] for data in sets],
            "conversations": list(numbers) if numbers is not None else "all",
            "questions": options.questions or "all",
            "profile": engine.retriever.profile.name,
        },
        sections=sections,
        remarks=remarks,
        details={
            "outcomes": plain_outcomes(outcomes),
            "ablation": {name: [one.to_json() for one in compared] for name, compared in ablation.items()},
        },
    )
    return Evaluated(report=report, outcomes=outcomes, ablation=ablation)


async def _stored(
    engine: Engine, embedder: EmbedderHandle, data: DataSet, kept_in: Path | None, progress: Progress
) -> list[LabelledStore]:
    """Every conversation as an owner's data, with vectors."""
    stores = [
        LabelledStore(
            conversation=conversation, scope=Scope(tenant="measured", user=f"{data.kind}-{conversation.number}")
        )
        for conversation in data.conversations
    ]
    total = sum(store.turns for store in stores)
    done = 0
    for store in stores:
        await store.bring_in(engine)
        done += store.turns
        progress("storing", done, total)
    done = 0
    with KeptVectors(embedder, kept_in) as kept:
        for store in stores:
            await store.fill(engine, embedder, kept, moved=partial(_embedded, progress, done, total))
            done += store.turns
    return stores


async def _strangers(engine: Engine, stores: Sequence[LabelledStore], progress: Progress) -> list[float]:
    total = sum(min(STRANGERS, len(store.conversation.questions)) for store in stores)
    return await ask_strangers(engine, stores, partial(progress, "refusing", total=total))


def _embedded(progress: Progress, before: int, total: int, done: int, of: int) -> None:
    """An owner's nodes are its turns and some containers, which are not counted."""
    progress("embedding", min(before + done, total), total)
