"""Chat sessions and their messages: truth, and the lease that gives a session one writer at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from context.errors import NotFoundError
from context.truth import ChatMessage, ChatSession, MessageRole, MessageState
from context.types import MemoryPolicy
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("sessions")
LEASE_SECONDS = 30.0
_END = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to write one session for one turn. A higher fence refuses every older holder."""

    session_id: UUID
    turn_id: UUID
    fence: int


async def create(tx: Transaction, session: ChatSession) -> bool:
    """Open a session; True if it did not exist."""
    values = {
        "session_id": session.session_id,
        "agent": session.agent,
        "title": session.title,
        "policy": session.policy.value,
    }
    return await tx.one(_SQL["create"], values) is not None


async def get(tx: Transaction, session_id: UUID, *, lock: bool = False) -> ChatSession:
    """One session; with `lock`, its row is held until the transaction ends.

    Raises:
        NotFoundError: unknown, or another owner's.
    """
    row = await tx.one(_SQL["lock" if lock else "get"], {"session_id": session_id})
    if row is None:
        raise NotFoundError(f"There is no session {session_id}.", zh=f"没有会话 {session_id}。")
    return _session(row)


async def list_sessions(tx: Transaction, *, limit: int = 50) -> list[ChatSession]:
    """Sessions, newest first."""
    return [_session(row) for row in await tx.all(_SQL["list"], {"limit": limit})]


async def take_turn(tx: Transaction, session_id: UUID, turn_id: UUID) -> Lease | None:
    """Become the session's writer, or None while another turn is running.

    The messages of a turn whose lease had expired are marked incomplete: its process is gone.
    """
    values = {"session_id": session_id, "turn_id": turn_id, "seconds": LEASE_SECONDS}
    row = await tx.one(_SQL["take_turn"], values)
    if row is None:
        return None
    if row["expired"] is not None:
        await tx.execute(_SQL["mark_incomplete"], {"session_id": session_id, "turn_id": row["expired"]})
    return Lease(session_id=session_id, turn_id=turn_id, fence=row["fence"])


async def renew_turn(tx: Transaction, lease: Lease) -> bool:
    """Keep the lease; False if it was lost."""
    return await tx.one(_SQL["renew_turn"], {**_lease(lease), "seconds": LEASE_SECONDS}) is not None


async def free_turn(tx: Transaction, lease: Lease) -> bool:
    """End a turn and give the lease back; False if it was lost, and then nothing of the turn may be written."""
    if await tx.one(_SQL["free_turn"], _lease(lease)) is None:
        return False
    await tx.execute(_SQL["mark_complete"], _lease(lease))
    return True


async def abandon_turn(tx: Transaction, lease: Lease) -> None:
    """Give the lease of a turn that failed back at once, and mark its messages incomplete; the next turn need not
    wait. If the turn is resumed before another begins, it can still close."""
    if await tx.one(_SQL["abandon_turn"], _lease(lease)) is not None:
        await tx.execute(_SQL["mark_incomplete"], {"session_id": lease.session_id, "turn_id": lease.turn_id})


async def append(tx: Transaction, session_id: UUID, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Add messages after the last one, each exactly once by its id.

    Returns:
        Those that were new, with their sequence numbers.

    Raises:
        NotFoundError: the session is unknown.
    """
    session = await get(tx, session_id, lock=True)
    known = await tx.all(_SQL["known"], {"message_ids": [message.message_id for message in messages]})
    seen = {row["message_id"] for row in known}
    new: list[ChatMessage] = []
    for message in messages:
        if message.message_id not in seen:
            seen.add(message.message_id)
            new.append(replace(message, seq=session.last_seq + len(new) + 1))
    if not new:
        return []
    columns = {
        "seq": [m.seq for m in new],
        "message_id": [m.message_id for m in new],
        "parent_id": [m.parent_id for m in new],
        "role": [m.role.value for m in new],
        "content": [m.content for m in new],
        "tool": [Jsonb(m.tool) for m in new],
        "state": [m.state.value for m in new],
        "speaker": [m.speaker for m in new],
        "sent_at": [m.sent_at for m in new],
        "zone": [m.zone for m in new],
        "run_id": [m.run_id for m in new],
        "turn_id": [m.turn_id for m in new],
    }
    await tx.execute(_SQL["append"], {"session_id": session_id, **columns})
    title = next((m.content for m in new if m.role is MessageRole.USER), "")
    one_line = " ".join(title[:200].split())[:60]
    await tx.execute(_SQL["set_last"], {"session_id": session_id, "last_seq": new[-1].seq, "title": one_line})
    return new


async def messages(
    tx: Transaction,
    session_id: UUID,
    *,
    after: int = 0,
    upto: int | None = None,
    limit: int = 10_000,
    oldest: bool = False,
) -> list[ChatMessage]:
    """Messages with `after < seq <= upto`, in order; a limit keeps the newest, or the oldest if asked."""
    values = {"session_id": session_id, "after": after, "upto": _END if upto is None else upto, "limit": limit}
    return [_message(row) for row in await tx.all(_SQL["first_range" if oldest else "range"], values)]


async def places(tx: Transaction, session_id: UUID, message_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Where these messages stand in a session, by their ids; one that is not in it is missing."""
    rows = await tx.all(_SQL["places"], {"session_id": session_id, "message_ids": list(message_ids)})
    return {row["message_id"]: row["seq"] for row in rows}


async def mark_branches(tx: Transaction, session_id: UUID, *, current: Sequence[UUID], side: Sequence[UUID]) -> None:
    """Say which messages lie on the branch people stayed on, and which on one they left (`tool["branch"] == "side"`).

    Nothing is written where it is known. The caller holds the session's row, which `append` takes.
    """
    values = {"session_id": session_id, "message_ids": [*current, *side], "side": list(side)}
    await tx.execute(_SQL["mark_branches"], values)


async def set_overview(tx: Transaction, session_id: UUID, overview: str) -> None:
    """Replace the session's working overview."""
    await tx.execute(_SQL["set_overview"], {"session_id": session_id, "overview": overview})


async def set_policy(tx: Transaction, session_id: UUID, policy: MemoryPolicy) -> None:
    """Say what the session may do with memory.

    Raises:
        NotFoundError: the session is unknown.
    """
    if await tx.one(_SQL["set_policy"], {"session_id": session_id, "policy": policy.value}) is None:
        raise NotFoundError(f"There is no session {session_id}.", zh=f"没有会话 {session_id}。")


def _lease(lease: Lease) -> dict[str, UUID | int]:
    return {"session_id": lease.session_id, "turn_id": lease.turn_id, "fence": lease.fence}


def _session(row: DictRow) -> ChatSession:
    return ChatSession(**{**row, "policy": MemoryPolicy(row["policy"])})


def _message(row: DictRow) -> ChatMessage:
    return ChatMessage(**{**row, "role": MessageRole(row["role"]), "state": MessageState(row["state"])})
