"""Rebuild: an intact index changes nothing, a lost or damaged one comes back as it was."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context.scope import Scope
from context.truth import Note
from context.types import ProjectionStatus, SourceType, Visibility
from context.uri import asset_uri, note_uri
from engine.engine import Engine
from memory.erasure import delete_notes
from resources.background import cut_note
from storage import catalog, memories, notes, refs, resources
from tests.support import cluster
from tests.support.engines import save_note
from tests.support.rebuild_world import World, identity, new_world

DERIVED = (
    "context_catalog",
    "posting",
    "vector",
    "resource_records",
    "context_ref",
    "note_name",
    "note_link",
    "stale_container",
)
NODES = ("pm.context_catalog", "vid", "uri", "died = 9223372036854775807")
WORDS = ("pm.posting", "ctid", "vid, term", "true")
RECORDS = ("pm.resource_records", "resource_id", "resource_id", "true")
REFERENCES = ("pm.context_ref", "ctid", "source_uri, ref_type, target_uri", "true")
NOTHING = ("", "", "", "")
STRANGE = """insert into pm.context_ref
select a.tenant_id, a.owner_id, 'pm://user/ann/sessions/' || session_id || '/messages/1', 'attachment',
  'pm://user/ann/assets/' || asset_id from pm.asset a cross join pm.chat_session limit 1 on conflict do nothing"""
DAMAGE = {
    "a node": (NODES, "delete from {table}"),
    "a node's end": (NODES, "update {table} set died = 1"),
    "an abstract": (NODES, "update {table} set abstract = 'x'"),
    "an overview": (NODES, "update {table} set overview = 'x'"),
    "a body": (NODES, "update {table} set body = 'x'"),
    "a title": (NODES, "update {table} set title = 'x'"),
    "a digest": (NODES, "update {table} set digest = 'x'"),
    "a place": (NODES, "update {table} set parent_uri = 'pm://user/ann/folders/no'"),
    "an address": (NODES, "update {table} set uri = uri || '/x'"),
    "lines": (NODES, "update {table} set lines = '[7,9)'"),
    "a kind": (NODES, "update {table} set level = 0, speaker = 'x', source_type = 'OCR_TEXT'"),
    "a position": (NODES, "update {table} set pos = pos + sign(pos)"),
    "a source": (NODES, "update {table} set source_id = gen_random_uuid()"),
    "all words of a node": (NODES, "delete from pm.posting"),
    "vectors of a node": (NODES, "delete from pm.vector"),
    "a word": (WORDS, "delete from {table}"),
    "a word's count": (WORDS, "update {table} set tf = tf + 1"),
    "a word's letters": (WORDS, "update {table} set term = term || 'x'"),
    "a record": (RECORDS, "delete from {table}"),
    "a record's title": (RECORDS, "update {table} set title = 'x'"),
    "a record's source": (RECORDS, "update {table} set source_id = 'x'"),
    "a record's status": (RECORDS, "update {table} set projection_status = 'failed'"),
    "a reference": (REFERENCES, "delete from {table}"),
    "a reference's end": (REFERENCES, "update {table} set target_uri = target_uri || 'x'"),
    "a strange reference": (NOTHING, STRANGE),
    "all names": (NOTHING, "delete from pm.note_name"),
    "all links": (NOTHING, "delete from pm.note_link"),
    "a wrong name": (NOTHING, "insert into pm.note_name select tenant_id, owner_id, 'x', note_id from pm.note limit 1"),
}
"""What is damaged, and how one row of a table is."""


@pytest.fixture
async def world(engine: Engine, database: cluster.Database, scope: Scope) -> World:
    """Somebody with a bit of everything, whose index is whole."""
    return await new_world(engine, database, scope)


async def test_an_intact_index_changes_no_row(world: World) -> None:
    before = world.everything()
    assert all(before[name] for name in ("pm.context_ref", "pm.model_output", "pm.vector", "pm.note_link"))
    report = (await world.rebuild()).to_json()
    assert world.everything() == before
    assert report.pop("sources") == {
        "notes": 4,
        "files": 2,
        "stages": 4,
        "memories": 4,
        "containers": 14,
    }
    assert not any(report.values()), report


async def test_a_lost_index_comes_back_as_it_was(world: World) -> None:
    before, answers = world.index(), await world.found()
    kinds = {row[1] for row in before["references"]}
    assert kinds == {"used", "evidence", "supersedes", "links", "attachment"}
    assert sum(len(found) > 0 for found in answers.values()) >= 8, answers
    lose(world)
    records, containers = len(before["records"]), sum(str(row[12]).startswith("tree:") for row in before["nodes"])
    dry = (await world.rebuild(dry_run=True)).to_json()
    assert (dry["changed"] > 50, dry["records"], dry["sources"]["containers"]) == (True, records, containers)
    assert world.index()["nodes"] == [], "a dry run writes nothing"
    report = (await world.rebuild()).to_json()
    assert (report["records"], report["erased"], report["pending_vectors"] > 20) == (records, 0, True)
    await world.fill()
    assert differences(world, before) == {}
    assert await world.found() == answers
    unchanged = world.everything()
    assert not (await world.rebuild()).tally
    assert world.everything() == unchanged


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(damage=st.lists(st.tuples(st.sampled_from(sorted(DAMAGE)), st.integers(0, 10_000)), min_size=1, max_size=5))
async def test_a_damaged_index_comes_back_as_it_was(
    engine: Engine, database: cluster.Database, scope: Scope, worlds: dict[str, World], damage: list[tuple[str, int]]
) -> None:
    """Each example goes on from the index that the last one mended."""
    if "ann" not in worlds:
        worlds["ann"] = await new_world(engine, database, scope)
    world = worlds["ann"]
    before = world.index()
    for name, place in damage:
        with suppress(psycopg.errors.UniqueViolation):  # it clashes with another damage of this example
            hurt(world, name, place)
    await world.rebuild()
    await world.fill()
    assert differences(world, before) == {}
    assert not (await world.rebuild()).tally


@pytest.fixture
def worlds() -> dict[str, World]:
    """The world that the examples of one test share."""
    return {}


async def test_what_was_deleted_stays_deleted(world: World) -> None:
    key = identity("plan")
    uri = str(note_uri("ann", key))
    truth = world.database.rows("select n::text from pm.note n where note_id = %s", (key,))[0][0]
    async with world.engine.database.transaction(world.scope) as tx:
        await delete_notes(tx, [key], engine=world.engine.engine_id, assets=world.engine.assets)
    await world.refresh()
    before = world.index()
    lose(world)
    world.database.rows("insert into pm.note select (%s::pm.note).*", (truth,))  # a backup of one table brings it back
    await world.rebuild()
    await world.fill()
    assert differences(world, before) == {}
    assert not any(uri in str(row) for rows in world.index().values() for row in rows)

    # Somebody who writes it again means it.
    async with world.engine.database.transaction(world.scope) as tx:
        await notes.delete(tx, [key])
        await world.engine.projector.save_note(tx, Note(note_id=key, title="Plan", body="Once more."))
    await world.refresh()
    again = world.index()
    assert not (await world.rebuild()).tally
    assert world.index() == again


async def test_what_truth_does_not_know_is_erased(world: World) -> None:
    """Rows of truth went without their material, as when a backup of truth alone is put back."""
    database = world.database
    before = world.index()
    ghost = await save_note(world.engine, world.scope, "A ghost story about a [[Plan]].", title="Ghost")
    await world.refresh()
    database.rows("delete from pm.note where note_id = %s", (ghost.note_id,))
    database.rows(
        "insert into pm.model_output (tenant_id, owner_id, input_digest, task, model, source_id, output)"
        " values ('acme', 'ann', 'x', 'describe', 'm', %s, '{}')",
        (str(ghost.note_id),),
    )
    report = await world.rebuild()
    await world.fill()
    assert report.tally.erased == 2, "its nodes; its record and what a model said of it"
    assert differences(world, before) == {}
    for table in ("context_catalog", "posting", "model_output", "resource_records", "context_ref"):
        assert not any("ghost" in row.lower() or str(ghost.note_id) in row for row in database.table(f"pm.{table}"))


async def test_a_file_that_cannot_be_read_any_more_keeps_what_was_read(world: World) -> None:
    before = world.index()
    async with world.engine.database.transaction(world.scope) as tx:
        asset = await world.engine.assets.get(tx, identity("prices.txt"))
    world.engine.assets.path_of(world.scope, asset).unlink()
    report = await world.rebuild()
    assert [item.name for item in report.unreadable] == ["prices.txt"]
    assert not report.tally
    assert world.index() == before
    lose(world)
    await world.rebuild()
    async with world.engine.database.transaction(world.scope) as tx:
        record = await resources.find(tx, str(asset_uri("ann", identity("prices.txt"))))
        assert (record.projection_status, record.source_type) == (ProjectionStatus.FAILED, SourceType.MARKDOWN_IMPORT)
        assert record.reason
        live = await catalog.live_of(tx, [record.source_id])
    assert {node.title for node in live[record.source_id]} == {"prices.txt"}, "it is still found by its name"


async def test_a_large_note_that_waits_to_be_cut_is_cut(world: World) -> None:
    engine, scope = world.engine, world.scope
    body = "".join(f"## Part {n}\n\n{f'Item {n} is kept in shelf {n % 7}. ' * 40}\n\n" for n in range(180))
    note = await save_note(engine, scope, body, title="Inventory")
    report = await world.rebuild()
    assert report.tally.changed > 180
    async with engine.database.transaction(scope) as tx:
        record = await resources.find(tx, str(note.note_id))
        live = await catalog.live_of(tx, [str(note.note_id)])
    assert (record.projection_status, record.reason) == (ProjectionStatus.PENDING, None)
    assert len(live[str(note.note_id)]) > 180
    assert await cut_note(engine.database, scope, engine.projector, note.note_id) == 0, "the job finds nothing to do"
    assert not (await world.rebuild()).tally


async def test_a_policy_that_changed_is_applied(world: World) -> None:
    report = await world.rebuild(visibility=Visibility.SESSION_ONLY)
    assert report.tally.changed > 0
    seen = world.database.rows("select distinct visibility from pm.context_catalog where pos > 0 and died > 10^18")
    assert seen == [("SESSION_ONLY",)]
    before = world.index()
    assert not (await world.rebuild(visibility=Visibility.SESSION_ONLY)).tally
    await world.fill()
    norms = [row[25] for row in world.index()["nodes"]]
    assert norms == [row[25] for row in before["nodes"]], "new versions of turns are measured at once"
    assert any(norm != 1 for norm in norms)


async def test_a_killed_run_goes_on_where_it_stopped(world: World) -> None:
    before = world.index()
    lose(world)
    pages = 0

    def stop(name: str, done: int, total: int) -> None:
        nonlocal pages
        pages += 1
        if name == "stages":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await world.rebuild(progress=stop)
    assert 0 < len(world.index()["nodes"]) < len(before["nodes"])
    await world.rebuild()
    await world.fill()
    assert pages == 3
    assert differences(world, before) == {}


async def test_two_rebuilds_and_a_writer_at_once_end_in_the_right_state(world: World) -> None:
    engine, scope = world.engine, world.scope
    lose(world)

    async def write() -> None:
        for number in range(12):
            await save_note(engine, scope, f"Note number {number} about [[Plan]].", title=f"N{number}")
            edited = f"Board {number}"
            await save_note(engine, scope, "The kettle is hot.", title=edited, note_id=identity("board"))
        async with engine.database.transaction(scope) as tx:
            await delete_notes(tx, [identity("cause")], engine=engine.engine_id, assets=engine.assets)

    await asyncio.gather(world.rebuild(), write(), world.rebuild())
    await world.refresh()
    after = world.index()
    assert not (await world.rebuild()).tally
    assert world.index() == after
    lose(world)
    await world.rebuild()
    await world.fill()
    assert differences(world, after) == {}
    async with engine.database.transaction(scope) as tx:
        links = [target for _, target in await refs.of(tx, str(note_uri("ann", identity("plan"))))]
    assert str(note_uri("ann", identity("cause"))) not in links


async def test_another_user_s_rows_are_not_touched(world: World, other_user: Scope) -> None:
    await save_note(world.engine, other_user, "Bob's own words.")
    for table in ("resource_records", "note_name"):
        world.database.rows(f"delete from pm.{table} where owner_id = 'bob'")  # noqa: S608
    mine = {name: [row for row in rows if ",bob," in row] for name, rows in world.everything().items()}
    lose(world, "ann")
    await world.rebuild()
    assert {name: [row for row in rows if ",bob," in row] for name, rows in world.everything().items()} == mine
    report = await replace(world, scope=other_user).rebuild()
    assert (report.sources["notes"], report.tally.records, report.tally.references) == (1, 1, 1)


async def test_an_agent_s_memory_comes_back_to_that_agent_alone(world: World) -> None:
    lose(world)
    await world.rebuild()
    for agent, seen in (("a1", 1), ("", 0), ("a2", 0)):
        async with world.engine.database.transaction(replace(world.scope, agent=agent)) as tx:
            rows = await tx.all("select uri from pm.context_catalog where agent_id <> ''")
            assert len(rows) == seen, agent
            assert len(await memories.of_ids(tx, [UUID(row["uri"].rsplit("/", 1)[1]) for row in rows])) == seen


def hurt(world: World, name: str, place: int) -> None:
    """Damage the row of a table that stands at a place of its order, or some fixed row."""
    (table, key, order, which), statement = DAMAGE[name]
    if not table:
        world.database.rows(statement)
        return
    rows = world.database.rows(f"select {key}::text from {table} where {which} order by {order}")  # noqa: S608
    if rows:
        where = f" where {key} = '{rows[place % len(rows)][0]}'"
        world.database.rows(statement.format(table=table) + where)


def lose(world: World, owner: str = "ann") -> None:
    """All that follows from truth is gone."""
    for table in DERIVED:
        world.database.rows(f"delete from pm.{table} where owner_id = %s", (owner,))  # noqa: S608


def differences(world: World, before: object) -> dict[str, object]:
    """What is not as it was: what went and what came."""
    assert isinstance(before, dict)
    return {
        key: ([row for row in before[key] if row not in rows], [row for row in rows if row not in before[key]])
        for key, rows in world.index().items()
        if rows != before[key]
    }
