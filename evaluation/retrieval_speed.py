"""How long a retrieval takes, beside one exact pgvector query of the same owner in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from langchain_core.embeddings import Embeddings

from engine.engine import Engine
from evaluation.samples import Samples
from evaluation.stores import Store
from evaluation.synthetic import TopicVectors, synthetic_question
from evaluation.yardsticks import nearest_vectors
from models.embedders import EmbedderHandle
from models.intents import Intent, IntentGuess
from retrievers.base import QueryPlan
from retrievers.hierarchical import CatalogHierarchicalRetriever
from retrievers.hotness import DefaultHotnessScorer
from retrievers.intent import Conversation, by_rules


class GivenVectors(Embeddings):
    """Vectors of questions that were made before, so that no time of an embedder is measured."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The vectors of known texts."""
        return [self._vectors[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a known text."""
        return self._vectors[text]

    async def aembed_query(self, text: str) -> list[float]:
        """The vector of a known text."""
        return self._vectors[text]


@dataclass(slots=True)
class RetrievalTimes:
    """Milliseconds of one store, and how many matches came back in all.

    Attributes:
        kept: nothing was written since the last retrieval. changed: the first one after a change, which reads the
            live nodes anew. plain: the exact pgvector query.
    """

    kept: Samples = field(default_factory=Samples)
    changed: Samples = field(default_factory=Samples)
    plain: Samples = field(default_factory=Samples)
    matches: int = 0


async def time_retrieval(stores: Sequence[Store], *, questions: int, vectors: TopicVectors) -> list[RetrievalTimes]:
    """Ask every store the same questions, in turn, so that whatever else the machine does meets all of them alike."""
    texts = [synthetic_question(number, series="retrieval") for number in range(questions)]
    given = {text: vectors.embed_query(text) for text in texts}
    embedder = replace(stores[0].vectors, embeddings=GivenVectors(given))
    times = [RetrievalTimes() for _ in stores]
    await _ask(stores[0], texts[0], embedder, RetrievalTimes(), given)  # first calls pay for imports and statements
    for text in texts:
        for store, found in zip(stores, times, strict=True):
            await _ask(store, text, embedder, found, given)
    return times


async def _ask(
    store: Store, text: str, embedder: EmbedderHandle, times: RetrievalTimes, given: dict[str, list[float]]
) -> None:
    engine, scope = store.engine, store.scope
    async with engine.database.transaction(scope) as tx:
        pin = await engine.pin(tx, seq=0)
    plan = _plan(engine, text)
    retriever = _retriever(engine, embedder)  # a new one has kept nothing
    for samples in (times.changed, times.kept):
        with samples.timed():
            found = await retriever.retrieve(scope, plan, pin=pin, now=engine.now())
    times.matches += len(found.matches)
    vector = np.asarray(given[text], dtype=np.float32)
    with times.plain.timed():
        async with engine.database.transaction(scope) as tx:
            await nearest_vectors(tx, vector, engine=pin.engine)


def _plan(engine: Engine, text: str) -> QueryPlan:
    """The plan that the rules make for a question: one query for memories, one for resources."""
    guess = IntentGuess(intent=Intent.QUESTION, confidence=1.0, source="rules", language="en")
    return by_rules(Conversation(message=text), guess, now=engine.now())


def _retriever(engine: Engine, embedder: EmbedderHandle) -> CatalogHierarchicalRetriever:
    profile = engine.retriever.profile
    return CatalogHierarchicalRetriever(
        database=engine.database,
        embedder=embedder,
        zone=engine.settings.zone,
        profile=profile,
        hotness=DefaultHotnessScorer(half_life_days=profile.half_life_days),
    )
