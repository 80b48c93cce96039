"""What projection promises: found at once, and of every kind of source."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from context.derived import Resource
from context.messages import degradation_line
from context.scope import Scope
from context.truth import Asset, Note, NoteKind
from context.types import KnowledgeLayer, ProjectionStatus, SourceType, Status
from engine.engine import Engine
from graphs.runs import run_commit
from memory.erasure import delete_notes
from resources.background import cut_note
from resources.readers.document import Document, Part
from storage import catalog, notes, resources
from tests.acceptance.searching import OTHERS, embed, miv_of, search
from tests.conftest import OnlineEngine
from tests.support.cluster import Database
from tests.support.engines import by_request, save_note, tell
from tests.support.openai_replies import Json

# -- found at once --- -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "words", "meaning"),
    [
        (
            "The staging gateway listens on port 8443.",
            "A brown puppy sleeps in the kennel at night.",
            ("gateway 8443", "puppy kennel"),
            "dog bedtime",
        ),
        ("预发布网关监听 8443 端口。", "小狗每晚睡在木屋里。", ("网关 8443 端口", "小狗 木屋"), "宠物的窝"),
    ],
    ids=["en", "zh"],
)
async def test_an_edit_is_found_at_once_and_the_old_text_only_as_of_its_time(
    engine: Engine, scope: Scope, before: str, after: str, words: tuple[str, str], meaning: str
) -> None:
    for body in OTHERS:
        await save_note(engine, scope, body)
    note = await save_note(engine, scope, before, title="T")
    assert (await search(engine, scope, words[0])).best.body == before
    await embed(engine, scope)
    old = await miv_of(engine, scope)
    await save_note(engine, scope, after, title="T", note_id=note.note_id)

    found = await search(engine, scope, words[1])  # no worker has run
    assert found.best.body == after
    assert found.result.matches[0].words
    assert before not in (await search(engine, scope, words[0])).texts
    await embed(engine, scope)
    found = await search(engine, scope, meaning)
    assert (found.best.body, found.result.matches[0].words) == (after, ())
    assert "dense" in found.result.matches[0].arms
    for question in (*words, meaning, before, after):
        assert before not in (await search(engine, scope, question)).texts
        assert after not in (await search(engine, scope, question, miv=old)).texts
    then = await search(engine, scope, words[0], miv=old)
    assert then.best.body == before
    assert then.result.pending == 0


async def test_a_deleted_note_is_not_found_by_the_next_search_not_even_as_of_its_time(
    engine: Engine, scope: Scope
) -> None:
    note = await save_note(engine, scope, "The staging gateway listens on port 8443.")
    await embed(engine, scope)
    old = await miv_of(engine, scope)
    assert (await search(engine, scope, "staging gateway")).nodes
    async with engine.database.transaction(scope) as tx:
        await delete_notes(tx, [note.note_id], engine=engine.engine_id, assets=engine.assets)
    assert not (await search(engine, scope, "staging gateway")).nodes
    assert not (await search(engine, scope, "staging gateway", miv=old)).nodes


async def test_what_has_only_a_name_is_found_by_it(engine: Engine, scope: Scope) -> None:
    for body in OTHERS:
        await save_note(engine, scope, body)
    titled = await save_note(engine, scope, "", title="自行车修理铺")
    files = []
    async with engine.database.transaction(scope) as tx:
        for name in ("quarterly-figures.pdf", "合同扫描件.png"):
            files.append(await engine.assets.add(tx, uuid4(), data=name.encode(), mime="application/pdf", name=name))
            await engine.projector.save_file(tx, files[-1])
        await engine.projector.fail_file(tx, files[-1], "The picture cannot be read.")
    names = {"自行车修理": titled.note_id, "quarterly figures": files[0].asset_id, "合同扫描件": files[1].asset_id}
    missing = {name for name, source in names.items() if str(source) not in await sources_of(engine, scope, name)}
    assert missing == set()


async def test_a_large_note_stays_found_when_only_its_folder_changes(engine: Engine, scope: Scope) -> None:
    note = await save_note(engine, scope, "The elephant marches. 大象在前进。\n" * 7_000, title="Parade")
    assert await cut_note(engine.database, scope, engine.projector, note.note_id)
    assert str(note.note_id) in await sources_of(engine, scope, "大象 elephant")
    async with engine.database.transaction(scope) as tx:
        await engine.projector.save_note(tx, replace(note, folder="archive", updated_at=None))
    assert str(note.note_id) in await sources_of(engine, scope, "大象 elephant")


async def sources_of(engine: Engine, scope: Scope, question: str) -> set[str]:
    """What a question finds, by source."""
    return {node.source_id for node in (await search(engine, scope, question)).nodes}


# -- every kind of source ----------------------------------------------------------------------------------------------

Again = Callable[[], Awaitable[Any]]


def everything(database: Database) -> dict[str, list[str]]:
    """All that is stored, but for the checkpoints of graphs."""
    names = database.rows("select schemaname, tablename from pg_tables where schemaname in ('pm', 'pm_jobs')")
    return {table: database.table(f"{schema}.{table}") for schema, table in names}


async def check_source(
    engine: Engine,
    database: Database,
    scope: Scope,
    kind: SourceType,
    source_id: str,
    *,
    words: str,
    layer: KnowledgeLayer,
    again: Again,
) -> Resource:
    """A source is found by its words, traced there and back, and saving it once more writes nothing at all."""

    async def record() -> Resource:
        async with engine.database.transaction(scope) as tx:
            (found,) = [item for item in await resources.of_source(tx, source_id) if item.source_type is kind]
            back = await resources.find(tx, str(found.resource_id))
        assert (back.source_id, found.source_id) == (source_id, source_id)
        return found

    resource = await record()
    best = (await search(engine, scope, words)).best
    assert (best.source_id, best.parent_uri, best.layer, best.status) == (
        source_id,
        resource.uri,
        layer,
        Status.CURRENT,
    )
    await embed(engine, scope)
    assert (await record()).projection_status is ProjectionStatus.READY
    before = everything(database)
    await again()
    after = everything(database)
    assert {table for table in before if before[table] != after[table]} == set()
    return resource


@pytest.mark.parametrize(
    ("note_kind", "kind", "layer"),
    [
        (NoteKind.NOTE, SourceType.NOTE_BODY, KnowledgeLayer.PROJECT),
        (NoteKind.CLIP, SourceType.WEB_CLIP, KnowledgeLayer.PROJECT),
        (NoteKind.IMPORT, SourceType.MARKDOWN_IMPORT, KnowledgeLayer.PROJECT),
        (NoteKind.ANALYSIS, SourceType.ANALYSIS_RESULT, KnowledgeLayer.REFLECTION),
        (NoteKind.WHITEBOARD, SourceType.NOTE_BODY, KnowledgeLayer.WHITEBOARD),
    ],
)
async def test_notes_of_every_kind_are_sources(
    engine: Engine, database: Database, scope: Scope, note_kind: NoteKind, kind: SourceType, layer: KnowledgeLayer
) -> None:
    await save_note(engine, scope, OTHERS[0])
    note = Note(
        note_id=uuid4(), title="网关", body="The staging gateway listens on 8443.", kind=note_kind, folder="ops"
    )

    async def save() -> bool:
        async with engine.database.transaction(scope) as tx:
            return (await engine.projector.save_note(tx, note)).changed

    assert await save()
    resource = await check_source(
        engine, database, scope, kind, str(note.note_id), words="网关 8443", layer=layer, again=save
    )
    assert resource.projection_status is ProjectionStatus.PENDING
    assert resource.digest == notes.content_digest(note)
    assert (await search(engine, scope, "网关 8443")).best.source_type is kind


@pytest.mark.parametrize("kind", [SourceType.PDF_TEXT, SourceType.OCR_TEXT, SourceType.AUDIO_TRANSCRIPT])
async def test_files_of_every_kind_are_sources(
    engine: Engine, database: Database, scope: Scope, kind: SourceType
) -> None:
    await save_note(engine, scope, OTHERS[0])
    parts = (Part(text="First part.", anchor="page=1"), Part(text="The gateway listens on 8443.", anchor="page=2"))
    document = Document(title="Ports 端口", parts=parts, source_type=kind)
    asset_id = uuid4()

    async def add() -> tuple[Asset, bool]:
        async with engine.database.transaction(scope) as tx:
            asset = await engine.assets.add(
                tx, asset_id, data=b"%PDF", mime="application/pdf", name="端口.pdf", folder="ops"
            )
            return asset, await engine.projector.save_file(tx, asset)

    async def read(asset: Asset) -> int:
        async with engine.database.transaction(scope) as tx:
            return await engine.projector.save_document(tx, asset, document)

    async def again() -> None:
        assert (await add())[1] is False
        assert await read(asset) == 0

    asset, to_be_read = await add()
    assert to_be_read
    assert (await read(asset)) > 0
    resource = await check_source(
        engine, database, scope, kind, str(asset_id), words="gateway 8443", layer=KnowledgeLayer.PROJECT, again=again
    )
    assert (resource.digest, resource.title) == (asset.digest, "Ports 端口")
    best = (await search(engine, scope, "gateway 8443")).best
    assert (best.source_type, best.source_name) == (kind, "端口.pdf#page=2")


async def test_a_commit_makes_a_transcript_and_its_summary_sources(
    online_engine: OnlineEngine, database: Database, scope: Scope
) -> None:
    told = Json(
        {"abstract": "Kiosk lease settled.", "overview": "- kiosk lease: settled", "session_overview": "Lease."}
    )
    async with online_engine(by_request(summary=told)) as (engine, _):
        await save_note(engine, scope, OTHERS[0])
        session_id = await tell(engine, scope, "The gateway listens on 8443.", "今天天气不错。")
        done = await run_commit(engine, scope, session_id=session_id)

        async def again() -> None:
            assert "commit_id" not in await run_commit(engine, scope, session_id=session_id)
            assert await run_commit(engine, scope, commit_id=done["commit_id"]) == done

        source_id = f"pm://user/ann/sessions/{session_id}/stages/1"
        for kind, words in (
            (SourceType.CHAT_TRANSCRIPT, "gateway 8443"),
            (SourceType.CHAT_STAGE_SUMMARY, "kiosk lease"),
        ):
            resource = await check_source(
                engine, database, scope, kind, source_id, words=words, layer=KnowledgeLayer.LOG, again=again
            )
            assert (resource.uri, resource.session_id) == (source_id, session_id)
        async with engine.database.transaction(scope) as tx:
            stage = (await catalog.live_nodes(tx, [source_id]))[source_id]
        assert (stage.abstract, stage.written_by, stage.layer) == (
            "Kiosk lease settled.",
            "scripted",
            KnowledgeLayer.LOG,
        )


# -- what waits for its vector -----------------------------------------------------------------------------------------


async def test_what_waits_for_its_vector_is_found_by_words_and_counted(engine: Engine, scope: Scope) -> None:
    new = ("The staging gateway listens on port 8443.", "预发布网关的证书周五到期。")
    for body in OTHERS[:3]:
        await save_note(engine, scope, body)
    alone = await search(engine, scope, "noodles")
    assert (alone.best.body, alone.result.pending) == (OTHERS[2], 3)
    await embed(engine, scope)
    assert (await search(engine, scope, "noodles")).result.pending == 0
    for body in new:
        await save_note(engine, scope, body)
    for question, body in zip(("staging gateway port", "网关证书"), new, strict=True):
        found = await search(engine, scope, question)
        assert (found.best.body, found.result.pending) == (body, 2)
        assert found.result.matches[0].words
        (told,) = found.result.degradations
        assert (told.leg, told.code, told.detail) == ("semantic", "vectors_pending", "2 items have no vector yet")
        assert {degradation_line(told, language)[:1] for language in ("zh", "en")}
    await embed(engine, scope)
    found = await search(engine, scope, "网关证书")
    assert (found.result.pending, found.result.degradations) == (0, ())
    assert set(found.result.matches[0].arms) == {"dense", "lexical"}
