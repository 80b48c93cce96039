"""Events: the ordered feed of every change, which is the audit trail too. Ids and reasons, never text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from storage.database import Statement, Transaction
from storage.queries import queries

_SQL = queries("records")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened. `kind` is `note.changed`, `resource.projected`, `memory.created`, ..."""

    kind: str
    uri: str | None = None
    digest: bytes | None = None
    reason: str | None = None
    miv: int = 0
    ordinal: int = 0
    at: datetime | None = None


def put_statement(events: Sequence[Event], *, miv: int) -> Statement:
    """Write events of this transaction in order, after those it has written."""
    return _SQL["put_events"], {
        "miv": miv,
        "ordinal": list(range(len(events))),
        "kind": [event.kind for event in events],
        "uri": [event.uri for event in events],
        "digest": [event.digest for event in events],
        "reason": [event.reason for event in events],
    }


async def put(tx: Transaction, events: Sequence[Event], *, miv: int) -> None:
    """Write events of this transaction in order, after those it has written."""
    await tx.execute(*put_statement(events, miv=miv))


async def after(tx: Transaction, *, miv: int = 0, ordinal: int = -1, limit: int = 100) -> list[Event]:
    """The feed after a cursor (miv, ordinal)."""
    rows = await tx.all(_SQL["events_after"], {"miv": miv, "ordinal": ordinal, "limit": limit})
    return [Event(**row) for row in rows]
