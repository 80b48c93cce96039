"""Small catalogues in memory, written the way a test reads them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC
from typing import Any

from retrievers.snapshot import Snapshot, build
from storage.live import LiveNode


def live(uri: str, parent: str | None = None, **more: Any) -> LiveNode:
    """A leaf of kind RESOURCE unless `more` says otherwise; its vid follows from its place in `snapshot_of`."""
    values: dict[str, Any] = {
        "vid": 0,
        "level": 2,
        "is_leaf": True,
        "context_type": "RESOURCE",
        "visibility": "PRIVATE",
        "session_id": None,
        "layer": "log",
        "source_type": None,
        "source_id": uri,
        "pos": 0,
        "norm": 1.0,
        "prior": 0.0,
        "length": 0,
        "happened_at": None,
        "speaker": None,
        "record_id": None,
    }
    return LiveNode(**{**values, "uri": uri, "parent_uri": parent, **more})


def folder(uri: str, parent: str | None = None, **more: Any) -> LiveNode:
    """A container."""
    return live(uri, parent, **{"level": 1, "is_leaf": False, **more})


def snapshot_of(nodes: Iterable[LiveNode]) -> Snapshot:
    """Nodes in this order, with version ids 10, 20, 30 and so on."""
    return build([node._replace(vid=10 * place) for place, node in enumerate(nodes, start=1)], UTC)
