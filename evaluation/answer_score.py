"""How good the offline brain's answers are: a small store of notes, questions about it, and questions it cannot answer.

The questions go the shipped way: projector, vectors, retrieval, assembler, offline brain, one session each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from context.errors import ConfigurationError
from context.scope import Scope
from context.truth import Note
from context.uri import note_uri
from engine.engine import Engine
from evaluation.labelled import DATA, rows_of
from evaluation.rig import Say
from graphs.runs import run_turn
from resources.vectors import fill_vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCase:
    """A question.

    Attributes:
        kind: `fact` (same language), `cross` (the note is in the other language), `near` (the notes speak of the thing
            but do not say what is asked) or `unrelated`; the last two cannot be answered.
        notes: keys of the notes that hold the answer. answer: what the answer must quote, byte for byte.
    """

    question: str
    language: str
    kind: str
    notes: tuple[str, ...]
    answer: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOutcome:
    """What was answered; `cited` are keys of notes in the order of the citations."""

    case: AnswerCase
    text: str
    cited: tuple[str, ...]

    @property
    def first_right(self) -> bool:
        """Whether the first citation is of a note that holds the answer."""
        return bool(self.cited) and self.cited[0] in self.case.notes

    @property
    def holds_answer(self) -> bool:
        """Whether everything that had to be said is in the answer."""
        return all(part in self.text for part in self.case.answer)

    @property
    def false(self) -> bool:
        """Whether something was offered as an answer where there is none."""
        return not self.case.notes and bool(self.cited)


def load_cases() -> tuple[dict[str, Note], list[AnswerCase]]:
    """The shipped notes by key, and the questions about them.

    Raises:
        ConfigurationError: the shipped files do not fit together.
    """
    notes = {}
    for row in rows_of(DATA / "offline_notes.jsonl", ("id", "title", "body", "folder", "tags")):
        notes[row["id"]] = Note(
            note_id=_note_id(row["id"]),
            title=row["title"],
            body=row["body"],
            folder=row["folder"],
            tags=tuple(row["tags"]),
            source_name=f"{row['folder']}/{row['title']}.md",
        )
    cases = []
    for row in rows_of(DATA / "offline_answers.jsonl", ("question", "lang", "kind", "notes", "answer")):
        case = AnswerCase(
            question=row["question"],
            language=row["lang"],
            kind=row["kind"],
            notes=tuple(row["notes"]),
            answer=tuple(row["answer"]),
        )
        bodies = "\n".join(notes[key].body for key in case.notes if key in notes)
        if not set(case.notes) <= set(notes) or not all(part in bodies for part in case.answer):
            raise ConfigurationError(f"The notes do not hold what is asked for: {case.question}")
        cases.append(case)
    return notes, cases


async def score_answers(engine: Engine, scope: Scope, say: Say) -> list[AnswerOutcome]:
    """Save the notes as `scope`, give them vectors, and ask every question in a session of its own.

    Raises:
        ConfigurationError: there is no embedder, so this would not be the brain that people meet.
    """
    if engine.embedder is None:
        raise ConfigurationError("Answers cannot be measured without an embedder.", hint=str(engine.degradations))
    notes, cases = load_cases()
    for note in notes.values():
        async with engine.database.transaction(scope) as tx:
            await engine.projector.save_note(tx, note)
    await fill_vectors(engine.database, scope, engine.embedder)
    keys = {str(note_uri(scope.user, note.note_id)): key for key, note in notes.items()}
    outcomes = []
    for number, case in enumerate(cases, start=1):
        outcomes.append(await _asked(engine, scope, case, keys))
        if number % 20 == 0:
            say(f"answers: {number} of {len(cases)}")
    return outcomes


async def _asked(engine: Engine, scope: Scope, case: AnswerCase, keys: dict[str, str]) -> AnswerOutcome:
    state: dict[str, Any] = {}
    async for part in run_turn(engine, scope, uuid4(), case.question):
        if part.kind == "end":
            state = part.value
    uris = [citation["uri"] for citation in state["answer"]["citations"]]
    # A citation names a chunk, one step below its note; anything else (an earlier message) has no key.
    cited = tuple(keys.get(uri) or keys.get(uri.rpartition("/")[0], uri) for uri in uris)
    return AnswerOutcome(case=case, text=str(state["messages"][-1].text), cited=cited)


def share(outcomes: Sequence[AnswerOutcome], what: str) -> float:
    """Share of the outcomes for which a property named `what` holds, 0..1."""
    return sum(bool(getattr(outcome, what)) for outcome in outcomes) / len(outcomes)


def _note_id(key: str) -> UUID:
    return uuid5(NAMESPACE_URL, f"pocketmind:offline-answers:{key}")
