"""A snapshot: all live nodes of one owner as of a pin, as flat arrays, kept for the next query of the same pin."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from context.derived import Pin
from context.scope import Scope
from context.types import ContextType, Visibility
from retrievers.base import visible_in
from storage.live import LiveNode, Moved

_NO_DAY = -(10**6)
_CURRENT_LAYERS = frozenset({"project", "whiteboard", "user"})

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Live nodes in ascending order of version id; every array has one value a node.

    Attributes:
        index: address to place; is_leaf: address to whether it is a leaf.
        children: place of a container to the places of its children; parent: the way back, -1 at a root.
        turn_place: position of a dialogue turn to its place, -1 where there is none; as long as the last position.
        days: day number of when it happened in the user's zone, far in the past where unknown.
    """

    nodes: Sequence[LiveNode]
    vids: Ints
    index: dict[str, int]
    is_leaf: dict[str, bool]
    children: dict[int, list[int]]
    parent: Ints
    roots: tuple[int, ...]
    session_only: Flags
    leaf: Flags
    turn: Flags
    resource: Flags
    current_layer: Flags
    position: Ints
    turn_place: Ints
    norm: Floats
    prior: Floats
    length: Floats
    days: Ints
    speakers: NDArray[Any]

    def places(self, vids: Ints) -> Ints:
        """Where these versions stand, -1 for those that are not live."""
        if not len(self.vids):
            return np.full(len(vids), -1, dtype=np.int64)
        found = np.clip(np.searchsorted(self.vids, vids), 0, len(self.vids) - 1)
        return np.where(self.vids[found] == vids, found, -1).astype(np.int64)

    @property
    def settled(self) -> bool:
        """Whether the window norm of every turn is known; until then it is 1, which no window's is."""
        return not bool((self.turn & (self.norm == 1.0)).any())

    def of_kinds(self, kinds: Collection[ContextType]) -> Flags:
        """Which nodes are of these kinds; a catalogue holds resources and memories."""
        resources, others = ContextType.RESOURCE in kinds, bool(set(kinds) - {ContextType.RESOURCE})
        return (self.resource & resources) | (~self.resource & others)

    def allowed(self, session: UUID | None, context_type: ContextType) -> Flags:
        """Which nodes a session may see: leaves of one kind, and the containers on the way to them."""
        mask = ~self.session_only
        for place in np.flatnonzero(self.session_only):
            node = self.nodes[int(place)]
            mask[place] = visible_in(node.visibility, node.session_id, session)
        wanted = self.resource if context_type is ContextType.RESOURCE else ~self.resource
        mask &= wanted & self.leaf
        above = np.unique(self.parent[mask])
        while (above := above[above >= 0]).size:  # at most as often as the tree is deep
            above = above[~mask[above]]
            mask[above] = True
            above = np.unique(self.parent[above])
        return mask


def build(nodes: Sequence[LiveNode], zone: tzinfo) -> Snapshot:
    """Arrays over live nodes (in ascending order of vid)."""
    index = {node.uri: place for place, node in enumerate(nodes)}
    children: dict[int, list[int]] = {}
    roots = []
    above = np.full(len(nodes), -1, dtype=np.int64)
    for place, node in enumerate(nodes):
        parent = index.get(node.parent_uri) if node.parent_uri else None
        if parent is not None:
            above[place] = parent
            children.setdefault(parent, []).append(place)
        elif not node.is_leaf:
            roots.append(place)
    position = np.fromiter((node.pos for node in nodes), np.int64, len(nodes))
    turn_place = np.full(int(position.max(initial=0)) + 1, -1, dtype=np.int64)
    turns = np.flatnonzero(position > 0)
    turn_place[position[turns]] = turns
    return Snapshot(
        nodes=nodes,
        vids=np.fromiter((node.vid for node in nodes), np.int64, len(nodes)),
        index=index,
        is_leaf={node.uri: node.is_leaf for node in nodes},
        session_only=np.fromiter((node.visibility == Visibility.SESSION_ONLY for node in nodes), bool, len(nodes)),
        children=children,
        parent=above,
        roots=tuple(roots),
        leaf=np.fromiter((node.is_leaf for node in nodes), bool, len(nodes)),
        turn=position > 0,
        resource=np.fromiter((node.context_type == ContextType.RESOURCE for node in nodes), bool, len(nodes)),
        current_layer=np.fromiter((node.layer in _CURRENT_LAYERS for node in nodes), bool, len(nodes)),
        position=position,
        turn_place=turn_place,
        norm=np.fromiter((node.norm for node in nodes), np.float64, len(nodes)),
        prior=np.fromiter((node.prior for node in nodes), np.float64, len(nodes)),
        length=np.fromiter((node.length for node in nodes), np.float64, len(nodes)),
        days=np.fromiter(
            (node.happened_at.astimezone(zone).toordinal() if node.happened_at else _NO_DAY for node in nodes),
            np.int64,
            len(nodes),
        ),
        speakers=np.array([(node.speaker or "").lower() for node in nodes], dtype=object),
    )


def advanced(base: Snapshot, moved: Moved, zone: tzinfo) -> Snapshot | None:
    """A snapshot brought up to a later pin; None if something was erased meanwhile, so that it must be read anew."""
    nodes = [node for node in base.nodes if node.vid not in moved.ended] if moved.ended else list(base.nodes)
    nodes = sorted([*nodes, *moved.begun], key=lambda node: node.vid)
    if (len(nodes), sum(node.vid for node in nodes)) != (moved.count, moved.total):
        return None
    return build(nodes, zone)


class SnapshotCache:
    """The snapshots last used, by tenant, owner, agent, embedder and pin; another owner's can never be met.

    Args:
        most: how many to keep.
        most_nodes: larger ones are not kept (memory).
    """

    def __init__(self, *, most: int = 64, most_nodes: int = 50_000) -> None:
        self._most = most
        self._most_nodes = most_nodes
        self._kept: OrderedDict[tuple[str, str, str, str, int], Snapshot] = OrderedDict()

    def get(self, scope: Scope, pin: Pin) -> Snapshot | None:
        """The snapshot of this pin, if it is kept."""
        key = (*_owner(scope, pin), pin.miv)
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def before(self, scope: Scope, pin: Pin) -> tuple[int, Snapshot] | None:
        """The newest kept snapshot of an earlier pin, with its miv."""
        earlier = [key for key in self._kept if key[:4] == _owner(scope, pin) and key[4] < pin.miv]
        newest = max(earlier, key=lambda key: key[4], default=None)
        return (newest[4], self._kept[newest]) if newest else None

    def put(self, scope: Scope, pin: Pin, snapshot: Snapshot) -> None:
        """Keep a snapshot; the one used longest ago goes."""
        if len(snapshot.nodes) > self._most_nodes:
            return
        owner = _owner(scope, pin)
        for key in [key for key in self._kept if key[:4] == owner and key[4] < pin.miv - 2]:
            del self._kept[key]  # a pin that old is asked for again only by a replay
        self._kept[(*owner, pin.miv)] = snapshot
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


def _owner(scope: Scope, pin: Pin) -> tuple[str, str, str, str]:
    """Whose snapshot it is; norms belong to the embedder."""
    return scope.tenant, scope.user, scope.agent, pin.engine
