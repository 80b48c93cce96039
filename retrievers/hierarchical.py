"""The hierarchical retriever: the only public entry of retrieval.

At most four round trips to the database however deep the tree: one pipeline for live nodes, cosines and words, one
read of use counts; everything between is pure.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from weakref import WeakValueDictionary

import numpy as np

from context.derived import Degradation, Pin
from context.errors import ConfigurationError, ModelError
from context.scope import Scope
from context.terms import terms
from context.types import ContextType
from context.when import TIME_TERM, asks_when
from models.embedders import EmbedderHandle, embed_batch
from retrievers.base import HotnessScorer, Match, QueryPlan, RetrievalResult
from retrievers.children import CompositeChildSearchStrategy
from retrievers.fusion import place_cosines, place_words, query_input, score
from retrievers.hotness import DefaultHotnessScorer
from retrievers.profile import MEASURED, RetrievalProfile
from retrievers.snapshot import Snapshot, SnapshotCache, advanced, build
from retrievers.walk import walk
from storage import live, refs
from storage.database import Database
from storage.vectors import Vector

# Lexical coverage alone runs from 0 to 1; a question whose rarer half is found reaches about .4.
_WORDS_LOW, _WORDS_HIGH = 0.0, 0.6
# Of an item just made and never used: sigmoid(log1p(0)) x exp(0).
_FRESH = 0.5
# A good match brings about this much lexical coverage beside its cosine; the scale ends there.
_GOOD_COVERAGE = 0.4


@dataclass(frozen=True, slots=True, eq=False)
class Recall:
    """What one kind of context answered: the scored snapshot, ready to be walked."""

    strategy: CompositeChildSearchStrategy | None
    degradations: tuple[Degradation, ...] = ()
    pending: int = 0


class CatalogHierarchicalRetriever:
    """Retrieval over the catalogue, with the interface that stays stable.

    Args:
        embedder: None searches by words only and says so.
        zone: the user's time zone, for the days that questions name.
    """

    def __init__(
        self,
        *,
        database: Database,
        embedder: EmbedderHandle | None,
        zone: tzinfo,
        profile: RetrievalProfile = MEASURED,
        hotness: HotnessScorer | None = None,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._zone = zone
        self.profile = profile
        self._hotness = hotness or DefaultHotnessScorer(half_life_days=profile.half_life_days)
        self._snapshots = SnapshotCache()
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._readers: WeakValueDictionary[tuple[str, str, str, int], asyncio.Lock] = WeakValueDictionary()

    async def retrieve(
        self, scope: Scope, plan: QueryPlan, *, pin: Pin, now: datetime, limit: int | None = None
    ) -> RetrievalResult:
        """Find what a plan asks for, as of a pin: recall and walk in one."""
        recall = await self.recall(scope, plan, pin=pin, context_type=None)
        return await self.walk(scope, plan, recall, pin=pin, now=now, limit=limit)

    async def recall(self, scope: Scope, plan: QueryPlan, *, pin: Pin, context_type: ContextType | None) -> Recall:
        """Score every live node for the plan's queries of one kind (of every kind if None)."""
        queries = [
            query
            for query in plan.queries
            if query.context_type is not ContextType.SKILL and context_type in (None, query.context_type)
        ]
        if not queries:
            return Recall(None)
        texts = list(dict.fromkeys(query.query for query in queries))  # two kinds are often asked the same
        vectors, degradations = await self._embed(texts, pin)
        words = sorted({word for query in queries for word in terms(query.query)})
        words += [TIME_TERM] if any(asks_when(query.query) for query in queries) else []
        kinds = {query.context_type for query in queries}
        async with self._reading(scope, pin):  # the legs of a turn ask at once: one reads, the others find it
            kept = self._snapshots.get(scope, pin)
            earlier = None if kept else self._snapshots.before(scope, pin)
            async with self._database.transaction(scope) as tx:
                rows = await live.read_snapshot(
                    tx,
                    miv=pin.miv,
                    engine=pin.engine,
                    vectors=vectors,
                    terms=words,
                    kinds=kinds,
                    cached=kept is not None,
                    since=earlier[0] if earlier else None,
                )
                if rows.moved is not None and earlier is not None:
                    kept = advanced(earlier[1], rows.moved, self._zone)
                nodes = rows.nodes
                if kept is None and nodes is None:
                    nodes = await live.read_nodes(tx, miv=pin.miv)
            snapshot = kept or build(nodes or [], self._zone)
            if snapshot.settled:
                self._snapshots.put(scope, pin, snapshot)
        cosines = place_cosines(snapshot, rows.cosines, questions=len(texts)) if vectors else None
        searched = snapshot.leaf & snapshot.of_kinds(kinds)
        searched[(refused := snapshot.places(rows.refused))[refused >= 0]] = False  # they wait for nothing
        pending = int((searched & np.isnan(cosines[0])).sum()) if cosines is not None else 0
        if not snapshot.nodes:
            return Recall(None, degradations)
        if pending == int(searched.sum()):
            cosines = None  # While nothing has a vector yet, words decide alone, as if there were no embedder.
        hits = place_words(snapshot, rows.postings)
        scored = []
        for query in queries:
            own = cosines[texts.index(query.query)] if cosines is not None else None
            given = query_input(query.query, cosines=own, hits=hits, priority=query.priority)
            allowed = snapshot.allowed(scope.session, query.context_type)
            weight = self._embedder.weight if self._embedder else 1.0
            profile = self.profile
            scored.append(
                (given, score(snapshot, given, allowed=allowed, windows=plan.windows, weight=weight, profile=profile))
            )
        if pending:
            detail = f"{pending} items have no vector yet"
            degradations = (*degradations, Degradation(leg="semantic", code="vectors_pending", detail=detail))
        return Recall(CompositeChildSearchStrategy(snapshot, scored), degradations, pending)

    async def walk(
        self, scope: Scope, plan: QueryPlan, recall: Recall, *, pin: Pin, now: datetime, limit: int | None = None
    ) -> RetrievalResult:
        """Walk the tree over a recall, weigh in use, cut at the floor."""
        limit = limit or self.profile.limit
        strategy = recall.strategy
        if strategy is None:
            return RetrievalResult(matches=(), degradations=recall.degradations, pending=recall.pending)
        snapshot = strategy.snapshot
        roots = strategy.load_by_uris([snapshot.nodes[place].uri for place in snapshot.roots])
        found = walk(strategy, roots, is_leaf=snapshot.is_leaf, profile=self.profile, limit=limit)
        ranked = await self._finish(scope, found.leaves[: max(4 * limit, 40)], snapshot, pin=pin, now=now)
        kept = [match for match in ranked if match.score >= self.profile.floor][:limit]
        kept = [strategy.with_words(match) for match in kept]
        cut = {"step": "cut", "floor": self.profile.floor, "below": sum(m.score < self.profile.floor for m in ranked)}
        return RetrievalResult(
            matches=_with_margins(kept),
            degradations=recall.degradations,
            trajectory=(*found.steps, cut),
            pending=recall.pending,
        )

    def calibrated(self, raw: float, *, dense: bool, turn: bool = False) -> float:
        """A raw score on [0, 1]: linear from the embedder's 5th percentile (.05) to its 95th with good lexical coverage
        (.95), clipped; no probability.

        Args:
            dense: whether a cosine is part of it.
            turn: whether that cosine is of a dialogue window, which lies a little higher.
        """
        low, high = (_WORDS_LOW, _WORDS_HIGH)
        if self.profile.fusion == "rrf":
            low, high = 0.0, 2.0 / (self.profile.rrf_k + 1)
        elif dense and self._embedder:
            low, high = self._embedder.low, self._embedder.high + _GOOD_COVERAGE * self._embedder.weight
            raw -= self.profile.turn_shift if turn else 0.0
        return float(np.clip(0.05 + 0.9 * (raw - low) / (high - low), 0.0, 1.0))

    def _warmed(self, semantic: float, heat: float) -> float:
        """(1 - h) x semantic + h x hotness. Where only some kinds are weighed (profile `measured`) the sum is divided
        by what a fresh, never used item gets, so that those kinds keep their place among the others."""
        weight = self.profile.hotness
        mixed = (1 - weight) * semantic + weight * heat
        if self.profile.name == "seed":
            return mixed
        return min(1.0, mixed / (1 - weight + weight * _FRESH))

    def _reading(self, scope: Scope, pin: Pin) -> asyncio.Lock:
        """Held while the live nodes of a pin are read, unless they are at hand."""
        if self._snapshots.get(scope, pin) is not None:
            return asyncio.Lock()
        return self._readers.setdefault((scope.tenant, scope.user, scope.agent, pin.miv), asyncio.Lock())

    async def _finish(
        self, scope: Scope, leaves: Sequence[Match], snapshot: Snapshot, *, pin: Pin, now: datetime
    ) -> list[Match]:
        """Calibrate, and weigh in recent use: final = (1 - h) x score + h x hotness for the kinds the profile names."""
        weight = self.profile.hotness
        hot = [match.uri for match in leaves if match.context_type.value in self.profile.hotness_on] if weight else []
        uses = {}
        if hot:
            async with self._database.transaction(scope) as tx:
                uses = await refs.usage(tx, hot, miv=pin.miv)
        ranked = []
        for match in leaves:
            turn = snapshot.nodes[snapshot.index[match.uri]].pos > 0
            semantic = self.calibrated(match.raw, dense="dense" in match.parts, turn=turn)
            final = semantic
            parts = {**match.parts, "calibrated": semantic}
            if match.uri in hot:
                used = uses.get(match.uri)
                happened = snapshot.nodes[snapshot.index[match.uri]].happened_at
                last = max(filter(None, (used.used_at if used else None, happened)), default=None)
                heat = self._hotness.hotness(active_count=used.count if used else 0, last_used=last, now=now)
                final = self._warmed(semantic, heat)
                parts = {**parts, "hotness": heat}
            ranked.append(replace(match, score=final, parts=parts))
        return sorted(ranked, key=lambda match: (-match.score, -match.raw, match.uri))

    async def _embed(self, texts: Sequence[str], pin: Pin) -> tuple[list[Vector], tuple[Degradation, ...]]:
        """Vectors of all queries in one batch, or none with the reason."""
        if self._embedder is None:
            return [], (Degradation(leg="semantic", code="embedder_missing"),)
        if str(self._embedder.identity) != pin.engine:
            detail = f"index: {pin.engine}, configured: {self._embedder.identity}"
            return [], (Degradation(leg="semantic", code="engine_changed", detail=detail),)
        missing = [text for text in texts if text not in self._vectors]
        try:
            for text, vector in zip(missing, await embed_batch(self._embedder, missing, "query"), strict=True):
                if vector is None:
                    return [], (Degradation(leg="semantic", code="query_not_embeddable"),)
                self._vectors[text] = vector
        except (ModelError, ConfigurationError) as error:
            return [], (Degradation(leg="semantic", code="embedder_failed", detail=error.message),)
        found = [self._vectors[text] for text in texts]
        while len(self._vectors) > 256:
            self._vectors.popitem(last=False)
        return found, ()


def _with_margins(matches: Sequence[Match]) -> tuple[Match, ...]:
    following = [*matches[1:], *matches[-1:]]
    return tuple(replace(m, margin=m.raw - after.raw) for m, after in zip(matches, following, strict=True))
