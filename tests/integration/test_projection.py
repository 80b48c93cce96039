"""Notes and their material: written together, versioned by what differs, erased without a trace."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from context.errors import NotFoundError
from context.scope import Scope
from context.truth import Note
from context.types import ProjectionStatus
from context.uri import note_uri
from engine.engine import Engine
from memory.erasure import delete_notes
from resources.vectors import fill_vectors
from storage import catalog, clock, events, live, memories, notes, resources
from tests.support import cluster
from tests.support.engines import memory_record, save_note

CANARY = "kanarik"
PLAN = "# Plan\n\nWe ship on 3 May.\n\n## 根因\n\n根因是连接池耗尽。\n\n## Ports\n\nThe gateway listens on 8443.\n"

Live = dict[str, tuple[int, str | None, bool]]


async def standing(engine: Engine, scope: Scope, note_id: UUID, *, miv: int | None = None) -> Live:
    """Address to (version, body, has a vector) of a note's nodes, now or as of a pin."""
    async with engine.database.transaction(scope) as tx:
        pin = miv if miv is not None else (await clock.read(tx, engine=engine.engine_id)).miv
        rows = await live.read_snapshot(tx, miv=pin, engine=engine.engine_id, vectors=[], terms=[])
        found = await catalog.bodies(tx, [node.vid for node in rows.nodes or [] if node.source_id == str(note_id)])
        have = {row["vid"] for row in await tx.all("select vid from pm.vector")}
    return {node.uri: (vid, node.body, vid in have) for vid, (node, _) in found.items()}


async def test_the_same_note_twice_changes_nothing(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    note = Note(note_id=uuid4(), title="Plan 计划", body=PLAN, folder="work/出海", tags=("ops",), source_name="plan.md")
    tables = [row[0] for row in database.rows("select tablename from pg_tables where schemaname = 'pm'")]

    def everything() -> dict[str, object]:
        return {table: database.table(f"pm.{table}") for table in tables}

    async with engine.database.transaction(scope) as tx:
        first = await engine.projector.save_note(tx, note)
    before = everything()
    async with engine.database.transaction(scope) as tx:
        again = await engine.projector.save_note(tx, note)
        assert await notes.digests(tx, [note.note_id]) == {note.note_id: notes.content_digest(note)}
    assert (first.changed, again.changed) == (True, False)
    assert replace(again.note, updated_at=None) == replace(note, revision=1)
    assert everything() == before


async def test_an_edit_keeps_versions_and_vectors_of_what_did_not_change(engine: Engine, scope: Scope) -> None:
    note = await save_note(engine, scope, PLAN, title="Plan")
    assert engine.embedder is not None
    await fill_vectors(engine.database, scope, engine.embedder)
    before = await standing(engine, scope, note.note_id)
    async with engine.database.transaction(scope) as tx:
        old = (await clock.read(tx, engine=engine.engine_id)).miv
    await save_note(engine, scope, PLAN.replace("8443", "9000"), title="Plan", note_id=note.note_id)
    after = await standing(engine, scope, note.note_id)

    assert after.keys() == before.keys()
    edited = [uri for uri, (_, body, _) in after.items() if body and "9000" in body]
    assert len(edited) == 1
    for uri, (vid, body, has_vector) in after.items():
        same = body is not None and uri not in edited
        assert not same or (vid, has_vector) == (before[uri][0], True), uri
    assert after[edited[0]][0] > before[edited[0]][0]
    assert not after[edited[0]][2], "new words have no vector yet"
    assert await standing(engine, scope, note.note_id, miv=old) == before
    async with engine.database.transaction(scope) as tx:
        texts = await catalog.bodies(tx, [before[edited[0]][0]])
    assert [("8443" in (node.body or ""), holds) for node, holds in texts.values()] == [(True, False)]


async def test_a_move_and_new_lines_keep_the_vectors(engine: Engine, scope: Scope) -> None:
    note = await save_note(engine, scope, PLAN, title="Plan")
    assert engine.embedder is not None
    await fill_vectors(engine.database, scope, engine.embedder)
    async with engine.database.transaction(scope) as tx:
        await engine.projector.save_note(tx, replace(note, folder="archive", first_line=7))
    after = await standing(engine, scope, note.note_id)
    assert len(after) > 1
    assert all(has_vector for _, body, has_vector in after.values() if body)


async def test_a_failed_projection_takes_the_note_with_it(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    with pytest.raises(RuntimeError):
        async with engine.database.transaction(scope) as tx:
            await engine.projector.save_note(tx, Note(note_id=uuid4(), title="half", body=PLAN))
            raise RuntimeError("the process ends here")
    for table in ("note", "context_catalog", "posting", "event", "owner_clock", "resource_records"):
        assert database.table(f"pm.{table}") == [], table
    assert database.table("pm_jobs.procrastinate_jobs") == []


async def test_a_deleted_note_is_in_no_table_any_more(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    kept = await save_note(engine, scope, "Something else that stays.")
    body = f"# {CANARY}\n\nThe word is {CANARY}.\n\n{PLAN}"
    note = await save_note(engine, scope, body, title=f"About {CANARY}")
    note = await save_note(engine, scope, body.replace("8443", "9000"), title=f"Of {CANARY}", note_id=note.note_id)
    uri = str(note_uri(scope.user, note.note_id))
    alone, shared = (
        memory_record(f"They say {CANARY}.", uri),
        memory_record("They ship in May.", uri, "pm://user/ann/sessions/s"),
    )
    async with engine.database.transaction(scope) as tx:
        miv = await clock.advance(tx, engine=engine.engine_id)
        for record in (alone, shared):
            await memories.insert(tx, record, miv=miv)
    assert engine.embedder is not None
    await fill_vectors(engine.database, scope, engine.embedder)
    assert database.tables_with(CANARY) >= {"pm.note", "pm.context_catalog", "pm.posting", "pm.evidence"}

    async with engine.database.transaction(scope) as tx:
        erased = await delete_notes(tx, [note.note_id], engine=engine.engine_id, assets=engine.assets)
    assert (erased.memories_erased, erased.memories_poorer) == (1, 1)
    assert database.tables_with(CANARY) == set()
    assert database.rows("select source_id, memory_type, merge_key from pm.tombstone") == [(uri, "", "")]
    assert [
        row
        for table in ("pm.note", "pm.resource_records", "pm.context_catalog")
        for row in database.table(table)
        if str(note.note_id) in row
    ] == []
    orphans = "select 1 from pm.{} p where not exists (select from pm.context_catalog c where c.vid = p.vid)"
    assert [database.rows(orphans.format(table)) for table in ("posting", "vector")] == [[], []]
    assert {record[0] for record in database.rows("select memory_id from pm.memory_records")} == {shared.memory_id}

    async with engine.database.transaction(scope) as tx:
        assert (await notes.get(tx, kept.note_id)).body == kept.body
        assert await live_words(engine, scope, CANARY) == 0
        with pytest.raises(NotFoundError):
            await delete_notes(tx, [note.note_id], engine=engine.engine_id, assets=engine.assets)
    async with engine.database.transaction(scope) as tx:
        feed = await events.after(tx)
    assert [event.kind for event in feed[-3:]] == ["note.deleted", "memory.erased", "memory.merged"]


async def test_material_is_ready_when_its_vectors_are(engine: Engine, scope: Scope) -> None:
    note = await save_note(engine, scope, PLAN, title="Plan")

    async def state() -> ProjectionStatus:
        async with engine.database.transaction(scope) as tx:
            return (await resources.of_source(tx, str(note.note_id)))[0].projection_status

    assert await state() is ProjectionStatus.PENDING
    assert engine.embedder is not None
    await fill_vectors(engine.database, scope, engine.embedder)
    assert await state() is ProjectionStatus.READY


async def live_words(engine: Engine, scope: Scope, word: str) -> int:
    async with engine.database.transaction(scope) as tx:
        rows = await live.read_snapshot(tx, miv=0, engine="x", vectors=[], terms=[word], cached=True)
    return len(rows.postings)
