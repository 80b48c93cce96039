"""Importing the files of a folder in batches: one transaction a batch, and no write for what is stored already."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from context.errors import PocketMindError, ProjectionError, StorageUnavailable
from resources.markdown_folder import FolderFile, FolderListing, FolderNote, Problem, read_file
from storage import notes

if TYPE_CHECKING:
    from cli.running import Call
    from context.scope import Scope
    from context.truth import Note
    from engine.engine import Engine

_BATCH_NOTES = 50
_BATCH_CHARACTERS = 1_000_000
_READ_AT_ONCE = 50


def import_files(call: Call, listing: FolderListing) -> dict[str, Any]:
    """Read and store the files of a listing; one that cannot be read or stored costs nothing but itself.

    Ctrl-C stops between two batches' transactions: what was stored stays, and the same command goes on from there.

    Returns:
        imported, updated, unchanged (numbers); failed and notices, each a list of {path, reason}.
    """
    total = {"imported": 0, "updated": 0, "unchanged": 0}
    failed = list(listing.problems)
    notices: list[Problem] = []
    with call.out.progress("importing", total=len(listing.files)) as bar:
        for start in range(0, len(listing.files), _READ_AT_ONCE):
            files = listing.files[start : start + _READ_AT_ONCE]
            found, unreadable = call.run(_read(files))
            failed += unreadable
            notices += [Problem(path=item.note.source_name, reason=text) for item in found for text in item.notices]
            for batch in _batches([item.note for item in found]):
                done, refused = call.run(_store(call.engine, call.scope, batch))
                failed += refused
                for key, number in done.items():
                    total[key] += number
            bar.reach(start + len(files))
    plain = {"failed": failed, "notices": notices}
    return {**total, **{k: [{"path": p.path, "reason": p.reason} for p in v] for k, v in plain.items()}}


async def _read(files: Sequence[FolderFile]) -> tuple[list[FolderNote], list[Problem]]:
    return await asyncio.to_thread(_read_all, files)


def _read_all(files: Sequence[FolderFile]) -> tuple[list[FolderNote], list[Problem]]:
    found, failed = [], []
    for file in files:
        try:
            found.append(read_file(file))
        except ProjectionError as error:
            failed.append(Problem(path=file.name, reason=error.message))
    return found, failed


def _batches(found: Sequence[Note]) -> Iterator[list[Note]]:
    """At most so many notes, and so many characters: the owner's clock is held while a batch is written."""
    batch: list[Note] = []
    size = 0
    for note in found:
        if batch and (len(batch) == _BATCH_NOTES or size + len(note.body) > _BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(note)
        size += len(note.body)
    if batch:
        yield batch


async def _store(engine: Engine, scope: Scope, batch: Sequence[Note]) -> tuple[dict[str, int], list[Problem]]:
    """Store what differs from what is stored. When a batch is refused, its notes are tried one by one."""
    async with engine.database.transaction(scope) as tx:
        known = await notes.digests(tx, [note.note_id for note in batch])
    changed = [note for note in batch if known.get(note.note_id) != notes.content_digest(note)]
    done = {"imported": 0, "updated": 0, "unchanged": len(batch) - len(changed)}
    refused: list[Problem] = []
    try:
        if changed:
            await _save(engine, scope, changed)
    except StorageUnavailable:
        raise
    except PocketMindError:
        refused = [problem for note in changed if (problem := await _alone(engine, scope, note)) is not None]
    left_out = {problem.path for problem in refused}
    for note in changed:
        if note.source_name not in left_out:
            done["updated" if note.note_id in known else "imported"] += 1
    return done, refused


async def _alone(engine: Engine, scope: Scope, note: Note) -> Problem | None:
    try:
        await _save(engine, scope, [note])
    except StorageUnavailable:
        raise
    except PocketMindError as error:
        return Problem(path=note.source_name, reason=error.message)
    return None


async def _save(engine: Engine, scope: Scope, group: Sequence[Note]) -> None:
    async with engine.database.transaction(scope) as tx:
        for note in group:
            await engine.projector.save_note(tx, note)
