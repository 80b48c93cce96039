"""Vectors: which nodes an embedder has seen, what it made of them, and what it refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pgvector.psycopg import HalfVector
from psycopg.rows import DictRow

from storage.database import Transaction
from storage.queries import queries

_SQL = queries("vectors")
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """A live node that an embedder has not seen, and the text it should see."""

    vid: int
    context_type: str
    is_leaf: bool
    title: str
    abstract: str
    body: str | None
    speaker: str | None
    pos: int


async def without_vector(tx: Transaction, *, engine: str, limit: int, below: int = 2**62) -> list[Unembedded]:
    """Live nodes with a version id under `below` that have no vector of this engine, newest first."""
    values = {"engine": engine, "limit": limit, "below": below}
    return [Unembedded(**row) for row in await tx.all(_SQL["without_vector"], values)]


async def count_without_vector(tx: Transaction, *, engine: str) -> int:
    """How many live leaves are found by words only."""
    row = await tx.one(_SQL["count_without_vector"], {"engine": engine})
    return int(row["pending"]) if row else 0


async def put_vectors(tx: Transaction, items: Sequence[Unembedded], vectors: Sequence[Vector], *, engine: str) -> None:
    """Store unit vectors of these nodes."""
    values = {
        "engine": engine,
        "context_type": [item.context_type for item in items],
        "vid": [item.vid for item in items],
        "embedding": [HalfVector(vector) for vector in vectors],
    }
    await tx.execute(_SQL["insert_vectors"], values)


async def turns_near(tx: Transaction, vids: Sequence[int], *, engine: str) -> list[DictRow]:
    """vid, pos, parent_uri and vector of all turns in the stages these versions belong to, in order."""
    cursor = await tx.execute(_SQL["turns_near"], {"vids": list(vids), "engine": engine}, binary=True)
    return await cursor.fetchall()


async def set_norms(tx: Transaction, norms: Mapping[int, float]) -> None:
    """Store the window norm of turns."""
    await tx.execute(_SQL["set_norms"], {"vid": list(norms), "norm": list(norms.values())})
