"""Files that are gone from an imported folder: found, doubted where too many are, and deleted with what they gave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cli.imports.report import Change, Outcome
from context.errors import PocketMindError, StorageUnavailable
from context.uri import asset_uri, note_uri
from memory.erasure import delete_files, delete_notes
from resources.vaults.gone import Gone
from resources.vaults.relocation import settle_links
from resources.vaults.vault import Listing, Problem, shown
from storage import clock, imports
from storage.imports import Place

if TYPE_CHECKING:
    from cli.imports.batches import Work

_PAGE = 5_000
_BATCH = 50
_GUARDED_FROM = 10
"""Known files from which on the loss of more than half of them is not believed."""


async def missing(work: Work, listing: Listing, below: Sequence[str]) -> tuple[Gone, int]:
    """Known files that the listing does not hold, and how many are known."""
    gone, known, after = Gone(), 0, ""
    while True:
        async with work.engine.database.transaction(work.scope) as tx:
            page = await imports.page(tx, work.site.root, below=below, after=after, limit=_PAGE)
        for place in page:
            if not listing.holds(place.path):
                gone.add(place)
        known += len(page)
        if len(page) < _PAGE:
            return gone, known
        after = page[-1].path


async def doubt_about(work: Work, listing: Listing, gone: Gone, *, known: int, whole: bool) -> Problem | None:
    """Why files that are gone are not to be deleted: it was asked for, or it looks like a drive that is not mounted.

    Args:
        known: how many files were known where the listing looked.
        whole: whether the listing looked everywhere.
    """
    choices, name = work.choices, work.site.named(work.site.below)
    if choices.prune:
        return None
    if choices.keep_deleted:
        reason = f"{len(gone)} files are gone; what they gave was kept (--keep-deleted)."
        return Problem(path=name, reason=reason, zh=f"{len(gone)} 个文件已不在；其内容予以保留（--keep-deleted）。")
    if whole:
        empty = not len(listing)
    else:
        empty = await asyncio.to_thread(_is_empty, work.site.folder)
        async with work.engine.database.transaction(work.scope) as tx:
            known = await imports.count(tx, work.site.root)
    if not empty and (known < _GUARDED_FROM or 2 * len(gone) <= known):
        return None
    return Problem(
        path=name,
        reason=f"{len(gone)} of {known} known files are gone at once, so nothing was deleted. If that is meant, run"
        " again with --prune.",
        zh=f"已知的 {known} 个文件中有 {len(gone)} 个同时不见，因此没有删除任何内容。"
        "若确实如此，请加 --prune 再次运行。",
    )


async def delete(work: Work, gone: Gone) -> AsyncIterator[list[Outcome]]:
    """Delete the notes and files whose files are gone for good, in batches."""
    left = gone.left()
    for start in range(0, len(left), _BATCH):
        yield await _delete(work, left[start : start + _BATCH])


def _is_empty(folder: Path) -> bool:
    return not folder.is_dir() or next(folder.iterdir(), None) is None


async def _delete(work: Work, places: Sequence[Place]) -> list[Outcome]:
    """Delete notes and files whose files are gone; if that is refused, one by one."""
    try:
        return await _delete_together(work, places)
    except StorageUnavailable:
        raise
    except PocketMindError as error:
        if len(places) == 1:
            name = work.site.named(places[0].path)
            problem = Problem(path=name, reason=error.message, zh=error.zh or "")
            return [Outcome(change=Change.FAILED, name=name, problem=problem)]
    return [outcome for place in places for outcome in await _delete(work, [place])]


async def _delete_together(work: Work, places: Sequence[Place]) -> list[Outcome]:
    engine, site, assets = work.engine, work.site, work.engine.assets
    outcomes: list[Outcome] = []
    async with engine.database.transaction(work.scope) as tx:
        await clock.hold(tx)  # what is decided here must still hold when it is deleted
        origins = await imports.known(tx, site.root, [place.path for place in places])
        edited = {path for path, origin in origins.items() if origin.edited and not work.choices.take_files}
        outcomes += [_kept(site.named(path)) for path in sorted(edited)]
        going = {path: origin for path, origin in sorted(origins.items()) if path not in edited}
        notes = [origin.note_id for origin in going.values() if origin.note_id]
        files = [origin.asset_id for origin in going.values() if origin.asset_id]
        stale: list[bytes] = []
        if notes:
            stale += (await delete_notes(tx, notes, engine=engine.engine_id, assets=assets)).bytes_to_discard
        if files:
            stale += (await delete_files(tx, files, engine=engine.engine_id, assets=assets)).bytes_to_discard
            await settle_links(tx, [shown(path).rpartition("/")[2] for path, one in going.items() if one.asset_id])
        # The file is gone, which is no wish of the person's: should it come back, so does the note.
        marks = [imports.key_of(site.root, path) for path in going]
        marks += [str(note_uri(work.scope.user, note_id)) for note_id in notes]
        marks += [str(asset_uri(work.scope.user, asset_id)) for asset_id in files]
        await imports.lift(tx, marks)
    async with engine.database.transaction(work.scope) as tx:
        await assets.discard(tx, stale)
    return outcomes + [Outcome(change=Change.DELETED, name=site.named(path)) for path in going]


def _kept(name: str) -> Outcome:
    problem = Problem(
        path=name,
        reason="The file is gone, but the note was changed in PocketMind and stays; --take-files deletes it.",
        zh="文件已不在，但笔记在 PocketMind 中改过，因此保留；--take-files 将其删除。",
    )
    return Outcome(change=Change.CONFLICT, name=name, problem=problem)
