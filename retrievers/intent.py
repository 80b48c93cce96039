"""What a turn needs: a model decides where there is one; rules and a classifier elsewhere, and when it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from context.dates import day_windows
from context.derived import Degradation
from context.errors import ConfigurationError, ModelError
from context.terms import keys_of, terms
from context.text import language_of
from context.types import ContextType, TaskType
from models.chat import structured
from models.intents import Intent, IntentClassifier, IntentGuess
from prompts.library import PromptLibrary
from retrievers.base import MAX_QUERIES, QueryPlan, TimeWindow, TypedQuery

_QUERY_CHARACTERS = 600
_SHORT = 16
_TASK_TYPES = {
    Intent.CHITCHAT: TaskType.CONVERSATIONAL,
    Intent.QUESTION: TaskType.INFORMATIONAL,
    Intent.STATEMENT: TaskType.INFORMATIONAL,
    Intent.CORRECTION: TaskType.INFORMATIONAL,
    Intent.TASK: TaskType.OPERATIONAL,
}
_TYPES = {
    TaskType.OPERATIONAL: (ContextType.SKILL, ContextType.MEMORY, ContextType.RESOURCE),
    TaskType.INFORMATIONAL: (ContextType.MEMORY, ContextType.RESOURCE),
    TaskType.CONVERSATIONAL: (),
}


class PlannedQuery(BaseModel):
    """One search as a model proposes it."""

    query: str
    context_type: Literal["SKILL", "RESOURCE", "MEMORY"]
    intent: str = ""
    priority: int = Field(default=3)


class PlannedTurn(BaseModel):
    """A model's whole answer to `retrieval/intent_analysis`."""

    task_type: Literal["operational", "informational", "conversational"]
    queries: list[PlannedQuery]
    enough_context: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What intent analysis may look at.

    Attributes:
        message: the current one.
        earlier: (role, text) of the last messages before it, oldest first.
        overview: of the session, or empty.
        covered_by_pin: nothing was written since the last answer, so what it said still holds.
    """

    message: str
    earlier: Sequence[tuple[str, str]] = ()
    overview: str = ""
    covered_by_pin: bool = False


class IntentAnalyzer:
    """Turns a message into a plan.

    Args:
        classifier: rules and embeddings, always at hand.
        model: None plans by rules alone.
        deadline: seconds for the model; after that the rules decide, and the plan says so.
    """

    def __init__(
        self,
        *,
        classifier: IntentClassifier,
        prompts: PromptLibrary,
        model: BaseChatModel | None = None,
        deadline: float = 5.0,
    ) -> None:
        self._classifier = classifier
        self._prompts = prompts
        self._model = model
        self._deadline = deadline

    async def analyze(
        self, conversation: Conversation, *, now: datetime, fence: str
    ) -> tuple[QueryPlan, tuple[Degradation, ...]]:
        """The plan of a turn, and what failed while it was made.

        Args:
            now: aware, in the user's zone; relative days are counted from it.
            fence: mark for the data in the prompt.
        """
        degradations: list[Degradation] = []
        try:
            guess = await self._classifier.classify(conversation.message)
        except (ModelError, ConfigurationError) as error:
            degradations.append(Degradation(leg="intent", code="classifier_failed", detail=error.message))
            guess = await IntentClassifier(None).classify(conversation.message)
        plan = by_rules(conversation, guess, now=now)
        if self._model is None or _costs_no_model(guess):
            return plan, tuple(degradations)
        try:
            planned = await self._ask(conversation, now=now, fence=fence)
        except (ModelError, ConfigurationError) as error:
            degradations.append(Degradation(leg="intent", code="model_failed", detail=error.message))
            return replace(plan, source="fallback"), tuple(degradations)
        return _merged(plan, planned, conversation), tuple(degradations)

    async def _ask(self, conversation: Conversation, *, now: datetime, fence: str) -> PlannedTurn:
        assert self._model is not None  # noqa: S101  # the caller checked
        system = self._prompts.render("retrieval/intent_analysis.system")
        user = self._prompts.render(
            "retrieval/intent_analysis.user",
            fence=fence,
            today=now.strftime("%Y-%m-%d %A %Z"),
            overview=conversation.overview,
            messages=[{"role": role, "text": text} for role, text in conversation.earlier],
            message=conversation.message,
        )
        return await structured(
            self._model, PlannedTurn, [SystemMessage(system), HumanMessage(user)], deadline=self._deadline
        )


def by_rules(conversation: Conversation, guess: IntentGuess, *, now: datetime) -> QueryPlan:
    """The plan without a model. Pure."""
    message = conversation.message
    keys = keys_of(message)
    task_type = _TASK_TYPES[guess.intent]
    if guess.special in ("greeting", "thanks", "farewell", "help"):
        task_type = TaskType.CONVERSATIONAL
    query = search_words(message, conversation.earlier, keys)
    queries = tuple(
        TypedQuery(query=query, context_type=kind, intent=guess.intent.value, priority=1) for kind in _TYPES[task_type]
    )
    return QueryPlan(
        task_type=task_type,
        queries=_checked(queries),
        windows=_windows(message, now),
        keys=keys,
        source="rules",
        intent=guess.intent.value,
        special=guess.special,
        language=language_of(message),
    )


def search_words(message: str, earlier: Sequence[tuple[str, str]], keys: Sequence[str]) -> str:
    """What is searched for a message: itself; its keys and both ends if it is long; a short follow-up ("and the
    second one?") together with the user's message before it."""
    text = " ".join(message.split())
    if len(text) > _QUERY_CHARACTERS:
        half = (_QUERY_CHARACTERS - 100) // 2
        return " ".join([*dict.fromkeys(keys[:8]), text[:half], text[-half:]])[: _QUERY_CHARACTERS + 100]
    if len(terms(text)) <= 2 or (len(text) < _SHORT and not keys):
        before = next((said for role, said in reversed(earlier) if role == "user"), "")
        return f"{' '.join(before.split())[:200]} {text}".strip()
    return text


def covered(message: str, earlier: Sequence[tuple[str, str]]) -> bool:
    """Whether the assistant's last messages hold every key of the question, so that nothing needs to be looked up."""
    keys = keys_of(message)
    said = " ".join(text for role, text in earlier if role == "assistant").lower()
    return len(keys) >= 2 and all(key.lower() in said for key in keys)


def _merged(plan: QueryPlan, planned: PlannedTurn, conversation: Conversation) -> QueryPlan:
    """The model's plan, checked: types that fit the task, no duplicates, at most five, windows and keys by rule."""
    task_type = TaskType(planned.task_type)
    allowed = _TYPES[task_type]
    queries = tuple(
        TypedQuery(
            query=" ".join(query.query.split())[:_QUERY_CHARACTERS],
            context_type=ContextType(query.context_type),
            intent=query.intent[:120],
            priority=min(5, max(1, query.priority)),
        )
        for query in planned.queries
        if query.query.strip() and ContextType(query.context_type) in allowed
    )
    enough = planned.enough_context and conversation.covered_by_pin
    enough = enough and covered(conversation.message, conversation.earlier)
    if not queries and task_type is not TaskType.CONVERSATIONAL and not enough:
        queries = tuple(
            TypedQuery(query=plan.queries[0].query if plan.queries else conversation.message[:600], context_type=kind)
            for kind in allowed
        )
    return replace(
        plan, task_type=task_type, queries=() if enough else _checked(queries), source="model", covered=enough
    )


def _checked(queries: Sequence[TypedQuery]) -> tuple[TypedQuery, ...]:
    seen: set[tuple[str, ContextType]] = set()
    kept = []
    for query in sorted(queries, key=lambda query: query.priority):
        key = (query.query.casefold(), query.context_type)
        if query.query.strip() and key not in seen:
            seen.add(key)
            kept.append(query)
    return tuple(kept[:MAX_QUERIES])


def _windows(message: str, now: datetime) -> tuple[TimeWindow, ...]:
    """The days that a message names. Beside a calendar date, relative ones count from it and vague ones say nothing."""
    found = day_windows(message, now=now)
    named = [window for window in found if window.explicit]
    if named and len(named) < len(found):
        anchor = datetime.combine(named[0].first, time(12), tzinfo=now.tzinfo)
        found = [
            *named,
            *(w for w in day_windows(message, now=anchor) if not w.explicit and not w.vague),
        ]
    return tuple(TimeWindow(first=window.first, last=window.last, text=window.text) for window in found)


def _costs_no_model(guess: IntentGuess) -> bool:
    """A greeting is told by rule and never sent to a model."""
    return guess.source == "rules" and guess.special in ("greeting", "thanks", "farewell")
