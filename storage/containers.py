"""Containers that wait for better texts, because something in them changed."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database import Statement, Transaction
from storage.queries import queries

_SQL = queries("containers")


def touch_statement(uris: Sequence[str]) -> Statement:
    """Say that something in these containers changed."""
    return _SQL["touch"], {"uris": sorted(set(uris))}


async def touch(tx: Transaction, uris: Sequence[str]) -> None:
    """Say that something in these containers changed."""
    await tx.execute(*touch_statement(uris))


async def take(tx: Transaction, *, quiet: float, longest: float, limit: int) -> list[str]:
    """Containers in which nothing changed for `quiet` seconds, or that have waited for `longest`, the deepest first:
    the caller's now."""
    rows = await tx.all(_SQL["take"], {"quiet": quiet, "longest": longest, "limit": limit})
    return sorted((row["uri"] for row in rows), key=lambda uri: (-uri.count("/"), uri))


async def waiting(tx: Transaction) -> int:
    """How many containers wait."""
    row = await tx.one(_SQL["waiting"])
    return int(row["count"]) if row else 0


async def forget(tx: Transaction, uris: Sequence[str]) -> None:
    """These need no texts any more."""
    await tx.execute(_SQL["forget"], {"uris": list(uris)})


async def all_uris(tx: Transaction) -> list[str]:
    """Every container of the tree: folders, sessions, kinds of memory, and their parents."""
    return [row["uri"] for row in await tx.all(_SQL["all"])]
