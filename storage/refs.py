"""References between addresses, and the uses that make an address hot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from context.types import RefType
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("records")


@dataclass(frozen=True, slots=True)
class Usage:
    """How often an address was used as of a pin, and when last."""

    count: int
    used_at: datetime


async def put(tx: Transaction, refs: Iterable[tuple[str, RefType, str]], *, commit_id: UUID | None = None) -> None:
    """Say that addresses point to others: (from, why, to); saying it twice changes nothing."""
    items = list(refs)
    if not items:
        return
    values = {
        "source_uri": [source for source, _, _ in items],
        "ref_type": [kind.value for _, kind, _ in items],
        "target_uri": [target for _, _, target in items],
        "commit_id": commit_id,
    }
    await tx.execute(_SQL["put_refs"], values)


async def of(tx: Transaction, uri: str) -> list[tuple[RefType, str]]:
    """What an address points to."""
    return [(RefType(row["ref_type"]), row["target_uri"]) for row in await tx.all(_SQL["refs_of"], {"uri": uri})]


async def to(tx: Transaction, uri: str) -> list[tuple[str, RefType]]:
    """What points to an address."""
    return [(row["source_uri"], RefType(row["ref_type"])) for row in await tx.all(_SQL["refs_to"], {"uri": uri})]


async def erase(tx: Transaction, uris: Sequence[str]) -> None:
    """Remove references from and to erased addresses and everything under them."""
    prefixes = [uri.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_") + "/%" for uri in uris]
    await tx.execute(_SQL["erase_refs"], {"uris": list(uris), "prefixes": prefixes})


async def count_use(tx: Transaction, uris: Iterable[str], *, commit_id: UUID, miv: int, at: datetime) -> None:
    """Count one use of each address, once per commit."""
    values = {"uris": sorted(set(uris)), "commit_id": commit_id, "miv": miv, "used_at": at}
    await tx.execute(_SQL["put_usage"], values)


async def usage(tx: Transaction, uris: Sequence[str], *, miv: int) -> dict[str, Usage]:
    """Uses of these addresses as of a pin; an unused one is missing."""
    rows = await tx.all(_SQL["usage"], {"uris": list(uris), "miv": miv})
    return {row["uri"]: Usage(row["count"], row["used_at"]) for row in rows}
