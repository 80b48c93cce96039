"""Importing a folder: its files in batches, the next one read while the present one is written; then what is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cli.imports.batches import Work, store
from cli.imports.deletions import delete, doubt_about, missing
from cli.imports.report import Change, ImportReport, Outcome
from context.errors import InvalidInputError, PocketMindError
from resources.vaults.files import BatchRead, read_batch
from resources.vaults.vault import (
    Listing,
    Site,
    VaultFile,
    as_text,
    folder_site,
    is_read,
    is_wanted,
    resolved,
    root_of,
    shown,
)
from storage import imports
from storage.statistics import look_again

if TYPE_CHECKING:
    from context.scope import Scope
    from engine.engine import Engine

_BATCH_NOTES = 50
_BATCH_BYTES = 1_000_000  # a note has no more characters than its file has bytes
_BATCH_FILES = 20
_BATCH_FILE_BYTES = 50_000_000
_ROOTS_AT_ONCE = 1_000
_FIRST_LOOK = 100
"""Files written after which the planner is made to look at what it has; then again at ten times as many."""

Reach = Callable[[int], None]
Told = Callable[[Outcome], None]


async def site_of(engine: Engine, scope: Scope, path: Path) -> Site:
    """Where the import of a folder or a file stands: in the folder above it that was imported already, if there is one.

    Raises:
        InvalidInputError: there is no such path, or no reader takes the file.
    """
    place = await asyncio.to_thread(resolved, path)
    is_folder = await asyncio.to_thread(place.is_dir)
    if not is_folder and not is_read(place.name):
        name = shown(place.name)
        raise InvalidInputError(f"No reader takes {name}.", zh=f"没有能读取 {name} 的格式。")
    above = [place, *place.parents] if is_folder else list(place.parents)
    roots = {root_of(folder): folder for folder in above}
    async with engine.database.transaction(scope) as tx:
        imported = await imports.roots(tx, list(roots))
    for root, folder in reversed(roots.items()):
        below = place.relative_to(folder)
        if root in imported and all(is_wanted(part) for part in below.parts):
            return Site(folder=folder, root=root, base=folder.name, below="" if place == folder else below.as_posix())
    if is_folder:
        return folder_site(place)
    return Site(folder=place.parent, root=root_of(place), base="", below=place.name)


async def import_vault(
    work: Work,
    listing: Listing,
    report: ImportReport,
    *,
    below: Sequence[str] | None = None,
    reach: Reach = lambda done: None,
    told: Told = lambda outcome: None,
) -> None:
    """Store what the files of a folder give; one that cannot be read or stored costs nothing but itself.

    Every batch is one transaction: when the import is cut off, what was stored stays, and importing again goes on from
    there to the very state that an import in one go would have reached.

    Args:
        report: gets everything that happens, as it happens.
        below: the paths that were listed, where that was only a part of `work.site.below`.
        reach: is told how many files are done. told: is told every outcome.

    Raises:
        StorageUnavailable: the database is gone.
    """

    def add(outcomes: Sequence[Outcome]) -> None:
        report.add(outcomes)
        for outcome in outcomes:
            told(outcome)

    add([Outcome(change=Change.FAILED, name=problem.path, problem=problem) for problem in listing.problems])
    report.skipped = dict(listing.skipped)
    if below is None:
        await _take_over(work, listing)
    places = [as_text(path) for path in ([work.site.below] if below is None else below)]
    gone, known = await missing(work, listing, places)
    done, written, looks_at = 0, 0, _FIRST_LOOK
    async with aclosing(_read_ahead(work, listing)) as batches:
        async for read in batches:
            report.unchanged += read.unchanged
            report.notices += read.notices
            add([Outcome(change=Change.FAILED, name=problem.path, problem=problem) for problem in read.failed])
            if read.found:
                add(await store(work, read.found, gone))
                written += len(read.found)
            if written >= looks_at and work.engine.urls.admin is not None:
                await look_again(work.engine.urls.admin)
                looks_at = written * 10
            done += read.unchanged + len(read.failed) + len(read.found)
            reach(done)
    if not gone:
        return
    doubt = await doubt_about(work, listing, gone, known=known, whole=below is None)
    if doubt is not None:
        report.notices.append(doubt)
        return
    async for outcomes in delete(work, gone):
        add(outcomes)


async def _take_over(work: Work, listing: Listing) -> None:
    """Folders inside of this one that were imported by themselves become parts of it."""
    site = work.site
    inner = {root_of(site.folder / place): place for place in listing.folders if place}
    roots = list(inner)
    for start in range(0, len(roots), _ROOTS_AT_ONCE):
        async with work.engine.database.transaction(work.scope) as tx:
            for root in await imports.roots(tx, roots[start : start + _ROOTS_AT_ONCE]):
                await imports.take_over(tx, site.root, inner=root, prefix=f"{as_text(inner[root])}/")


async def _read_ahead(work: Work, listing: Listing) -> AsyncGenerator[BatchRead, None]:
    """Batches of files as they were read, each while its forerunner is written."""
    batches = batches_of(listing)

    def begin() -> asyncio.Task[BatchRead] | None:
        files = next(batches, None)
        return None if files is None else asyncio.create_task(_read(work, files))

    ahead = begin()
    try:
        while ahead is not None:
            read = await ahead
            ahead = begin()
            yield read
    finally:
        if ahead is not None:
            ahead.cancel()
            with suppress(asyncio.CancelledError, PocketMindError):
                await ahead


async def _read(work: Work, files: Sequence[VaultFile]) -> BatchRead:
    async with work.engine.database.transaction(work.scope) as tx:
        known = await imports.known(tx, work.site.root, [file.path for file in files])
    return await asyncio.to_thread(read_batch, work.site, files, known, zone=work.engine.settings.zone)


def batches_of(listing: Listing) -> Iterator[list[VaultFile]]:
    """Files in batches of one kind: at most fifty notes or a million characters, since the owner's clock is held while
    a batch is written; at most twenty other files or 50 MB, since the transaction is open while they are copied."""
    waiting: dict[bool, list[VaultFile]] = {True: [], False: []}
    sizes = {True: 0, False: 0}
    for file in listing:
        kind = file.is_note
        most, room = (_BATCH_NOTES, _BATCH_BYTES) if kind else (_BATCH_FILES, _BATCH_FILE_BYTES)
        if waiting[kind] and (len(waiting[kind]) == most or sizes[kind] + file.size > room):
            yield waiting[kind]
            waiting[kind], sizes[kind] = [], 0
        waiting[kind].append(file)
        sizes[kind] += file.size
    yield from (files for files in waiting.values() if files)
