"""The walk over trees small enough to be computed by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from uuid import uuid4

import numpy as np
import pytest

from context.types import ContextType
from retrievers.children import CompositeChildSearchStrategy
from retrievers.fusion import QueryInput, Scored
from retrievers.profile import MEASURED, SEED, RetrievalProfile
from retrievers.snapshot import Flags, Snapshot
from retrievers.walk import Walk, walk
from tests.unit.retrievers.trees import folder, live, snapshot_of

TREE = snapshot_of(
    [
        folder("r"),
        folder("a", "r"),
        folder("b", "r"),
        live("a1", "a"),
        live("a2", "a"),
        live("b1", "b"),
        live("b2", "b"),
    ]
)
SCORES = {"r": 0.4, "a": 0.6, "b": 0.2, "a1": 0.8, "a2": 0.3, "b1": 0.7, "b2": 0.1}


def walked(
    snapshot: Snapshot,
    scores: Mapping[str, float],
    profile: RetrievalProfile,
    *,
    limit: int = 10,
    allowed: Flags | None = None,
) -> Walk:
    """A walk over nodes whose own scores are given; what may not be seen scores minus infinity, as the ranker says."""
    mask = np.ones(len(snapshot.nodes), bool) if allowed is None else allowed
    own = np.array([scores[node.uri] for node in snapshot.nodes])
    total = np.where(mask, own, -np.inf)
    scored = Scored(total=total, parts={"lexical": own}, dense=None, lexical=own, allowed=mask)
    query = QueryInput(text="", words=(), cosines=None, hits={})
    strategy = CompositeChildSearchStrategy(snapshot, [(query, scored)])
    roots = strategy.load_by_uris([snapshot.nodes[place].uri for place in snapshot.roots])
    return walk(
        strategy, roots, is_leaf={node.uri: node.is_leaf for node in snapshot.nodes}, profile=profile, limit=limit
    )


def expanded(found: Walk) -> list[str]:
    return [step["uri"] for step in found.steps if step["step"] == "expand"]


def ranking(found: Walk) -> list[tuple[str, float]]:
    return [(leaf.uri, round(leaf.raw, 12)) for leaf in found.leaves]


def test_in_profile_seed_a_parent_s_score_is_half_of_its_child_s() -> None:
    found = walked(TREE, SCORES, SEED)
    assert expanded(found) == ["a", "r", "b"], "best first: .6, .4, then b at .5 x .2 + .5 x .4 = .3"
    assert [step["score"] for step in found.steps if step["step"] == "expand"] == pytest.approx([0.6, 0.4, 0.3])
    # a2: .5 x .3 + .5 x .6; b2: .5 x .1 + .5 x .3; a1 and b1 keep what they had as starting points.
    assert ranking(found) == [("a1", 0.8), ("b1", 0.7), ("a2", 0.45), ("b2", 0.2)]
    for leaf in found.leaves:
        assert sum(leaf.parts.values()) == pytest.approx(leaf.raw)
    assert found.leaves[2].parts["parent"] == pytest.approx(0.15)


def test_in_profile_measured_every_leaf_keeps_its_own_score() -> None:
    found = walked(TREE, SCORES, MEASURED)
    assert expanded(found) == ["a", "r", "b"]
    assert ranking(found) == [("a1", 0.8), ("b1", 0.7), ("a2", 0.3), ("b2", 0.1)]
    assert not any("parent" in leaf.parts for leaf in found.leaves)


def test_lift_only_lets_a_parent_raise_and_never_lower() -> None:
    lifting = replace(SEED, lift_only=True)
    assert ranking(walked(TREE, SCORES, lifting)) == [("a1", 0.8), ("b1", 0.7), ("a2", 0.45), ("b2", 0.2)]
    scores = {**SCORES, "b": 0.5, "r": 0.1}
    by_profile = {
        profile.lift_only: {step["uri"]: step["score"] for step in walked(TREE, scores, profile, limit=4).steps[1:-1]}
        for profile in (replace(SEED, global_start=0), replace(lifting, global_start=0))
    }
    assert by_profile[False]["b"] == pytest.approx(0.3)
    assert by_profile[True]["b"] == pytest.approx(0.5)


def test_equal_scores_come_in_order_of_their_addresses() -> None:
    found = walked(TREE, dict.fromkeys(SCORES, 0.5), MEASURED)
    assert [leaf.uri for leaf in found.leaves] == ["a1", "a2", "b1", "b2"]


WIDE = snapshot_of(
    [folder(f"c{n}") for n in range(8)]
    + [live("c0/best", "c0")]
    + [live(f"c{n}/x", f"c{n}") for n in range(1, 7)]
    + [live("c7/hidden", "c7")]
)
WIDE_SCORES = {
    **{f"c{n}": 0.9 - n / 10 for n in range(8)},
    "c0/best": 0.95,
    **{f"c{n}/x": 0.05 for n in range(1, 7)},
    "c7/hidden": 0.45,
}


@pytest.mark.parametrize("profile", [MEASURED, SEED])
def test_the_walk_stops_when_its_top_stays_the_same_for_three_rounds(profile: RetrievalProfile) -> None:
    assert expanded(walked(WIDE, WIDE_SCORES, profile, limit=1)) == ["c0", "c1", "c2", "c3"]
    assert len(expanded(walked(WIDE, WIDE_SCORES, profile, limit=8))) == 8, "a top that is not full is no top"


def test_the_global_lane_finds_a_leaf_whose_container_was_never_opened() -> None:
    found = walked(WIDE, WIDE_SCORES, MEASURED, limit=1)
    assert "c7" not in expanded(found)
    assert ranking(found)[:2] == [("c0/best", 0.95), ("c7/hidden", 0.45)]
    assert found.steps[-1]["step"] == "lane"
    assert found.steps[-1]["joined"] > 0


def test_containers_without_a_leaf_that_may_be_seen_are_not_opened() -> None:
    mine, another = uuid4(), uuid4()
    nodes = [
        folder("root"),
        folder("open", "root"),
        live("open/note", "open"),
        folder("chat", "root"),
        folder("chat/stage", "chat"),
        live("chat/stage/1", "chat/stage", visibility="SESSION_ONLY", session_id=another),
        folder("memories", "root"),
        live("memories/1", "memories", context_type="MEMORY"),
        folder("empty", "root"),
        folder("own", "root"),
        live("own/1", "own", visibility="SESSION_ONLY", session_id=mine),
    ]
    snapshot = snapshot_of(nodes)
    scores = dict.fromkeys(snapshot.index, 0.5)

    def seen(kind: ContextType) -> tuple[set[str], set[str]]:
        found = walked(snapshot, scores, MEASURED, allowed=snapshot.allowed(mine, kind))
        return set(expanded(found)), {leaf.uri for leaf in found.leaves}

    assert seen(ContextType.RESOURCE) == ({"root", "open", "own"}, {"open/note", "own/1"})
    assert seen(ContextType.MEMORY) == ({"root", "memories"}, {"memories/1"})
    nowhere = snapshot.allowed(None, ContextType.RESOURCE)
    assert {uri for uri, place in snapshot.index.items() if nowhere[place]} == {"root", "open", "open/note"}
