"""Skills for a turn: those resolved for tenant, agent and scene, ranked by words and meaning."""

from __future__ import annotations

import asyncio

import numpy as np

from context.derived import Degradation
from context.errors import ConfigurationError, ModelError
from context.scope import Scope
from context.terms import terms
from context.types import ContextType
from models.embedders import EmbedderHandle, embed_batch
from retrievers.base import Match, TypedQuery
from skills.catalog import SkillCatalog
from skills.descriptor import Resolution, as_nodes
from storage.vectors import Vector

_WORD_WEIGHT = 0.35
_FLOOR = 0.3


class SkillRetriever:
    """Ranks the few skills of a scope; an embedding of a description is kept by its digest."""

    def __init__(self, *, catalog: SkillCatalog, embedder: EmbedderHandle | None) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._vectors: dict[bytes, Vector] = {}

    async def resolve(self, scope: Scope) -> Resolution:
        """The skills of this request; read off the event loop, since they are files."""
        return await asyncio.to_thread(self._catalog.resolve, scope)

    async def retrieve(
        self, scope: Scope, queries: list[TypedQuery], *, limit: int = 3
    ) -> tuple[list[Match], tuple[Degradation, ...]]:
        """The best skills for the queries, and what was degraded.

        Score: cosine, calibrated as for resources, plus the share of the query's words that the description holds.
        """
        if not queries:
            return [], ()
        resolution = await self.resolve(scope)
        nodes = as_nodes(resolution)
        problems: tuple[Degradation, ...] = ()
        if resolution.quarantined:
            detail = f"{len(resolution.quarantined)} skills are quarantined"
            problems = (Degradation(leg="skills", code="skills_quarantined", detail=detail),)
        if not nodes:
            return [], problems
        texts = [f"{node.title}: {node.abstract}" for node in nodes]
        cosines = np.zeros((len(queries), len(nodes)))
        if self._embedder is not None:
            try:
                keys = [node.digest for node in nodes]
                missing = [n for n, key in enumerate(keys) if key not in self._vectors]
                made = await embed_batch(self._embedder, [texts[n] for n in missing], "passage")
                for n, vector in zip(missing, made, strict=True):
                    self._vectors[keys[n]] = vector if vector is not None else np.zeros(1, np.float32)
                asked = await embed_batch(self._embedder, [query.query for query in queries], "query")
                for row, query_vector in enumerate(asked):
                    for column, key in enumerate(keys):
                        known = self._vectors[key]
                        if query_vector is not None and len(known) == len(query_vector):
                            cosines[row, column] = self._calibrated(float(known @ query_vector))
            except (ModelError, ConfigurationError) as error:
                problems = (*problems, Degradation(leg="skills", code="embedder_failed", detail=error.message))
        matches = []
        for column, (node, text) in enumerate(zip(nodes, texts, strict=True)):
            held = set(terms(text))
            best: tuple[float, float, float, int, tuple[str, ...]] = (-1.0, 0.0, 0.0, 0, ())
            for row, query in enumerate(queries):
                words = tuple(dict.fromkeys(word for word in terms(query.query) if word in held))
                share = len(words) / max(1, len(set(terms(query.query))))
                cosine = float(cosines[row, column])  # state takes no numpy numbers
                total = cosine + _WORD_WEIGHT * share
                best = max(best, (total, cosine, _WORD_WEIGHT * share, row, words))
            total, dense, lexical, row, words = best
            if total >= _FLOOR:
                matches.append(
                    Match(
                        uri=node.uri,
                        vid=0,
                        context_type=ContextType.SKILL,
                        score=min(1.0, total),
                        raw=total,
                        parts={"dense": dense, "lexical": lexical},
                        words=words,
                        query=row,
                    )
                )
        matches.sort(key=lambda match: (-match.raw, match.uri))
        return matches[:limit], problems

    def _calibrated(self, cosine: float) -> float:
        assert self._embedder is not None  # noqa: S101  # the caller has one
        low, high = self._embedder.low, self._embedder.high
        return float(np.clip((cosine - low) / (high - low), 0.0, 1.0))
