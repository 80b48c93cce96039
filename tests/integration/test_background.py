"""What jobs do: large notes are cut, folders told of their children; each once, and never by halves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from context.derived import Resource
from context.scope import Scope
from context.truth import Note
from context.types import ProjectionStatus
from context.uri import folder_uri, user_root
from engine.engine import Engine
from memory.erasure import delete_notes
from resources import background
from resources.projector import WAITS_FOR_CUTTING
from resources.vectors import fill_vectors
from server import worker
from storage import catalog, clock, containers, jobs, live, resources, staging, vectors
from storage.catalog import IndexedNode
from storage.database import Transaction
from tests.integration.test_worker import due_now, embedding
from tests.support import cluster
from tests.support.engines import save_note
from tests.support.hangs import HANGS

LARGE = "\n\n".join(
    f"## 第{n}章 Chapter {n}\n\nThe word of chapter {n} is kanarik{n}。" + "填充文字。" * 150 for n in range(300)
)
"""240,000 characters: more than is cut at once, and more chunks than are written under the clock."""
LEAVES = "select count(*) from pm.context_catalog where is_leaf and died = 9223372036854775807"
STAGED = "select count(*) from pm.context_catalog where uri like 'staged%' or born > 1000000"


async def record_of(engine: Engine, scope: Scope, source: UUID) -> Resource:
    async with engine.database.transaction(scope) as tx:
        return (await resources.of_source(tx, str(source)))[0]


async def settled(engine: Engine, scope: Scope, source: UUID) -> tuple[ProjectionStatus, str | None]:
    """Status and reason when every node has its vector."""
    handle = embedding(engine).embedder
    assert handle is not None
    await fill_vectors(engine.database, scope, handle)
    record = await record_of(engine, scope, source)
    return record.projection_status, record.reason


# --- large notes --------------------------------------------------------------------------------------------------


async def test_a_large_note_waits_is_cut_once_and_is_then_ready(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    note = await save_note(engine, scope, LARGE, title="Big")
    glance = await live_leaves(engine, scope, note)
    assert 0 < glance < 100, "its beginning is found at once"
    assert await settled(engine, scope, note.note_id) == (ProjectionStatus.PENDING, WAITS_FOR_CUTTING)
    assert await background.cut_note(engine.database, scope, engine.projector, note.note_id) > 300
    record = await record_of(engine, scope, note.note_id)
    assert (record.projection_status, record.reason) == (ProjectionStatus.PENDING, None)
    leaves = database.rows(LEAVES)
    assert leaves[0][0] >= 300 and database.rows(STAGED) == [(0,)]
    async with engine.database.transaction(scope) as tx:
        rows = await live.read_snapshot(tx, miv=2**62, engine="x", vectors=[], terms=["kanarik299"])
    assert "kanarik299" in str(rows.postings), "it is found by words of its end"
    assert await background.cut_note(engine.database, scope, engine.projector, note.note_id) == 0
    assert database.rows(LEAVES) == leaves


async def test_nobody_waits_while_the_words_of_a_large_note_are_written(
    engine: Engine, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await save_note(engine, scope, LARGE, title="Big")
    glance = await live_leaves(engine, scope, note)
    saved: list[Note] = []
    stage = staging.stage

    async def staged(tx: Transaction, items: Sequence[IndexedNode]) -> None:
        await stage(tx, items)
        async with asyncio.timeout(HANGS):  # the clock's lock alone gives up after ten seconds
            saved.append(await save_note(engine, scope, "saved meanwhile"))
        assert await live_leaves(engine, scope, note) == glance, "nothing of it is seen by halves"

    monkeypatch.setattr(staging, "stage", staged)
    await background.cut_note(engine.database, scope, engine.projector, note.note_id)
    assert saved and await live_leaves(engine, scope, note) >= 300


async def live_leaves(engine: Engine, scope: Scope, note: Note) -> int:
    async with engine.database.transaction(scope) as tx:
        live = await catalog.live_of(tx, [str(note.note_id)])
    return sum(node.is_leaf for node in live.get(str(note.note_id), []))


@pytest.mark.parametrize("fate", ["changed", "deleted"])
async def test_a_large_note_that_changes_while_it_is_cut_leaves_nothing_half_done(
    engine: Engine, database: cluster.Database, scope: Scope, monkeypatch: pytest.MonkeyPatch, fate: str
) -> None:
    note = await save_note(engine, scope, LARGE, title="Big")
    stage = staging.stage

    async def staged(tx: Transaction, items: Sequence[IndexedNode]) -> None:
        await stage(tx, items)
        if fate == "changed":
            await save_note(engine, scope, LARGE.replace("kanarik", "zimtstern"), title="Big", note_id=note.note_id)
        else:
            async with engine.database.transaction(scope) as other:
                await delete_notes(other, [note.note_id], engine=engine.engine_id, assets=engine.assets)

    with monkeypatch.context() as patch:
        patch.setattr(staging, "stage", staged)
        assert await background.cut_note(engine.database, scope, engine.projector, note.note_id) == 0
    assert database.rows(STAGED) == [(0,)]
    assert await live_leaves(engine, scope, note) < 100
    assert database.rows("select count(*) from pm.posting where term like 'kanarik299%'") == [(0,)]
    changed = await background.cut_note(engine.database, scope, engine.projector, note.note_id)
    assert (changed > 300) == (fate == "changed"), "the next job cuts what it has become"
    assert await live_leaves(engine, scope, note) == (300 if fate == "changed" else 0)


async def test_an_edited_large_note_keeps_the_vectors_of_what_did_not_change(engine: Engine, scope: Scope) -> None:
    note = await save_note(engine, scope, LARGE, title="Big")
    await background.cut_note(engine.database, scope, engine.projector, note.note_id)
    handle = embedding(engine).embedder
    assert handle is not None
    await fill_vectors(engine.database, scope, handle)
    await save_note(engine, scope, LARGE.replace("kanarik7。", "zimtstern。"), title="Big", note_id=note.note_id)
    await background.cut_note(engine.database, scope, engine.projector, note.note_id)
    async with engine.database.transaction(scope) as tx:
        assert await vectors.count_without_vector(tx, engine=str(handle.identity)) == 1


# --- containers ---------------------------------------------------------------------------------------------------


async def test_folders_are_told_of_two_hundred_notes_once(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    quick = replace(engine, embedder=None)
    stop = asyncio.Event()
    working = asyncio.create_task(worker.run_worker(quick, stop=stop))
    for number in range(200):
        note = Note(note_id=uuid4(), title=f"Plan {number}", body="words", folder="work/clients/northwind")
        async with engine.database.transaction(scope) as tx:
            await engine.projector.save_note(tx, note)
    waiting = "select count(*) from pm.stale_container"
    async with asyncio.timeout(HANGS):
        while database.rows(waiting) != [(0,)]:  # noqa: ASYNC110 - it is a table that changes
            await asyncio.sleep(0.1)
        stop.set()
        await working
    above = [folder_uri("ann", "work/clients/northwind"), folder_uri("ann", "work/clients"), folder_uri("ann", "work")]
    for uri in [*above, folder_uri("ann", ""), user_root("ann")]:
        told = database.rows("select abstract from pm.context_catalog where uri = %s order by born", (str(uri),))
        assert len(told) == 2, f"{uri}: how it began, and what it became"
    for uri, child in zip(above, ("Plan 199", "northwind", "clients"), strict=True):
        now = database.rows("select abstract from pm.context_catalog where uri = %s and died > 9e18", (str(uri),))
        assert child in now[0][0]


async def test_a_folder_s_description_is_asked_for_by_a_job_that_does_not_name_it(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    note = Note(note_id=uuid4(), title="Plan", body="words", folder="kanarik")
    async with engine.database.transaction(scope) as tx:
        await engine.projector.save_note(tx, note)
    projector = replace(engine.projector, describes="long")
    told = await background.tell_containers(engine.database, scope, projector, quiet=0)
    assert str(folder_uri("ann", "kanarik")) in told
    async with engine.database.transaction(scope) as tx:
        asked = [job for job in await jobs.listed(tx) if job.task == jobs.DESCRIBE]
    found = [await background.container_of(engine.database, scope, job.about["container"]) for job in asked]
    assert found == told
    assert not any("kanarik" in row for row in database.table("pm_jobs.procrastinate_jobs"))


async def test_telling_folders_and_saving_notes_wait_for_each_other_in_one_order(engine: Engine, scope: Scope) -> None:
    await save_note(engine, scope, "words")
    folder = str(folder_uri("ann", ""))
    async with engine.database.transaction(scope) as tx:  # as a note is saved: the clock first, then its folders
        await clock.advance(tx, engine=engine.engine_id)
        telling = asyncio.create_task(background.tell_containers(engine.database, scope, engine.projector, quiet=0))
        await asyncio.sleep(0.3)
        await containers.touch(tx, [folder])
    assert folder in await telling


async def test_an_embedder_that_fails_keeps_no_folder_waiting(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    note = Note(note_id=uuid4(), title="Plan", body="words", folder="work")
    async with engine.database.transaction(scope) as tx:
        await engine.projector.save_note(tx, note)
    failing = embedding(engine, away=99)
    await worker.run_worker(failing, wait=False)
    due_now(database)
    database.rows("update pm.stale_container set touched_at = touched_at - interval '1 minute'")
    await worker.run_worker(failing, wait=False)
    assert database.rows("select count(*) from pm.stale_container") == [(0,)]
    folder = str(folder_uri("ann", "work"))
    ((abstract,),) = database.rows("select abstract from pm.context_catalog where uri = %s and died > 9e18", (folder,))
    assert "Plan" in abstract
