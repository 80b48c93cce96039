"""One turn as the offline brain reads it out of the messages: the question, the evidence, the tools' replies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from context.text import language_of
from context.types import Language
from models.answers import EvidenceEntry

CONTEXT_KEY = "pocketmind"
"""Key of `additional_kwargs` under which the context message carries its data; a chat model reads its text instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What there is to answer with.

    Attributes:
        question: the last thing the user said.
        language: of the question; of the context where the question has no words.
        entries: what retrieval found. Skills are left out: they instruct a model, they are no evidence.
        said: what the user said before in this session, oldest first.
        intent: as the analysis upstream left it, or None.
        first_turn: whether this is the first answer of the session.
        leaves_memory: False in a chat whose policy keeps it out of long-term memory.
        degradations: why the evidence may be incomplete, ready to be shown.
        rounds: how often tools were called since the question.
        replies: what the tools answered, failed calls left out.
    """

    question: str
    language: Language
    entries: tuple[EvidenceEntry, ...]
    said: tuple[str, ...]
    intent: Mapping[str, Any] | None
    first_turn: bool
    leaves_memory: bool
    degradations: tuple[str, ...]
    rounds: int
    replies: tuple[str, ...]


def read_turn(messages: Sequence[BaseMessage]) -> Turn:
    """Read the messages; without a context message the turn has no evidence."""
    context: Mapping[str, Any] = {}
    people: list[int] = []
    for place, message in enumerate(messages):
        data = context_of(message)
        if data is not None:
            context = data
        elif isinstance(message, HumanMessage):
            people.append(place)
    last = people[-1] if people else len(messages)
    question = str(messages[last].text) if people else ""
    since = messages[last + 1 :]
    default: Language = "zh" if context.get("language") == "zh" else "en"
    return Turn(
        question=question,
        language=language_of(question, default=default),
        entries=tuple(
            _entry(values) for values in context.get("entries") or () if values.get("context_type") != "SKILL"
        ),
        said=tuple(str(messages[place].text) for place in people[:-1]),
        intent=context.get("intent"),
        first_turn=bool(context.get("first_turn")),
        leaves_memory=context.get("policy") not in ("off", "read_only"),
        degradations=tuple(str(reason) for reason in context.get("degradations") or ()),
        rounds=sum(1 for message in since if isinstance(message, AIMessage) and message.tool_calls),
        replies=tuple(
            str(message.text) for message in since if isinstance(message, ToolMessage) and message.status != "error"
        ),
    )


def context_of(message: BaseMessage) -> Mapping[str, Any] | None:
    """The data of the context message; None for any other message."""
    data = message.additional_kwargs.get(CONTEXT_KEY)
    if isinstance(message, HumanMessage) and isinstance(data, Mapping) and data.get("kind") == "context":
        return data
    return None


def _entry(values: Mapping[str, Any]) -> EvidenceEntry:
    score = float(values.get("score") or 0.0)
    return EvidenceEntry(
        n=int(values.get("n") or 0),
        text=str(values.get("text") or ""),
        title=str(values.get("title") or ""),
        source=str(values.get("source") or ""),
        date=str(values.get("date") or ""),
        layer=str(values.get("layer") or ""),
        context_type=str(values.get("context_type") or "RESOURCE"),
        score=min(1.0, max(0.0, score)) if math.isfinite(score) else 0.0,
    )
