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


async def without_vector(tx: Transaction, *, engine: str) -> list[int]:
    """Version ids of live nodes that this engine has neither seen nor refused, newest first."""
    return [row["vid"] for row in await tx.all(_SQL["without_vector"], {"engine": engine})]


async def unembedded(tx: Transaction, vids: Sequence[int]) -> list[Unembedded]:
    """What an embedder should see of these versions, newest first; those that are not live any more are left out."""
    return [Unembedded(**row) for row in await tx.all(_SQL["unembedded"], {"vids": list(vids)})]


async def count_without_vector(tx: Transaction, *, engine: str) -> int:
    """How many live leaves are found by words only until this engine has seen them; what it refused is not waiting."""
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


async def refuse(tx: Transaction, reasons: Mapping[int, str], *, engine: str) -> None:
    """Say why these versions have no vector of this engine; it is not asked for one again."""
    values = {"engine": engine, "vid": list(reasons), "reason": list(reasons.values())}
    await tx.execute(_SQL["refuse"], values)


async def refusals(tx: Transaction, *, engine: str) -> dict[str, int]:
    """Why this engine refused live leaves: reason to their number, the most frequent first."""
    return {row["reason"]: row["count"] for row in await tx.all(_SQL["refusals"], {"engine": engine})}


async def turns_near(tx: Transaction, vids: Sequence[int], *, engine: str) -> list[DictRow]:
    """vid, pos, parent_uri and vector of all turns in the stages these versions belong to, in order."""
    cursor = await tx.execute(_SQL["turns_near"], {"vids": list(vids), "engine": engine}, binary=True)
    return await cursor.fetchall()


async def a_turn_of_each_stage(tx: Transaction) -> list[int]:
    """One live turn of every stage, the oldest stage first: what `turns_near` takes to give them all."""
    return [row["vid"] for row in await tx.all(_SQL["a_turn_of_each_stage"])]


async def set_norms(tx: Transaction, norms: Mapping[int, float], *, engine: str) -> None:
    """Store the window norm of turns, if it is this engine that answers the owner's queries: norms of another one would
    spoil its windows."""
    values = {"vid": list(norms), "norm": list(norms.values()), "engine": engine}
    await tx.execute(_SQL["set_norms"], values)


async def agents(tx: Transaction) -> list[str]:
    """Agents that may have rows which no other agent sees: those of the owner's chats."""
    return [row["agent"] for row in await tx.all(_SQL["agents"])]


async def drop_engine(tx: Transaction, *, engine: str, limit: int) -> int:
    """Delete at most so many vectors of an engine that does not answer the owner's queries, and what it refused.

    Returns:
        How many vectors that were; fewer than `limit` when none is left. Always 0 for the engine that answers.
    """
    dropped = (await tx.execute(_SQL["drop_engine"], {"engine": engine, "limit": limit})).rowcount
    if dropped < limit:
        await tx.execute(_SQL["forget_refusals"], {"engine": engine})
    return dropped
