"""Sessions: messages stored once and in order, and the lease that gives a session one writer."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from context.errors import NotFoundError
from context.scope import Scope
from context.truth import ChatMessage, ChatSession, MessageRole, MessageState
from context.types import MemoryPolicy
from engine.engine import Engine
from storage import sessions
from storage.sessions import Lease
from tests.support import cluster
from tests.support.engines import tell


def said(text: str, *, turn_id: UUID | None = None) -> ChatMessage:
    return ChatMessage(
        message_id=uuid4(), role=MessageRole.USER, content=text, sent_at=datetime.now(UTC), turn_id=turn_id
    )


async def texts(engine: Engine, scope: Scope, session_id: UUID) -> list[str]:
    async with engine.database.transaction(scope) as tx:
        found = await sessions.messages(tx, session_id)
    assert [message.seq for message in found] == list(range(1, len(found) + 1))
    return [message.content for message in found]


async def test_a_message_is_stored_once_by_its_id_however_often_it_comes(engine: Engine, scope: Scope) -> None:
    session_id = await tell(engine, scope, "first 第一")
    messages = [said(f"message {number}") for number in range(10)]

    async def deliver(seed: int) -> list[ChatMessage]:
        shuffled = random.Random(seed).sample([*messages, *messages], 20)
        async with engine.database.transaction(scope) as tx:
            return await sessions.append(tx, session_id, shuffled)

    stored = await asyncio.gather(*(deliver(seed) for seed in range(8)))
    assert sorted(len(new) for new in stored) == [0] * 7 + [10]
    kept = await texts(engine, scope, session_id)
    assert kept[0] == "first 第一"
    assert sorted(kept[1:]) == sorted(message.content for message in messages)


async def test_parallel_writers_are_put_in_one_order(engine: Engine, scope: Scope) -> None:
    session_id = await tell(engine, scope, "start")

    async def write(writer: int) -> None:
        for number in range(5):
            async with engine.database.transaction(scope) as tx:
                await sessions.append(tx, session_id, [said(f"{writer}.{number}")])

    await asyncio.gather(*(write(writer) for writer in range(6)))
    kept = await texts(engine, scope, session_id)
    assert len(kept) == 31
    for writer in range(6):
        assert [text for text in kept if text.startswith(f"{writer}.")] == [f"{writer}.{n}" for n in range(5)]
    async with engine.database.transaction(scope) as tx:
        session = await sessions.get(tx, session_id)
        newest = await sessions.messages(tx, session_id, limit=3)
        oldest = await sessions.messages(tx, session_id, after=1, limit=3, oldest=True)
    assert (session.title, session.last_seq, session.committed_seq) == ("start", 31, 0)
    assert [[m.seq for m in newest], [m.seq for m in oldest]] == [[29, 30, 31], [2, 3, 4]]


async def test_a_message_of_an_unknown_session_is_refused(engine: Engine, scope: Scope) -> None:
    async with engine.database.transaction(scope) as tx:
        with pytest.raises(NotFoundError):
            await sessions.append(tx, uuid4(), [said("nowhere")])
        with pytest.raises(NotFoundError):
            await sessions.set_policy(tx, uuid4(), MemoryPolicy.OFF)


async def test_opening_a_session_twice_leaves_it_as_it_is(engine: Engine, scope: Scope) -> None:
    session_id = uuid4()
    async with engine.database.transaction(scope) as tx:
        assert await sessions.create(tx, ChatSession(session_id=session_id, title="旅行", policy=MemoryPolicy.OFF))
        assert not await sessions.create(tx, ChatSession(session_id=session_id, title="other"))
        kept = await sessions.get(tx, session_id)
        assert [s.session_id for s in await sessions.list_sessions(tx)] == [session_id]
    assert (kept.title, kept.policy) == ("旅行", MemoryPolicy.OFF)


# -- the lease -------------------------------------------------------------------------------------------------------


async def take(engine: Engine, scope: Scope, session_id: UUID, turn_id: UUID | None = None) -> Lease | None:
    async with engine.database.transaction(scope) as tx:
        return await sessions.take_turn(tx, session_id, turn_id or uuid4())


def expire(database: cluster.Database) -> None:
    database.rows("update pm.chat_session set turn_until = now() - interval '1 second'")


async def test_of_twenty_turns_at_once_one_gets_the_session(engine: Engine, scope: Scope) -> None:
    session_id = await tell(engine, scope, "busy")
    leases = await asyncio.gather(*(take(engine, scope, session_id) for _ in range(20)))
    won = [lease for lease in leases if lease is not None]
    assert len(won) == 1
    again = await take(engine, scope, session_id, won[0].turn_id)
    assert again == won[0], "the turn that holds it may take it again after a restart"
    async with engine.database.transaction(scope) as tx:
        assert await sessions.free_turn(tx, won[0])
    freed = await take(engine, scope, session_id)
    assert freed is not None and freed.fence > won[0].fence


async def test_an_expired_turn_is_marked_and_its_late_answer_refused(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    session_id = await tell(engine, scope, "before")
    first = await take(engine, scope, session_id)
    assert first is not None
    async with engine.database.transaction(scope) as tx:
        await sessions.append(tx, session_id, [said("asked, never answered", turn_id=first.turn_id)])
    assert await take(engine, scope, session_id) is None
    expire(database)
    second = await take(engine, scope, session_id)
    assert second is not None and second.fence == first.fence + 1
    async with engine.database.transaction(scope) as tx:
        states = {message.content: message.state for message in await sessions.messages(tx, session_id)}
        assert states == {"before": MessageState.COMPLETE, "asked, never answered": MessageState.INCOMPLETE}
        assert not await sessions.renew_turn(tx, first)
        assert not await sessions.free_turn(tx, first)
        assert await sessions.renew_turn(tx, second)
    async with engine.database.transaction(scope) as tx:
        await sessions.abandon_turn(tx, first)  # a late failure of the old turn frees nothing
    assert await take(engine, scope, session_id) is None
    async with engine.database.transaction(scope) as tx:
        assert await sessions.free_turn(tx, second)


async def test_a_failed_turn_frees_the_session_and_may_still_be_resumed(engine: Engine, scope: Scope) -> None:
    session_id = await tell(engine, scope, "before")
    lease = await take(engine, scope, session_id)
    assert lease is not None
    async with engine.database.transaction(scope) as tx:
        await sessions.append(tx, session_id, [said("a question", turn_id=lease.turn_id)])
        await sessions.abandon_turn(tx, lease)
        assert (await sessions.messages(tx, session_id))[-1].state is MessageState.INCOMPLETE
        assert await sessions.free_turn(tx, lease), "resumed before anybody else began"
        await sessions.abandon_turn(tx, lease)  # cancelled after its end: an answer that was given stays whole
        assert (await sessions.messages(tx, session_id))[-1].state is MessageState.COMPLETE
    assert await take(engine, scope, session_id) is not None
    async with engine.database.transaction(scope) as tx:
        assert not await sessions.free_turn(tx, lease), "somebody else has begun"
