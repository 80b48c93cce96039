"""A snapshot brought up to date is the one that would be read anew, whatever happened in between."""

from __future__ import annotations

import random
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from context.scope import Scope
from context.truth import Note
from engine.engine import Engine
from memory.erasure import delete_notes
from resources.background import tell_containers
from retrievers.snapshot import advanced, build
from storage import clock, live
from tests.support.engines import save_note


async def miv_of(engine: Engine, scope: Scope) -> int:
    async with engine.database.transaction(scope) as tx:
        return (await clock.read(tx, engine="x")).miv


@pytest.mark.parametrize("seed", range(4))
async def test_changes_bring_a_snapshot_to_what_a_reading_gives(engine: Engine, scope: Scope, seed: int) -> None:
    chance = random.Random(seed)
    notes: list[Note] = [await save_note(engine, scope, f"note {number}", title=f"n{number}") for number in range(4)]
    zone = engine.settings.zone
    erased = False
    async with engine.database.transaction(scope) as tx:
        then = (await clock.read(tx, engine="x")).miv
        base = build(await live.read_nodes(tx, miv=then), zone)
    for _ in range(6):
        match chance.choice(["add", "edit", "move", "tell", "erase"]):
            case "add":
                notes.append(await save_note(engine, scope, f"more {uuid4()}", title="more"))
            case "edit":
                notes[0] = await save_note(engine, scope, f"edited {uuid4()}", note_id=notes[0].note_id)
            case "move":
                moved = replace(notes[1], folder=f"folder {chance.randrange(3)}")
                async with engine.database.transaction(scope) as tx:
                    await engine.projector.save_note(tx, moved)
            case "tell":
                await tell_containers(engine.database, scope, engine.projector, quiet=0)
            case _ if len(notes) > 3:
                gone: UUID = notes.pop().note_id
                async with engine.database.transaction(scope) as tx:
                    await delete_notes(tx, [gone], engine=engine.engine_id, assets=engine.assets)
                erased = True
    now = await miv_of(engine, scope)
    async with engine.database.transaction(scope) as tx:
        rows = await live.read_snapshot(tx, miv=now, engine="x", vectors=[], terms=[], since=then)
        anew = build(await live.read_nodes(tx, miv=now), zone)
    assert rows.nodes is None and rows.moved is not None
    newer = advanced(base, rows.moved, zone)
    assert newer is not None or erased
    if newer is not None:
        assert newer.nodes == anew.nodes
        assert (newer.children, newer.roots) == (anew.children, anew.roots)


async def test_an_erasure_is_noticed_though_it_leaves_no_row(engine: Engine, scope: Scope) -> None:
    notes = [await save_note(engine, scope, f"note {number}") for number in range(3)]
    then = await miv_of(engine, scope)
    async with engine.database.transaction(scope) as tx:
        base = build(await live.read_nodes(tx, miv=then), engine.settings.zone)
        await delete_notes(tx, [notes[0].note_id], engine=engine.engine_id, assets=engine.assets)
    now = await miv_of(engine, scope)
    async with engine.database.transaction(scope) as tx:
        rows = await live.read_snapshot(tx, miv=now, engine="x", vectors=[], terms=[], since=then)
    assert rows.moved is not None
    assert advanced(base, rows.moved, engine.settings.zone) is None
