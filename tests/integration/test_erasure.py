"""A deletion reaches what was distilled for one agent alone, whoever asks for it."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from context.errors import NotFoundError
from context.scope import Scope
from context.types import MemoryType
from context.uri import note_uri
from engine.engine import Engine
from memory import nodes
from memory.erasure import delete_notes
from storage import catalog, clock, events, memories
from storage.events import Event
from tests.support import cluster
from tests.support.engines import memory_record, save_note

CANARY = "kanarik"


async def test_memories_of_an_agent_go_with_their_last_source_and_lose_the_others(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    note = await save_note(engine, scope, f"The word is {CANARY}.")
    uri = str(note_uri(scope.user, note.note_id))
    agent = replace(scope, agent="a1")
    alone = memory_record(f"They say {CANARY}.", uri, agent="a1")
    shared = memory_record("The deploy needs a warm cache.", uri, "pm://user/ann/sessions/s", agent="a1")
    assert alone.memory_type is MemoryType.CASE
    async with engine.database.transaction(agent) as tx:
        miv = await clock.advance(tx, engine=engine.engine_id)
        for record in (alone, shared):
            await memories.insert(tx, record, miv=miv)
            await catalog.insert(tx, [nodes.indexed(record, scope.user)], miv=miv)
        told = [Event(kind="memory.created", uri=nodes.uri_of(record, scope.user)) for record in (alone, shared)]
        await events.put(tx, told, miv=miv)
    async with engine.database.transaction(scope) as tx:  # the user deletes, while no agent or another one answers
        erased = await delete_notes(tx, [note.note_id], engine=engine.engine_id, assets=engine.assets)
    assert (erased.memories_erased, erased.memories_poorer) == (1, 1)
    assert database.tables_with(CANARY) == set()
    async with engine.database.transaction(agent) as tx:
        with pytest.raises(NotFoundError):
            await memories.get(tx, alone.memory_id)
        left = await memories.get(tx, shared.memory_id)
    assert [evidence.source_uri for evidence in left.evidence] == ["pm://user/ann/sessions/s"]
    async with engine.database.transaction(scope) as tx:
        assert await memories.of_ids(tx, [UUID(str(shared.memory_id))]) == [], "it is the agent's alone, as before"
