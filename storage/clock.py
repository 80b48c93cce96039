"""The owner clock: one number for every writing transaction, in commit order; the basis of every snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from storage.database import Transaction
from storage.queries import queries

_SQL = queries("clock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Where one owner stands.

    Attributes:
        miv: the number of the newest writing transaction.
        oldest_miv: nothing older can be read as of its time.
        engine: identity of the embedder whose vectors answer queries.
        shared_miv: the same number for what the tenant shares.
    """

    miv: int
    oldest_miv: int
    engine: str
    shared_miv: int = 0


async def advance(tx: Transaction, *, engine: str) -> int:
    """Take the clock's lock and number this transaction. Take the session's row before, never after.

    Args:
        engine: what a new owner's clock starts with.

    Returns:
        The miv that everything written in this transaction is born or dies with.
    """
    row = await tx.one(_SQL["advance"], {"engine": engine})
    assert row is not None  # noqa: S101  # an upsert that returns always returns
    return int(row["miv"])


async def read(tx: Transaction, *, engine: str) -> Clock:
    """The owner's clock; an owner without one stands at 0 with `engine`."""
    rows = {row["owner_id"]: row for row in await tx.all(_SQL["read"])}
    shared = rows.get("*")
    own = rows.get(tx.scope.user)
    return Clock(
        miv=own["miv"] if own else 0,
        oldest_miv=own["oldest_miv"] if own else 0,
        engine=own["engine"] if own else engine,
        shared_miv=shared["miv"] if shared else 0,
    )


async def take_positions(tx: Transaction, count: int) -> int:
    """Reserve `count` places for dialogue turns and return the first. The clock's lock must be held."""
    row = await tx.one(_SQL["take_positions"], {"count": count})
    assert row is not None  # noqa: S101  # `advance` made the row
    return int(row["first"])


async def hold(tx: Transaction) -> None:
    """Take the clock's lock without numbering the transaction: for whoever has to lock other rows before it is known
    whether anything will be written. Without it, he who holds the clock and waits for those rows would be waited for.
    """
    await tx.execute(_SQL["hold"])


async def see_as(tx: Transaction, agent: str) -> None:
    """See another agent's private rows of the same owner from here on. Whoever does that comes back to his own."""
    await tx.execute(_SQL["see_as"], {"as_agent": agent})


async def switch_engine(tx: Transaction, *, engine: str, agents: Sequence[str] = ()) -> bool:
    """Flip to another embedder if it has seen or refused each of the owner's live nodes; whether it was flipped.

    The clock's lock is taken, so no node can come in between.

    Args:
        agents: those who may have rows that no other agent sees.
    """
    await hold(tx)
    own = tx.scope.agent
    for agent in [*(agent for agent in agents if agent != own), own]:  # the scope's own comes last and stays
        await see_as(tx, agent)
        if await tx.one(_SQL["unseen"], {"engine": engine}) is not None:
            await see_as(tx, own)
            return False
    return await tx.one(_SQL["switch_engine"], {"engine": engine}) is not None
