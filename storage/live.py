"""What is live of an owner as of a pin, with cosines and words: everything the ranker needs, in one round trip."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector.psycopg import HalfVector

from context.types import ContextType
from storage.database import Statement, Transaction
from storage.queries import queries
from storage.vectors import Vector

_SQL = queries("catalog")


class LiveNode(NamedTuple):
    """A live node without its long texts, in the order of the columns of `live`."""

    vid: int
    uri: str
    parent_uri: str | None
    level: int
    is_leaf: bool
    context_type: str
    visibility: str
    session_id: UUID | None
    layer: str
    source_type: str | None
    source_id: str
    pos: int
    norm: float
    prior: float
    length: int
    happened_at: datetime | None
    speaker: str | None
    record_id: UUID | None


@dataclass(frozen=True, slots=True, eq=False)
class LiveRows:
    """One snapshot of an owner.

    Attributes:
        nodes: all live nodes; None when the caller has them.
        moved: what changed since the snapshot that the caller has, if it asked for that.
        cosines: 0-based number of a query to (version ids, their cosines).
        postings: term to (version ids, frequencies).
        refused: versions that this embedder cannot place.
    """

    nodes: list[LiveNode] | None
    cosines: Mapping[int, tuple[NDArray[np.int64], NDArray[np.float64]]]
    postings: Mapping[str, tuple[NDArray[np.int64], NDArray[np.float64]]]
    refused: NDArray[np.int64]
    moved: Moved | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """From an earlier snapshot of an owner to a later one.

    Attributes:
        begun: nodes that began. ended: versions that ended.
        count, total: how many are live at the end, and the sum of their ids: what was erased meanwhile has left no row.
    """

    begun: list[LiveNode]
    ended: frozenset[int]
    count: int
    total: int


async def read_snapshot(
    tx: Transaction,
    *,
    miv: int,
    engine: str,
    vectors: Sequence[Vector],
    terms: Sequence[str],
    kinds: Iterable[ContextType] = ContextType,
    cached: bool = False,
    since: int | None = None,
) -> LiveRows:
    """Everything the ranker needs, in one round trip.

    Args:
        miv: read as of this number.
        vectors: unit query vectors; empty when there is no embedder.
        terms: words of all queries together.
        kinds: what cosines are wanted of.
        cached: the caller has the live nodes of this pin already.
        since: the caller has those of this earlier pin and wants to know what changed.
    """
    statements: list[Statement] = [(_SQL["postings"], {"terms": list(terms)})]
    if vectors:
        values = {
            "queries": [HalfVector(v) for v in vectors],
            "engine": engine,
            "context_types": [kind.value for kind in kinds],
        }
        statements += [(_SQL["cosines"], values), (_SQL["refused"], {"engine": engine})]
    span = {"miv": miv, "since": since}
    if not cached and since is not None:
        statements += [(_SQL["live_since"], span), (_SQL["ended_since"], span), (_SQL["live_sum"], {"miv": miv})]
    elif not cached:
        statements.append((_SQL["live"], {"miv": miv}))
    rows = await tx.pipelined(statements)
    moved = None
    if not cached and since is not None:
        begun, ended, ((count, total),) = rows[-3:]
        moved = Moved([LiveNode(*row) for row in begun], frozenset(row[0] for row in ended), count, total)
    return LiveRows(
        postings={term: (_array(vids, ">i8"), _floats(counts, ">i2")) for term, vids, counts in rows[0]},
        cosines={query - 1: (_array(vids, ">i8"), _floats(found, ">f4")) for query, vids, found in rows[1]}
        if vectors
        else {},
        refused=np.array([row[0] for row in rows[2]] if vectors else [], dtype=np.int64),
        nodes=None if cached or since is not None else [LiveNode(*row) for row in rows[-1]],
        moved=moved,
    )


async def read_nodes(tx: Transaction, *, miv: int) -> list[LiveNode]:
    """All live nodes as of a pin."""
    return [LiveNode(*row) for row in (await tx.pipelined([(_SQL["live"], {"miv": miv})]))[0]]


def _array(raw: bytes, kind: str) -> NDArray[np.int64]:
    return np.frombuffer(raw, dtype=kind).astype(np.int64)


def _floats(raw: bytes, kind: str) -> NDArray[np.float64]:
    return np.frombuffer(raw, dtype=kind).astype(np.float64)
