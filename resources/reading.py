"""Files, read: a stored file goes through its reader; its text becomes material, or the reason is told why there is
none."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any, Literal
from uuid import UUID

from context.errors import ModelOutputInvalid, NotFoundError, ProjectionError
from context.scope import Scope
from context.truth import Asset
from context.types import SourceType
from models.transcription import Transcriber
from resources import leaves
from resources.material import file_nodes
from resources.projector import Projector
from resources.readers.document import Document
from resources.readers.isolated import read_document
from resources.readers.registry import AUDIO, declared, stem_of
from resources.readers.wire import decode, encode
from storage import clock, resources, traces
from storage.assets import AssetStore
from storage.database import Database, Transaction

TASK = "read"
"""Task under which readings by a model are kept: they cost time or money, and may come out differently another time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a file.

    Attributes:
        state: `read`; `known`: it had been read before; `failed`: it cannot be read, `error` says why; `gone`: it was
            deleted, or its bytes were replaced, and nothing was stored.
    """

    state: Literal["read", "known", "failed", "gone"]
    error: ProjectionError | None = None


async def read_file(
    database: Database,
    scope: Scope,
    projector: Projector,
    assets: AssetStore,
    asset_id: UUID,
    *,
    transcriber: Transcriber | None = None,
) -> Outcome:
    """Read a file that waits for its reader, or that could not be read before. No transaction is open meanwhile.

    Raises:
        ModelUnavailable: the transcription gave no answer; another try may help.
        ModelError, ConfigurationError: it failed otherwise, or is set up wrongly.
    """
    try:
        async with database.transaction(scope) as tx:
            asset = await assets.get(tx, asset_id)
            records = await resources.of_source(tx, str(asset_id))
    except NotFoundError:
        return Outcome(state="gone")
    if any(record.digest == asset.digest and not resources.unmade(record) for record in records):
        return Outcome(state="known")
    try:
        found: Document | ProjectionError = await document_of(database, scope, assets, asset, transcriber=transcriber)
    except NotFoundError:
        return Outcome(state="gone")
    except ProjectionError as error:
        found = error
    except ModelOutputInvalid as error:  # the very same recording would be refused again
        found = ProjectionError(error.message, zh=error.zh)
    while True:
        try:
            await _store(database, scope, projector, assets, asset, found)
        except NotFoundError:
            return Outcome(state="gone")
        except _Changed as changed:
            if changed.now.digest != asset.digest:
                return Outcome(state="gone")
            asset = changed.now  # it was moved or renamed: the same text, under another name
        else:
            return Outcome(state="read") if isinstance(found, Document) else Outcome(state="failed", error=found)


async def document_of(
    database: Database, scope: Scope, assets: AssetStore, asset: Asset, *, transcriber: Transcriber | None = None
) -> Document:
    """What is in a file: of a model's readings what is kept, anything else is read again.

    Raises:
        ProjectionError: it cannot be read.
        ModelError, ConfigurationError: see `read_file`.
        NotFoundError: it was deleted while a model read it.
    """
    key = asset.digest.hex()
    async with database.transaction(scope) as tx:
        kept = (await traces.said_to(tx, task=TASK, prompts=[key])).get(key)
    if kept is not None:
        return _kept(kept[1], asset)
    document = await read_document(
        assets.path_of(scope, asset), name=asset.name, mime=asset.mime, transcribe=transcriber
    )
    model = _model_of(document, asset, transcriber)
    if model:
        output = {"name": asset.name, "document": json.loads(encode(document))}
        async with database.transaction(scope) as tx:
            await clock.hold(tx)  # nothing is kept of what was deleted meanwhile
            if (await assets.get(tx, asset.asset_id)).digest == asset.digest:
                source = str(asset.asset_id)
                await traces.keep_model_output(tx, task=TASK, model=model, prompt=key, source_id=source, output=output)
    return document


class _Changed(Exception):
    """The file is not what it was when it was read."""

    def __init__(self, now: Asset) -> None:
        super().__init__(str(now.asset_id))
        self.now = now


async def _store(
    database: Database,
    scope: Scope,
    projector: Projector,
    assets: AssetStore,
    asset: Asset,
    found: Document | ProjectionError,
) -> None:
    if isinstance(found, ProjectionError):
        async with database.transaction(scope) as tx:
            await clock.hold(tx)
            await _check(tx, assets, asset)
            await projector.fail_file(tx, asset, found.message)
        return
    cut = await asyncio.to_thread(file_nodes, scope, asset, found)
    async with database.transaction(scope) as tx:
        await leaves.lay(tx, cut, engine=projector.engine, check=partial(_check, tx, assets, asset))
        await projector.save_document(tx, asset, found, cut)


async def _check(tx: Transaction, assets: AssetStore, asset: Asset) -> None:
    now = await assets.get(tx, asset.asset_id)
    if now != asset:
        raise _Changed(now)


def _model_of(document: Document, asset: Asset, transcriber: Transcriber | None) -> str:
    """Which model read a file; empty if none did."""
    if document.source_type is SourceType.OCR_TEXT:
        return f"rapidocr {version('rapidocr')}"
    if document.source_type is SourceType.AUDIO_TRANSCRIPT and declared(asset.name, asset.mime) is AUDIO:
        return transcriber.model if transcriber else ""
    return ""


def _kept(output: dict[str, Any], asset: Asset) -> Document:
    """A reading that was kept. The same bytes may have another name now, which is the title of what has none."""
    document = decode(json.dumps(output["document"]).encode())
    if isinstance(document, ProjectionError):
        raise document
    named = document.title == stem_of(output["name"])
    return replace(document, title=stem_of(asset.name)) if named else document
