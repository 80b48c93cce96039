"""Data sets with evidence labels, read from where they lie: LoCoMo, and MemoryBank in Chinese. Nothing is copied.

LoCoMo (Maharana et al., ACL 2024, CC BY-NC 4.0: to measure only) is `locomo10.json`, if wanted with `audit_errors.json`
(corrected citations) beside it. MemoryBank (Zhong et al., AAAI 2024) is `memory_bank_cn.json` with
`evidence_labels.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from context.errors import ConfigurationError
from context.truth import MessageRole

Kind = Literal["locomo", "memorybank"]

LOCOMO_FILE, AUDIT_FILE = "locomo10.json", "audit_errors.json"
BANK_FILE, LABELS_FILE = "memory_bank_cn.json", "evidence_labels.json"
ADVERSARIAL = "5 adversarial"
"""LoCoMo's questions about something that the other speaker said."""

_CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: ADVERSARIAL}
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_NOON = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message. `unit` is what evidence names: LoCoMo's own id of the message, MemoryBank's of the exchange."""

    unit: str
    role: MessageRole
    speaker: str | None
    text: str
    sent_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """What was said in one go: a session of its conversation."""

    key: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with labels.

    Attributes:
        evidence: units that hold the answer, never empty. corrected: the same after an audit of the labels.
        neither: units whose place in a ranking counts neither way.
        dated: a day is named in it.
    """

    text: str
    category: str
    evidence: frozenset[str]
    corrected: frozenset[str]
    neither: frozenset[str] = frozenset()
    dated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledConversation:
    """What one owner said, in order, and the questions about it. `number` is its place in the file, from 0."""

    number: int
    name: str
    sittings: tuple[Sitting, ...]
    questions: tuple[Question, ...]

    @property
    def asked_at(self) -> datetime:
        """When the questions are asked: noon of the day after the last message."""
        last = max(turn.sent_at for sitting in self.sittings for turn in sitting.turns)
        return last.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1) + _NOON

    @property
    def speakers(self) -> tuple[str, ...]:
        """Names of those who speak, in order; empty where nobody has one."""
        return tuple(sorted({turn.speaker for s in self.sittings for turn in s.turns if turn.speaker}))

    def session_of(self) -> dict[str, str]:
        """Unit to the key of its sitting."""
        return {turn.unit: sitting.key for sitting in self.sittings for turn in sitting.turns}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """Conversations of one kind."""

    kind: Kind
    conversations: tuple[LabelledConversation, ...]

    def chosen(self, numbers: Sequence[int] | None, *, questions: int | None) -> DataSet:
        """Only these conversations, and at most so many questions about each; None: all.

        Raises:
            ConfigurationError: a number has no conversation.
        """
        if numbers is not None and (unknown := set(numbers) - {c.number for c in self.conversations}):
            last = self.conversations[-1].number
            raise ConfigurationError(f"There is no conversation {min(unknown)}; there are 0 to {last}.")
        kept = [c for c in self.conversations if numbers is None or c.number in numbers]
        return replace(self, conversations=tuple(replace(c, questions=spread(c.questions, questions)) for c in kept))


def find_sets(path: Path, kind: Kind | None = None) -> list[DataSet]:
    """The data sets at a path: a file, a folder, or the folders in it.

    Args:
        kind: only sets of this kind; None: whichever there are, each once.

    Raises:
        ConfigurationError: there is none, or one cannot be read.
    """
    wanted: tuple[Kind, ...] = (kind,) if kind else ("locomo", "memorybank")
    found = []
    for one in wanted:
        name, read = (LOCOMO_FILE, read_locomo) if one == "locomo" else (BANK_FILE, read_memorybank)
        places = [path] if path.is_file() and (kind or path.name == name) else []
        places += sorted([*path.glob(name), *path.glob(f"*/{name}")]) if path.is_dir() else []
        found += [read(place) for place in places[:1]]
    if not found:
        hint = f"LoCoMo is {LOCOMO_FILE}; MemoryBank is {BANK_FILE} with {LABELS_FILE} beside it."
        raise ConfigurationError(f"There is no labelled data set at {path}.", hint=hint)
    return found


def read_locomo(file: Path) -> DataSet:
    """LoCoMo: every message a turn with its photo's caption; summaries and observations, a model's work, are left out.

    Malformed ids of evidence are repaired and unknown ones dropped; a question without evidence is left out.

    Raises:
        ConfigurationError: the file cannot be read or has another shape.
    """
    rows = _read(file)
    audit = file.with_name(AUDIT_FILE)
    mended = {}
    try:
        for row in _read(audit) if audit.exists() else ():
            if row["error_type"] == "WRONG_CITATION":
                mended[row["question_id"]] = row["correct_evidence"]
        conversations = tuple(_locomo(number, row, mended) for number, row in enumerate(rows))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _misshapen(file, "LoCoMo", error) from error
    return DataSet(kind="locomo", conversations=conversations)


def read_memorybank(file: Path) -> DataSet:
    """MemoryBank: an owner a user, a sitting a day, a unit an exchange of two messages.

    Raises:
        ConfigurationError: a file cannot be read or has another shape.
    """
    bank, labels = _read(file), _read(file.with_name(LABELS_FILE))
    try:
        conversations = tuple(
            _banked(number, name, row["history"], [label for label in labels if label["user"] == name])
            for number, (name, row) in enumerate(bank.items())
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _misshapen(file, "MemoryBank", error) from error
    return DataSet(kind="memorybank", conversations=conversations)


def spread(questions: tuple[Question, ...], most: int | None) -> tuple[Question, ...]:
    """At most so many, spread over all of them: files are sorted by category in part."""
    if most is None or most >= len(questions):
        return questions
    return tuple(questions[place * len(questions) // most] for place in range(most))


def _locomo(number: int, row: Mapping[str, Any], mended: Mapping[str, Sequence[str]]) -> LabelledConversation:
    said = row["conversation"]
    numbers = sorted(int(match[1]) for key in said if (match := _SESSION.fullmatch(key)))
    sittings = []
    for session in numbers:
        began = datetime.strptime(said[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        turns = [_locomo_turn(one, began + timedelta(seconds=n)) for n, one in enumerate(said[f"session_{session}"])]
        if turns:
            sittings.append(Sitting(key=f"D{session}", turns=tuple(turns)))
    known = {turn.unit for sitting in sittings for turn in sitting.turns}
    questions = []
    for place, asked in enumerate(row["qa"]):
        evidence = _evidence(asked["evidence"], known)
        if evidence:
            audited = _evidence(mended.get(f"locomo_{number}_qa{place}", ()), known)
            category = _CATEGORIES[asked["category"]]
            text = str(asked["question"])
            question = Question(text=text, category=category, evidence=evidence, corrected=audited or evidence)
            questions.append(question)
    name = str(row.get("sample_id", number))
    return LabelledConversation(number=number, name=name, sittings=tuple(sittings), questions=tuple(questions))


def _locomo_turn(one: Mapping[str, Any], sent_at: datetime) -> Turn:
    """A message of one of two friends. Both are users with a name: neither is an assistant."""
    caption = one.get("blip_caption")
    text = f"{one['text']} [photo: {caption}]" if caption else one["text"]
    return Turn(unit=one["dia_id"], role=MessageRole.USER, speaker=one["speaker"], text=text, sent_at=sent_at)


def _evidence(given: Sequence[str], known: set[str]) -> frozenset[str]:
    """Ids as they are meant: `D8:6; D9:17` are two, `D:11:26` and `D30:05` are slips of the pen."""
    pairs = [pair for text in given for pair in _EVIDENCE.findall(text)]
    return frozenset(unit for a, b in pairs if (unit := f"D{int(a)}:{int(b)}") in known)


def _banked(
    number: int, name: str, history: Mapping[str, Any], labels: Sequence[Mapping[str, Any]]
) -> LabelledConversation:
    sittings = []
    for day, exchanges in sorted(history.items()):
        at = datetime.fromisoformat(day).replace(tzinfo=UTC) + _NOON
        turns: list[Turn] = []
        for place, exchange in enumerate(exchanges):
            for role, key in ((MessageRole.USER, "query"), (MessageRole.ASSISTANT, "response")):
                when = at + timedelta(seconds=len(turns))
                turns.append(Turn(unit=f"{day}#{place}", role=role, speaker=None, text=exchange[key], sent_at=when))
        if turns:
            sittings.append(Sitting(key=day, turns=tuple(turns)))
    questions = tuple(
        Question(
            text=label["question"],
            category=label["kind"],
            evidence=frozenset(label["evidence"]),
            corrected=frozenset(label["evidence"]),
            neither=frozenset(label["also_relevant"]),
            dated=bool(label["date_anchored"]),
        )
        for label in labels
        if label["evidence"]
    )
    return LabelledConversation(number=number, name=name, sittings=tuple(sittings), questions=questions)


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise ConfigurationError(f"{file} is not JSON: {error}.") from error


def _misshapen(file: Path, kind: str, error: Exception) -> ConfigurationError:
    return ConfigurationError(f"{file} is not shaped like {kind}: {type(error).__name__} {error}.")
