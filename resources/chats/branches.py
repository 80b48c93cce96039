"""A tree that is told by parents: its order with one branch last, and the way to one of its nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Final


class Branches:
    """Nodes and their parents, without loops: a loop is cut above one of its nodes.

    Args:
        parents: of each node its parent; None, or one that is unknown, makes it a root.

    Attributes:
        roots: in the order in which they were given.
        loops: how many were cut.
    """

    def __init__(self, parents: Mapping[str, str | None]) -> None:
        self._parents: Final = {
            node: parent if parent is not None and parent in parents else None for node, parent in parents.items()
        }
        self._children: Final[dict[str, list[str]]] = {node: [] for node in parents}
        self.roots: Final[list[str]] = []
        self.loops = 0
        for node, parent in self._parents.items():
            (self.roots if parent is None else self._children[parent]).append(node)
        reached = {node for node, _ in self.in_order()}
        for node in parents:
            if node not in reached:
                self.loops += 1
                self._cut_above(self._on_loop(node))
                reached.update(below for below, _ in self._below(self.roots[-1:], frozenset()))

    def in_order(self, *, last: Set[str] = frozenset()) -> Iterator[tuple[str, str | None]]:
        """Every node with its parent: parents first, and of siblings those in `last` last."""
        return self._below(self.roots, last)

    def path_to(self, node: str | None) -> frozenset[str]:
        """A node and all above it."""
        found = []
        while node is not None:
            found.append(node)
            node = self._parents[node]
        return frozenset(found)

    def is_leaf(self, node: str) -> bool:
        """Whether nothing is below a node."""
        return not self._children[node]

    def _below(self, tops: list[str], last: Set[str]) -> Iterator[tuple[str, str | None]]:
        waiting = _last_first(tops, last)
        while waiting:
            node = waiting.pop()
            yield node, self._parents[node]
            waiting += _last_first(self._children[node], last)

    def _on_loop(self, node: str) -> str:
        """The first node that comes twice on the way up from a node without a root."""
        passed: set[str] = set()
        while node not in passed:
            passed.add(node)
            parent = self._parents[node]
            assert parent is not None  # noqa: S101  # only a root has none
            node = parent
        return node

    def _cut_above(self, node: str) -> None:
        parent = self._parents[node]
        if parent is not None:
            self._children[parent].remove(node)
        self._parents[node] = None
        self.roots.append(node)


def _last_first(siblings: list[str], last: Set[str]) -> list[str]:
    """Siblings as a stack: what is taken from it last is in `last`."""
    return sorted(siblings, key=lambda node: node in last)[::-1]
