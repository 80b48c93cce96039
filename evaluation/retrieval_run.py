"""Questions put to labelled stores the way a chat puts them without a model: a plan by rules, then the retriever."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from langchain_core.embeddings import Embeddings

from context.derived import Pin
from context.types import ContextType, TaskType
from engine.engine import Engine
from evaluation.datasets import Question, spread
from evaluation.labelled_store import LabelledStore, counted
from evaluation.retrieval_score import Outcome, first_seen, recall_within
from models.embedders import EmbedderHandle
from retrievers.base import Match, QueryPlan, TypedQuery
from retrievers.hierarchical import CatalogHierarchicalRetriever
from retrievers.hotness import DefaultHotnessScorer
from retrievers.intent import Conversation
from retrievers.profile import RetrievalProfile

BUDGET = 1_400
"""Tokens of the beginning of a ranked list in which evidence is looked for."""
LIMIT = 200
"""Length of a ranked list, the most that `pocketmind retrieve` gives: ten sessions may take a hundred turns."""
STRANGERS = 60
"""Questions of each conversation that are put to another one, where nothing is the right answer."""

_WORD = re.compile(r"(\w+)")

Reached = Callable[[int], None]
"""Told how many questions are answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its plan, made once and put to every retriever that is compared.

    Attributes:
        looked_up: whether a turn of a chat would search; what it would take for small talk is searched all the same,
            as `pocketmind retrieve` does. planning: milliseconds.
    """

    store: LabelledStore
    question: Question
    plan: QueryPlan
    pin: Pin
    now: datetime
    planning: float
    looked_up: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What a retriever found: a turn's list with its time in milliseconds, and the long list that it is the head of."""

    first: Sequence[Match]
    milliseconds: float
    more: Sequence[Match]


async def plan_all(engine: Engine, stores: Sequence[LabelledStore], reached: Reached) -> list[Asked]:
    """Plan every question, asked the day after its conversation ended."""
    asked = []
    for store in stores:
        async with engine.database.transaction(store.scope) as tx:
            pin = await engine.pin(tx, seq=0)
        now = store.conversation.asked_at.astimezone(engine.settings.zone)
        for question in store.conversation.questions:
            began = time.perf_counter()
            plan = await _plan(engine, question.text, now)
            planning = (time.perf_counter() - began) * 1000
            looked_up = bool(plan.of_type(ContextType.RESOURCE))
            plan = plan if looked_up else _searching(plan, question.text)
            asked.append(
                Asked(
                    store=store,
                    question=question,
                    plan=plan,
                    pin=pin,
                    now=now,
                    planning=planning,
                    looked_up=looked_up,
                )
            )
            reached(len(asked))
    return asked


async def ask_all(
    retriever: CatalogHierarchicalRetriever, asked: Sequence[Asked], reached: Reached, *, limit: int = LIMIT
) -> list[Outcome]:
    """Put every question to a retriever. Only the list that a turn would take is timed."""
    outcomes = []
    for one in asked:
        outcomes.append(_outcome(one, await _answered(retriever, one, limit=limit)))
        reached(len(outcomes))
    return outcomes


async def ask_strangers(engine: Engine, stores: Sequence[LabelledStore], reached: Reached) -> list[float]:
    """Put questions of each conversation to the next one, its speakers' names in place of theirs.

    Returns:
        The score of the first result of each, 0 when nothing was found.
    """
    scores: list[float] = []
    for store, other in zip(stores, [*stores[1:], *stores[:1]], strict=True):
        if other is store:
            break
        names = dict(zip(store.conversation.speakers, other.conversation.speakers, strict=False))
        async with engine.database.transaction(other.scope) as tx:
            pin = await engine.pin(tx, seq=0)
        now = other.conversation.asked_at.astimezone(engine.settings.zone)
        for question in spread(store.conversation.questions, STRANGERS):
            text = "".join(names.get(word, word) for word in _WORD.split(question.text))
            plan = await _plan(engine, text, now)
            plan = plan if plan.of_type(ContextType.RESOURCE) else _searching(plan, text)
            asked = Asked(store=other, question=question, plan=plan, pin=pin, now=now, planning=0.0, looked_up=True)
            scores.append(_top(await _answered(engine.retriever, asked, limit=None)))
            reached(len(scores))
    return scores


async def _answered(retriever: CatalogHierarchicalRetriever, asked: Asked, *, limit: int | None) -> Answer:
    """Memories and resources apart and then in one order, as a turn does; with a limit, the long list as well."""
    scope, plan, pin, now = asked.store.scope, asked.plan, asked.pin, asked.now
    began = time.perf_counter()
    recalls = []
    first: list[Match] = []
    for kind in (ContextType.MEMORY, ContextType.RESOURCE):
        if plan.of_type(kind):
            recall = await retriever.recall(scope, plan, pin=pin, context_type=kind)
            first += (await retriever.walk(scope, plan, recall, pin=pin, now=now)).matches
            recalls.append(recall)
    first.sort(key=_order)
    milliseconds = (time.perf_counter() - began) * 1000
    more: list[Match] = []
    for recall in recalls if limit else ():
        more += (await retriever.walk(scope, plan, recall, pin=pin, now=now, limit=limit)).matches
    return Answer(first, milliseconds, sorted(more, key=_order)[:limit])


def _order(match: Match) -> tuple[float, float, str]:
    return -match.score, -match.raw, match.uri


def _top(answer: Answer) -> float:
    return answer.first[0].score if answer.first else 0.0


async def _plan(engine: Engine, text: str, now: datetime) -> QueryPlan:
    plan, _ = await engine.intent.analyze(Conversation(message=text), now=now, fence=engine.fence(f"intent:{text}"))
    return plan


def retriever_of(
    engine: Engine, embedder: EmbedderHandle | None, profile: RetrievalProfile
) -> CatalogHierarchicalRetriever:
    """The shipped retriever with another profile or embedder."""
    return CatalogHierarchicalRetriever(
        database=engine.database,
        embedder=embedder,
        zone=engine.settings.zone,
        profile=profile,
        hotness=DefaultHotnessScorer(half_life_days=profile.half_life_days),
    )


class RememberedQuestions(Embeddings):
    """An embedder that embeds each question once, so that many retrievers may be asked the same."""

    def __init__(self, inner: Embeddings) -> None:
        self._inner = inner
        self._known: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of passages."""
        return self._inner.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        if text not in self._known:
            self._known[text] = self._inner.embed_query(text)
        return self._known[text]

    async def aembed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        if text not in self._known:
            self._known[text] = await self._inner.aembed_query(text)
        return self._known[text]


def _searching(plan: QueryPlan, text: str) -> QueryPlan:
    kinds = (ContextType.MEMORY, ContextType.RESOURCE)
    queries = tuple(TypedQuery(query=text[:600], context_type=kind, priority=1) for kind in kinds)
    return replace(plan, task_type=TaskType.INFORMATIONAL, queries=queries)


def _outcome(asked: Asked, answer: Answer) -> Outcome:
    question, store = asked.question, asked.store
    session_of = store.conversation.session_of()
    uris = [match.uri for match in (*answer.first, *answer.more)]
    found = first_seen(store.units[uri] for uri in uris if uri in store.units)
    ranked = tuple(unit for unit in found if unit not in question.neither)
    return Outcome(
        conversation=store.conversation.number,
        category=question.category,
        question=question.text,
        evidence=question.evidence,
        corrected=question.corrected,
        ranked=ranked,
        evidence_sessions=frozenset(session_of[unit] for unit in question.evidence),
        sessions=first_seen(session_of[unit] for unit in ranked),
        budgets=_budgets(store, ranked, question.evidence, session_of),
        score=_top(answer),
        milliseconds=answer.milliseconds,
        planning=asked.planning,
        looked_up=asked.looked_up,
        dated=question.dated,
    )


def _budgets(
    store: LabelledStore, ranked: Sequence[str], evidence: frozenset[str], session_of: Mapping[str, str]
) -> dict[str, float]:
    """Share of the evidence in the first tokens of a list, by each way to count; a session's header is its day."""
    headers = counted("2023-05-08")
    return {
        name: recall_within(
            ranked,
            evidence,
            budget=BUDGET,
            cost=costs.__getitem__,
            session_of=session_of,
            header=headers[name],
        )
        for name, costs in store.costs.items()
    }
