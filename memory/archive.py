"""Archive: claim a stage of a session once, and make its transcript material."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID, uuid5

from context.budget import count_tokens
from context.truth import ChatMessage, ChatSession
from context.types import MemoryPolicy, Visibility
from context.uri import stage_uri
from resources.projector import Projector
from storage import clock, commits, events, resources, sessions
from storage.commits import Commit
from storage.database import Transaction
from storage.events import Event

_COMMITS = UUID("6a1d4c1e-5d2e-4a57-9d0d-0f6b8f6f3c11")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSettings:
    """How much one commit takes; the rest is the next commit.

    Attributes:
        max_messages, max_tokens: of one stage.
        transcript_recall: `user` lets a user find committed stages from other sessions; `session` does not.
    """

    max_messages: int = 200
    max_tokens: int = 24_000
    transcript_recall: Literal["user", "session"] = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A claimed stage: its commit, its session, its messages in order."""

    commit: Commit
    session: ChatSession
    messages: tuple[ChatMessage, ...]


def commit_id_of(session_id: UUID, from_seq: int) -> UUID:
    """The id of the commit that begins after `from_seq`: every process derives the same."""
    return uuid5(_COMMITS, f"{session_id}:{from_seq}")


async def claim(tx: Transaction, session_id: UUID, *, settings: ArchiveSettings) -> Commit | None:
    """Claim the messages after the last commit, or None if there are none or the session leaves nothing behind.

    Fifty callers at once give one archive: the session's row is locked, and the range is claimed by compare-and-set.

    Raises:
        NotFoundError: the session is unknown.
    """
    session = await sessions.get(tx, session_id, lock=True)
    if session.policy is not MemoryPolicy.NORMAL or session.last_seq == session.committed_seq:
        return None
    waiting = await sessions.messages(
        tx, session_id, after=session.committed_seq, upto=session.last_seq, limit=settings.max_messages, oldest=True
    )
    stage = cut(waiting, max_tokens=settings.max_tokens)
    if not stage:
        return None
    commit = Commit(
        commit_id=commit_id_of(session_id, session.committed_seq),
        session_id=session_id,
        from_seq=session.committed_seq,
        upto_seq=stage[-1].seq,
    )
    return commit if await commits.claim(tx, commit) else None


def cut(messages: list[ChatMessage], *, max_tokens: int) -> list[ChatMessage]:
    """The first messages that fit; always at least one, so that a huge message cannot stop its session."""
    kept: list[ChatMessage] = []
    spent = 0
    for message in messages:
        spent += count_tokens(message.content).gate
        if kept and spent > max_tokens:
            break
        kept.append(message)
    return kept


async def load(tx: Transaction, commit_id: UUID, *, lock: bool = False) -> Stage:
    """A commit with its session and messages; with `lock`, the session's row is held (before anything else).

    Raises:
        NotFoundError: unknown, or another owner's.
    """
    commit = await commits.get(tx, commit_id)
    session = await sessions.get(tx, commit.session_id, lock=lock)
    messages = await sessions.messages(tx, commit.session_id, after=commit.from_seq, upto=commit.upto_seq)
    return Stage(commit=commit, session=session, messages=tuple(messages))


async def archive(tx: Transaction, stage: Stage, projector: Projector, *, engine: str, recall: str) -> str | None:
    """Make the stage's transcript material; doing it twice changes nothing. Its address, or None if nobody spoke."""
    if not any(message.content.strip() for message in stage.messages):
        return None
    stands = str(stage_uri(tx.scope.user, stage.session.session_id, stage.messages[0].seq))
    if await resources.of_source(tx, stands):
        return stands
    visibility = Visibility.PRIVATE if recall == "user" else Visibility.SESSION_ONLY
    await sessions.get(tx, stage.session.session_id, lock=True)
    miv = await clock.advance(tx, engine=engine)
    uri = await projector.archive_stage(tx, stage.session, stage.messages, miv=miv, visibility=visibility)
    await events.put(tx, [Event(kind="session.archived", uri=uri)], miv=miv)
    return uri


async def take(tx: Transaction, stage: Stage) -> Stage | None:
    """Become the commit's worker; None if it has ended."""
    fence = await commits.take(tx, stage.commit.commit_id)
    return None if fence is None else replace(stage, commit=replace(stage.commit, fence=fence))
