"""How nodes are found: the Composite strategy over words and vectors, prefetched for one retrieval."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from context.types import ContextType
from retrievers.base import Match
from retrievers.fusion import QueryInput, Scored, words_at
from retrievers.snapshot import Floats, Ints, Snapshot


class CompositeChildSearchStrategy:
    """Vector and keyword search over one snapshot, the best over all queries of a plan. Pure once made.

    Args:
        snapshot: live nodes as of the pin.
        queries: the plan's queries as the database answered them, with their scores, in the same order.
    """

    def __init__(self, snapshot: Snapshot, queries: Sequence[tuple[QueryInput, Scored]]) -> None:
        self._snapshot = snapshot
        self._queries = queries
        self._ranks = [scored.ranks() for _, scored in queries]
        totals = np.stack([scored.total for _, scored in queries])
        self.best: Floats = totals.max(axis=0)
        self._winner: Ints = totals.argmax(axis=0)

    @property
    def snapshot(self) -> Snapshot:
        """What is searched."""
        return self._snapshot

    def search_children(self, parent_uri: str, *, limit: int = 64) -> list[Match]:
        """The best children of a node, by (score descending, uri)."""
        parent = self._snapshot.index.get(parent_uri)
        places = self._snapshot.children.get(parent, []) if parent is not None else []
        return self._top(places, limit)

    def global_search(self, *, limit: int, leaves_only: bool = False) -> list[Match]:
        """The best nodes anywhere."""
        mask = np.isfinite(self.best)
        if leaves_only:
            mask &= self._snapshot.leaf
        places = np.flatnonzero(mask)
        if len(places) > 4 * limit:  # a partial sort first; ties at the cut are decided by address below
            cut = np.partition(self.best[places], -limit)[-limit]
            places = places[self.best[places] >= cut]
        return self._top([int(place) for place in places], limit)

    def load_by_uris(self, uris: Sequence[str]) -> list[Match]:
        """Nodes by address; unknown and invisible ones are left out."""
        places = [self._snapshot.index[uri] for uri in uris if uri in self._snapshot.index]
        return [self.match(place) for place in places if np.isfinite(self.best[place])]

    def match(self, place: int) -> Match:
        """One node with every part of its score."""
        winner = int(self._winner[place])
        _, scored = self._queries[winner]
        node = self._snapshot.nodes[place]
        arms = {name: int(ranks[place]) for name, ranks in self._ranks[winner].items() if ranks[place] > 0}
        return Match(
            uri=node.uri,
            vid=node.vid,
            context_type=ContextType(node.context_type),
            score=0.0,
            raw=float(self.best[place]),
            parts={name: float(values[place]) for name, values in scored.parts.items() if values[place]},
            arms=arms,
            query=winner,
        )

    def with_words(self, match: Match) -> Match:
        """The match with the query's words that occur in it; told of chosen matches only, since it costs a search."""
        query, _ = self._queries[match.query]
        return replace(match, words=words_at(self._snapshot, query, self._snapshot.index[match.uri]))

    def _top(self, places: Sequence[int], limit: int) -> list[Match]:
        allowed = (place for place in places if np.isfinite(self.best[place]))
        nodes = self._snapshot.nodes
        best = heapq.nsmallest(limit, allowed, key=lambda place: (-self.best[place], nodes[place].uri))
        return [self.match(place) for place in best]
