"""The owner clock: numbers in commit order without gaps or repeats, and pins that never move."""

from __future__ import annotations

import asyncio

from context.errors import ConflictError
from context.scope import Scope
from engine.engine import Engine
from storage import catalog, clock, live
from tests.support.engines import save_note


async def test_twenty_writers_get_numbers_without_gaps_or_repeats(engine: Engine, scope: Scope) -> None:
    async def write(number: int) -> int:
        async with engine.database.transaction(scope) as tx:
            miv = await clock.advance(tx, engine="x")
            await asyncio.sleep(0)
            if number % 5 == 0:
                raise ConflictError("rolled back, so its number is given again")
            return miv

    given = await asyncio.gather(*(write(number) for number in range(100)), return_exceptions=True)
    numbers = [miv for miv in given if isinstance(miv, int)]
    assert sorted(numbers) == list(range(1, 81))
    async with engine.database.transaction(scope) as tx:
        assert (await clock.read(tx, engine="x")).miv == 80


async def test_a_pin_shows_the_same_rows_however_much_is_written_meanwhile(engine: Engine, scope: Scope) -> None:
    async def look(pin: int) -> set[tuple[int, str]]:
        async with engine.database.transaction(scope) as tx:
            rows = await live.read_snapshot(tx, miv=pin, engine="x", vectors=[], terms=[])
            found = await catalog.bodies(tx, [node.vid for node in rows.nodes or []])
        assert all(node.born <= pin for node, _ in found.values())
        return {(vid, node.uri) for vid, (node, _) in found.items()}

    async def read() -> int:
        async with engine.database.transaction(scope) as tx:
            pin = (await clock.read(tx, engine="x")).miv
        first = await look(pin)
        await asyncio.sleep(0.05)
        assert await look(pin) == first
        return pin

    notes = [await save_note(engine, scope, f"note {number} as it was") for number in range(4)]
    writing = [save_note(engine, scope, f"new {n}") for n in range(10)]
    writing += [save_note(engine, scope, f"note {n} edited", note_id=note.note_id) for n, note in enumerate(notes)]
    _, pins = await asyncio.gather(asyncio.gather(*writing), asyncio.gather(*(read() for _ in range(10))))
    assert min(pins) < 18, "the readers must have run between the writers"
    assert await read() == 18


async def test_owners_do_not_wait_for_each_other(engine: Engine, scope: Scope, other_user: Scope) -> None:
    async with engine.database.transaction(scope) as held:
        assert await clock.advance(held, engine="x") == 1
        async with asyncio.timeout(5), engine.database.transaction(other_user) as tx:
            assert await clock.advance(tx, engine="x") == 1
