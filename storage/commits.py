"""Session commits: the claim of a range of messages, and the one flip that makes its memories count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from context.errors import NotFoundError
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("commits")


class CommitState(StrEnum):
    """`claimed` and `pending` go on by themselves; `done`, `partial` and `failed` are ends."""

    CLAIMED = "claimed"
    PENDING = "pending"
    DONE = "done"
    PARTIAL = "partial"
    FAILED = "failed"

    @property
    def finished(self) -> bool:
        """Whether memories of this commit have been written and nothing will change."""
        return self in (CommitState.DONE, CommitState.PARTIAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One archived stage: the messages with `from_seq < seq <= upto_seq`."""

    commit_id: UUID
    session_id: UUID
    from_seq: int
    upto_seq: int
    state: CommitState = CommitState.CLAIMED
    fence: int = 0
    reason: str | None = None
    candidates: Sequence[Mapping[str, Any]] = ()
    stats: Mapping[str, Any] = field(default_factory=dict)
    miv: int | None = None
    created_at: datetime | None = None
    finished_at: datetime | None = None


async def claim(tx: Transaction, commit: Commit) -> bool:
    """Claim the range for one archive; False if somebody else has. The session's row must be locked."""
    values = {
        "commit_id": commit.commit_id,
        "session_id": commit.session_id,
        "from_seq": commit.from_seq,
        "upto_seq": commit.upto_seq,
    }
    if await tx.one(_SQL["claim"], values) is None:
        return False
    return await tx.one(_SQL["set_committed"], values) is not None


async def get(tx: Transaction, commit_id: UUID) -> Commit:
    """One commit.

    Raises:
        NotFoundError: unknown, or another owner's.
    """
    row = await tx.one(_SQL["get"], {"commit_id": commit_id})
    if row is None:
        raise NotFoundError(f"There is no commit {commit_id}.", zh=f"没有提交 {commit_id}。")
    return _commit(row)


async def of_session(tx: Transaction, session_id: UUID) -> list[Commit]:
    """The commits of a session in order."""
    return [_commit(row) for row in await tx.all(_SQL["of_session"], {"session_id": session_id})]


async def unfinished(tx: Transaction, session_id: UUID) -> UUID | None:
    """The oldest commit of a session that has not ended, if any."""
    row = await tx.one(_SQL["unfinished"], {"session_id": session_id})
    return row["commit_id"] if row else None


def as_id(text: str) -> UUID:
    """A commit's id from text.

    Raises:
        NotFoundError: it is none, so there is no such commit.
    """
    try:
        return UUID(text)
    except ValueError:
        raise NotFoundError(f"There is no commit {text[:64]!r}.") from None


async def take(tx: Transaction, commit_id: UUID) -> int | None:
    """Become the commit's worker; the fence to write under, or None if it has ended."""
    row = await tx.one(_SQL["take"], {"commit_id": commit_id})
    return int(row["fence"]) if row else None


async def keep_candidates(
    tx: Transaction, commit_id: UUID, fence: int, candidates: Sequence[Mapping[str, Any]]
) -> bool:
    """Keep what extraction proposed before it is used; False if a newer worker took over."""
    values = {"commit_id": commit_id, "fence": fence, "candidates": Jsonb(list(candidates))}
    return await tx.one(_SQL["keep_candidates"], values) is not None


async def flip(tx: Transaction, commit: Commit) -> bool:
    """End a commit in the transaction that holds all its writes; False if it had ended or a newer worker took over."""
    values = {
        "commit_id": commit.commit_id,
        "fence": commit.fence,
        "state": commit.state.value,
        "reason": commit.reason,
        "candidates": Jsonb(list(commit.candidates)),
        "stats": Jsonb(dict(commit.stats)),
        "miv": commit.miv,
    }
    return await tx.one(_SQL["flip"], values) is not None


async def set_state(tx: Transaction, commit_id: UUID, state: CommitState, reason: str) -> None:
    """Say why an unfinished commit waits or failed."""
    await tx.execute(_SQL["set_state"], {"commit_id": commit_id, "state": state.value, "reason": reason})


def _commit(row: DictRow) -> Commit:
    return Commit(**{**row, "state": CommitState(row["state"])})
