"""The walk: best first down the tree, until the top does not change any more. Pure over a strategy."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from retrievers.base import Match
from retrievers.profile import RetrievalProfile


class Searchable(Protocol):
    """What the walk needs of a ChildSearchStrategy."""

    def search_children(self, parent_uri: str, *, limit: int = 64) -> Sequence[Match]:
        """The best children of a node."""
        ...

    def global_search(self, *, limit: int, leaves_only: bool = False) -> Sequence[Match]:
        """The best nodes anywhere."""
        ...


@dataclass(frozen=True, slots=True)
class Walk:
    """Leaves by (score descending, uri), and each step that was taken."""

    leaves: tuple[Match, ...]
    steps: tuple[Mapping[str, Any], ...]


def walk(
    strategy: Searchable, roots: Sequence[Match], *, is_leaf: Mapping[str, bool], profile: RetrievalProfile, limit: int
) -> Walk:
    """Search the tree.

    Starting points are the roots and the best nodes anywhere. A child's score is its own, or mixed with its parent's
    where the profile propagates: own = alpha x own + (1 - alpha) x parent (user's architecture document, 9.2). The
    walk stops when the best `limit` leaves have been the same for `patience` rounds. A global lane over all leaves
    joins at the end: the hierarchy lifts, it never filters.

    Args:
        roots: containers without a parent.
        is_leaf: by address, for every node the strategy may return.
    """
    leaves: dict[str, Match] = {}
    steps: list[Mapping[str, Any]] = []
    queue: list[tuple[float, str, float]] = []
    seen: set[str] = set()

    def meet(match: Match, parent_score: float | None) -> None:
        found = _propagated(match, parent_score, profile)
        if is_leaf[found.uri]:
            known = leaves.get(found.uri)
            if known is None or found.raw > known.raw:
                leaves[found.uri] = found
        elif found.uri not in seen:
            seen.add(found.uri)
            heapq.heappush(queue, (-found.raw, found.uri, found.raw))

    starts = [*roots, *strategy.global_search(limit=profile.global_start)]
    for start in starts:
        meet(start, None)
    steps.append({"step": "start", "from": [start.uri for start in starts]})
    unchanged = 0
    top: frozenset[str] = frozenset()
    while queue and unchanged < profile.patience:
        _, uri, score = heapq.heappop(queue)
        children = strategy.search_children(uri, limit=profile.fan_out)
        for child in children:
            meet(child, score)
        now = frozenset(match.uri for match in _ordered(leaves.values())[:limit])
        unchanged = unchanged + 1 if now == top and len(now) >= limit else 0
        top = now
        steps.append({"step": "expand", "uri": uri, "score": score, "children": len(children), "leaves": len(leaves)})
    lane = strategy.global_search(limit=max(limit, profile.fan_out), leaves_only=True)
    joined = [match.uri for match in lane if match.uri not in leaves]
    for match in lane:
        meet(match, None)
    steps.append({"step": "lane", "joined": len(joined)})
    return Walk(tuple(_ordered(leaves.values())), tuple(steps))


def _propagated(match: Match, parent_score: float | None, profile: RetrievalProfile) -> Match:
    if not profile.propagate or parent_score is None:
        return match
    mixed = profile.alpha * match.raw + (1 - profile.alpha) * parent_score
    if profile.lift_only and mixed <= match.raw:
        return match
    return replace(match, raw=mixed, parts={**match.parts, "parent": mixed - match.raw})


def _ordered(matches: Any) -> list[Match]:
    return sorted(matches, key=lambda match: (-match.raw, match.uri))
