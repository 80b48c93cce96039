"""`make eval`: how good the offline brain is, in Chinese and English alike: intents, statements, answers.

No model, no network; each figure stands beside what was promised for it.
"""

from __future__ import annotations

import evaluation.environment  # noqa: F401  # isort: skip  # first: it sets what LangGraph reads when imported

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from context.errors import ConfigurationError, PocketMindError
from engine.engine import open_engine
from engine.logs import configure_logs
from evaluation.answer_score import AnswerOutcome, score_answers, share
from evaluation.extraction_score import ExtractionOutcome, precision, recall, score_statements
from evaluation.figures import Figure, Report, Section, console
from evaluation.intent_score import IntentOutcome, accuracy, macro_f1, score_intents
from evaluation.labelled import UNSEEN_INTENTS, statement_sets
from evaluation.machine import describe_machine
from evaluation.rig import Rig, Say, leave_when_told, own_database
from models.intents import IntentClassifier

PARTS = ("intents", "statements", "answers")
_LANGUAGES = ("zh", "en")
_INTENT_F1, _PRECISION, _RECALL = 85.0, 95.0, 85.0
"""Percent, for each language: what the offline brain promises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineOptions:
    """What is measured, and on which sets."""

    parts: tuple[str, ...] = PARTS
    intents: Path = UNSEEN_INTENTS
    statements: tuple[Path, ...] = field(default_factory=statement_sets)
    misses: bool = False


async def evaluate_offline(rig: Rig, options: OfflineOptions, say: Say) -> Report:
    """Measure the parts that are asked for, on the rig's database.

    Raises:
        ConfigurationError: a set cannot be used, or there is no embedder.
    """
    sections: list[Section] = []
    misses: list[str] = []
    remarks: list[str] = []
    async with open_engine(rig.settings()) as engine:
        if engine.embedder is None:
            raise ConfigurationError("The offline brain has no embedder here.", hint=str(engine.degradations))
        if "intents" in options.parts:
            say("intents")
            intents = await score_intents(options.intents, IntentClassifier(engine.embedder.embeddings))
            sections.append(_intent_section(intents))
            misses += [
                f"intent: {o.text!r} is {o.true}, guessed {o.guessed} ({o.source})" for o in intents if not o.right
            ]
        if "statements" in options.parts:
            if not options.statements:
                remarks.append("Statements were not measured: tests/unit/memory holds no statements*.jsonl.")
            else:
                remarks.append("Misses of both sets were mended: on new sentences expect less (docs/benchmarks.md).")
            for path in options.statements:
                say(f"statements: {path.name}")
                read = await asyncio.to_thread(score_statements, path)
                sections.append(_statement_section(path, read))
                misses += [line for outcome in read for line in _statement_misses(path, outcome)]
        if "answers" in options.parts:
            say("answers: notes and vectors")
            answers = await score_answers(engine, engine.local_scope(), say)
            sections.append(_answer_section(answers))
            misses += [line for outcome in answers if (line := _answer_miss(outcome))]
            remarks.append("No target was set for answers; false answers to near questions are the ones to watch.")
    return Report(
        title="PocketMind offline brain",
        machine=describe_machine(postgres=rig.postgres, embedder=engine.engine_id),
        options={"parts": list(options.parts), "sets": [path.name for path in (options.intents, *options.statements)]},
        sections=sections,
        remarks=remarks,
        details={"misses": misses} if options.misses else {},
    )


def _intent_section(outcomes: Sequence[IntentOutcome]) -> Section:
    figures = []
    for language in _LANGUAGES:
        own = [outcome for outcome in outcomes if outcome.language == language]
        if own:
            note = f"{len(own)} sentences"
            figures += [
                _percent(f"intent, {language}, macro-F1", macro_f1(own), target=_INTENT_F1, note=note),
                _percent(f"intent, {language}, accuracy", accuracy(own)),
            ]
    return Section(title="intent of unseen sentences", figures=tuple(figures))


def _statement_section(path: Path, outcomes: Sequence[ExtractionOutcome]) -> Section:
    figures = []
    for language in _LANGUAGES:
        own = [outcome for outcome in outcomes if outcome.language == language]
        if own:
            facts = sum(outcome.right + len(outcome.missed) for outcome in own)
            note = f"{len(own)} texts, {facts} facts"
            name = f"{path.stem}, {language}"
            figures += [
                _percent(f"{name}, precision", precision(own), target=_PRECISION, note=note),
                _percent(f"{name}, recall", recall(own), target=_RECALL),
            ]
    return Section(title=f"explicit statements: {path.name}", figures=tuple(figures))


def _answer_section(outcomes: Sequence[AnswerOutcome]) -> Section:
    figures = []
    for language in _LANGUAGES:
        own = [outcome for outcome in outcomes if outcome.case.language == language]
        answerable = [outcome for outcome in own if outcome.case.notes]
        figures += [
            _percent(
                f"answers, {language}, first citation right",
                share(answerable, "first_right"),
                note=f"{len(answerable)} questions, {sum(o.case.kind == 'cross' for o in answerable)} across languages",
            ),
            _percent(f"answers, {language}, answer quoted", share(answerable, "holds_answer")),
        ]
        for kind, name in (("near", "near misses"), ("unrelated", "unrelated questions")):
            cannot = [outcome for outcome in own if outcome.case.kind == kind]
            figures.append(
                _percent(f"answers, {language}, false, {name}", share(cannot, "false"), note=f"{len(cannot)} questions")
            )
    return Section(title="answers out of 40 notes", figures=tuple(figures))


def _percent(name: str, value: float, *, target: float | None = None, note: str = "") -> Figure:
    return Figure(name=name, value=100 * value, unit="%", target=target, bound="at least", note=note)


def _statement_misses(path: Path, outcome: ExtractionOutcome) -> list[str]:
    return [
        *(f"{path.stem}: wrong in {outcome.text!r}: {found}" for found in outcome.wrong),
        *(f"{path.stem}: missed in {outcome.text!r}: {label}" for label in outcome.missed),
    ]


def _answer_miss(outcome: AnswerOutcome) -> str:
    case, said = outcome.case, " ".join(outcome.text.split("\n\n")[0].split())[:160]  # what follows is the notice
    if outcome.false:
        return f"answer ({case.kind}): {case.question!r} has none, said: {said}"
    if case.notes and not (outcome.first_right and outcome.holds_answer):
        wanted = f"{'/'.join(case.notes)}: {' + '.join(case.answer)}"
        return f"answer ({case.kind}): {case.question!r} wants {wanted}, cited {list(outcome.cited)}, said: {said}"
    return ""


def options_of(arguments: Sequence[str] | None = None) -> tuple[OfflineOptions, argparse.Namespace]:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="pocketmind eval offline", description=__doc__)
    parser.add_argument("--part", action="append", choices=PARTS, help="measure only this part (may be repeated)")
    parser.add_argument("--intents", type=Path, help="another labelled set of intents (JSON lines)")
    parser.add_argument("--statements", type=Path, action="append", help="another set of statements (may be repeated)")
    parser.add_argument("--misses", action="store_true", help="list what went wrong")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout, the table on stderr")
    parser.add_argument("--home", type=Path, help="home of an embedded PostgreSQL to use (default: a temporary one)")
    parsed = parser.parse_args(arguments)
    chosen: dict[str, Any] = {"misses": parsed.misses}
    if parsed.part:
        chosen["parts"] = tuple(part for part in PARTS if part in parsed.part)
    if parsed.intents:
        chosen["intents"] = parsed.intents
    if parsed.statements:
        chosen["statements"] = tuple(parsed.statements)
    return OfflineOptions(**chosen), parsed


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
            report = asyncio.run(evaluate_offline(rig, options, say))
    except PocketMindError as error:
        errors.print(f"eval: {error.message} {error.hint or ''}", markup=False)
        return 2 if isinstance(error, ConfigurationError) else 1
    shown = errors if parsed.json else console()
    report.print_to(shown)
    for line in report.details.get("misses", ()):
        shown.print(line, markup=False, highlight=False, soft_wrap=True)
    if parsed.json:
        sys.stdout.write(report.to_json() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
