"""Files, read: each once, by what reads it, or failed with a reason; what happens to it meanwhile counts."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from PIL import Image, ImageDraw

from context.derived import Resource
from context.errors import ModelOutputInvalid, ModelUnavailable
from context.scope import Scope
from context.types import ProjectionStatus, SourceType
from engine.engine import Engine
from memory.erasure import delete_files
from models.transcription import Segment, Transcript
from resources import reading
from resources.projector import WAITS_FOR_READER
from resources.readers import isolated
from resources.vectors import fill_vectors
from storage import catalog, resources
from tests.integration.test_worker import embedding
from tests.support import cluster


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


async def put_file(engine: Engine, scope: Scope, name: str, data: bytes, *, asset_id: UUID | None = None) -> UUID:
    """A file as a command stores it: found by its name, and waiting for its reader."""
    asset_id = asset_id or uuid4()
    async with engine.database.transaction(scope) as tx:
        asset = await engine.assets.add(tx, asset_id, data=data, mime="", name=name, folder="files")
        await engine.projector.save_file(tx, asset)
    return asset_id


async def read(engine: Engine, scope: Scope, asset_id: UUID, transcriber: Any = None) -> reading.Outcome:
    return await reading.read_file(
        engine.database, scope, engine.projector, engine.assets, asset_id, transcriber=transcriber
    )


async def bodies_of(engine: Engine, scope: Scope, asset_id: UUID) -> list[str]:
    async with engine.database.transaction(scope) as tx:
        live = (await catalog.live_of(tx, [str(asset_id)])).get(str(asset_id), [])
        texts = await catalog.bodies(tx, [node.vid for node in live if node.is_leaf])
    return sorted(node.body or "" for node, _ in texts.values())


async def test_a_file_is_ready_only_when_it_was_read_and_is_read_once(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    asset_id = await put_file(engine, scope, "notes.txt", "第一行\nsecond line".encode())
    assert await settled(engine, scope, asset_id) == (ProjectionStatus.PENDING, WAITS_FOR_READER)
    assert (await read(engine, scope, asset_id)).state == "read"
    assert await bodies_of(engine, scope, asset_id) == ["第一行\nsecond line"]
    assert (await settled(engine, scope, asset_id))[0] is ProjectionStatus.READY
    assert (await read(engine, scope, asset_id)).state == "known"
    assert database.table("pm.model_output") == [], "what is read again for nothing is not kept"


async def test_a_file_that_cannot_be_read_says_why_and_stays_failed(engine: Engine, scope: Scope) -> None:
    asset_id = await put_file(engine, scope, "broken.pdf", b"%PDF-1.7 and then nothing")
    outcome = await read(engine, scope, asset_id)
    assert outcome.state == "failed" and outcome.error is not None
    assert "已损坏" in outcome.error.text("zh")
    assert await settled(engine, scope, asset_id) == (ProjectionStatus.FAILED, outcome.error.message)


@pytest.mark.parametrize("fate", ["replaced", "deleted", "renamed"])
async def test_what_happens_to_a_file_while_it_is_read_counts(
    engine: Engine, database: cluster.Database, scope: Scope, monkeypatch: pytest.MonkeyPatch, fate: str
) -> None:
    asset_id = await put_file(engine, scope, "a.txt", b"old words")
    read_document = isolated.read_document

    async def meanwhile(*given: Any, **more: Any) -> Any:
        document = await read_document(*given, **more)
        if fate == "deleted":
            async with engine.database.transaction(scope) as tx:
                await delete_files(tx, [asset_id], engine=engine.engine_id, assets=engine.assets)
        elif fate == "replaced":
            await put_file(engine, scope, "a.txt", b"new words", asset_id=asset_id)
        else:
            await put_file(engine, scope, "b.txt", b"old words", asset_id=asset_id)
        return document

    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_document", meanwhile)
        outcome = await read(engine, scope, asset_id)
    assert outcome.state == ("read" if fate == "renamed" else "gone")
    here = {"renamed": ["old words"], "replaced": ["a.txt"], "deleted": []}
    assert await bodies_of(engine, scope, asset_id) == here[fate], "found by its name until it is read again"
    if fate == "deleted":
        assert database.rows("select 1 from pm.resource_records where title like '%.txt'") == []
    elif fate == "replaced":
        assert (await read(engine, scope, asset_id)).state == "read"
        assert await bodies_of(engine, scope, asset_id) == ["new words"]


class Scripted:
    """A transcription endpoint that is away for its first calls, then says one sentence; or refuses what it gets."""

    model = "scripted-speech"

    def __init__(self, *, away: int = 0, refuses: bool = False) -> None:
        self._away = away
        self._refuses = refuses
        self.calls = 0

    async def transcribe(self, audio: bytes, *, name: str, mime: str, language: str = "") -> Transcript:
        self.calls += 1
        if self.calls <= self._away:
            raise ModelUnavailable("The transcription is away.")
        if self._refuses:
            raise ModelOutputInvalid("The endpoint refused the recording.", zh="接口拒绝了这段录音。")
        said = Segment(start=0.0, end=4.0, text="我们决定五月发布。")
        return Transcript(text=said.text, segments=(said,))


async def test_a_recording_is_transcribed_once_however_often_it_is_read(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    model = Scripted(away=1)
    asset_id = await put_file(engine, scope, "周会.mp3", b"ID3 sound")
    with pytest.raises(ModelUnavailable):
        await read(engine, scope, asset_id, model)
    assert (await record_of(engine, scope, asset_id)).reason == WAITS_FOR_READER, "it goes on waiting"
    assert (await read(engine, scope, asset_id, model)).state == "read"
    assert database.rows("select task, model, source_id from pm.model_output") == [
        ("read", "scripted-speech", str(asset_id))
    ]
    first = await bodies_of(engine, scope, asset_id)
    async with engine.database.transaction(scope) as tx:
        asset = await engine.assets.get(tx, asset_id)
    again = await reading.document_of(engine.database, scope, engine.assets, asset)
    assert again.source_type is SourceType.AUDIO_TRANSCRIPT and "五月发布" in first[0] == again.text
    copy = await put_file(engine, scope, "copy.mp3", b"ID3 sound")
    assert (await read(engine, scope, copy, model)).state == "read"
    assert model.calls == 2, "the same bytes are not asked about again"
    assert (await record_of(engine, scope, copy)).title == "copy"


async def test_a_recording_that_the_endpoint_refuses_has_failed(engine: Engine, scope: Scope) -> None:
    asset_id = await put_file(engine, scope, "noise.mp3", b"ID3 noise")
    outcome = await read(engine, scope, asset_id, Scripted(refuses=True))
    assert outcome.state == "failed" and outcome.error is not None
    assert outcome.error.text("zh") == "接口拒绝了这段录音。"
    assert (await record_of(engine, scope, asset_id)).projection_status is ProjectionStatus.FAILED


async def test_nothing_is_kept_of_a_recording_deleted_while_it_was_transcribed(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    asset_id = await put_file(engine, scope, "gone.mp3", b"ID3 gone")

    class Slow(Scripted):
        async def transcribe(self, audio: bytes, *, name: str, mime: str, language: str = "") -> Transcript:
            async with engine.database.transaction(scope) as tx:
                await delete_files(tx, [asset_id], engine=engine.engine_id, assets=engine.assets)
            return await super().transcribe(audio, name=name, mime=mime, language=language)

    assert (await read(engine, scope, asset_id, Slow())).state == "gone"
    assert database.table("pm.model_output") == []
    assert database.tables_with("五月发布") == set()


async def test_words_on_a_picture_are_recognised_once(
    engine: Engine, database: cluster.Database, scope: Scope, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rapidocr")
    picture = Image.new("RGB", (420, 60), "white")
    ImageDraw.Draw(picture).text((10, 10), "SHIP ON MONDAY", fill="black", font_size=36)
    picture.save(tmp_path / "sign.png")
    asset_id = await put_file(engine, scope, "sign.png", (tmp_path / "sign.png").read_bytes())
    assert (await read(engine, scope, asset_id)).state == "read"
    ((model,),) = database.rows("select model from pm.model_output")
    assert model.startswith("rapidocr ")

    async def never(*given: Any, **more: Any) -> Any:
        raise AssertionError("it was read before")

    monkeypatch.setattr(reading, "read_document", never)
    async with engine.database.transaction(scope) as tx:
        asset = await engine.assets.get(tx, asset_id)
    document = await reading.document_of(engine.database, scope, engine.assets, asset)
    assert "MONDAY" in document.text.upper()
