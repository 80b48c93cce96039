"""`notes import --watch`: what changes in a folder is imported as soon as the folder has been quiet for a moment."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from watchfiles import Change, watch

from cli.imports.importing import import_vault
from cli.imports.report import ImportReport, Outcome
from context.errors import ConfigurationError, InvalidInputError, StorageUnavailable
from resources.vaults.vault import Site, is_wanted, list_vault, outermost, shown

if TYPE_CHECKING:
    from cli.imports.batches import Work
    from cli.running import Call

_QUIET = 500  # milliseconds: an editor that writes a file by deleting it first has long written it again
_LONGEST = 3_000
_TICK = 500
_MOST_PLACES = 200
"""Changed places above which the whole folder is looked through, which then is quicker."""
_RETRY = 5.0


class Watch:
    """Changes below a folder, noticed from the moment that this is made.

    Args:
        site: what is imported.

    Raises:
        ConfigurationError: the system does not let the folder be watched.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._changes = watch(
            site.folder,
            watch_filter=None,
            debounce=_LONGEST,
            step=_QUIET,
            rust_timeout=_TICK,
            yield_on_timeout=True,
            recursive=not site.is_single,  # the folder of a file alone may hold anything
        )
        self._first = self._next()

    def places(self) -> Iterator[list[str]]:
        """Changed paths below the folder, again and again; an empty list when nothing has changed for half a second."""
        waiting = self._first
        while True:
            yield list(self._wanted(waiting))
            waiting = self._next()

    def _next(self) -> set[str]:
        try:
            # A folder says that it changed when something in it did, and that is told by itself.
            return {
                path for kind, path in next(self._changes) if kind is not Change.modified or not Path(path).is_dir()
            }
        except (OSError, RuntimeError) as error:
            raise ConfigurationError(
                f"The folder cannot be watched: {error}.",
                hint="On Linux, raise fs.inotify.max_user_watches; or set WATCHFILES_FORCE_POLLING=1.",
                zh=f"无法监视文件夹：{error}。",
            ) from error

    def _wanted(self, paths: Iterable[str]) -> Iterator[str]:
        below = self._site.below
        for path in sorted(paths):
            place = os.path.relpath(path, self._site.folder)
            place = "" if place == "." else Path(place).as_posix()
            inside = not below or place == below or place.startswith(f"{below}/")
            hidden = place[len(below) :] if inside else place
            if inside and all(is_wanted(part) for part in PurePosixPath(hidden.strip("/")).parts):
                yield below if "\ufffd" in place else place  # a name that is no UTF-8 was not told as it is
            elif not inside and below.startswith(f"{place}/"):
                yield below  # something above what is imported has moved


def follow_changes(
    call: Call, work: Work, changes: Watch, *, told: Callable[[Outcome], None], ended: Callable[[ImportReport], None]
) -> None:
    """Import what changes until Ctrl-C.

    Args:
        changes: begun before the folder was imported, so that nothing between is missed.
        told: is told what became of every file that changed. ended: gets the report of each round.
    """
    waiting: set[str] = set()
    retry_at = 0.0
    try:
        for places in changes.places():
            waiting.update(places)
            if not waiting or time.monotonic() < retry_at:
                continue
            try:
                report = _round(call, work, outermost(list(waiting)), told)
            except StorageUnavailable as error:  # it comes back; what has changed is kept until then
                call.out.notice("watch_waits", style="yellow", reason=error.text(call.out.language))
                retry_at = time.monotonic() + _RETRY
                continue
            waiting.clear()
            ended(report)
            if not work.site.folder.is_dir():
                name = shown(str(work.site.folder))
                raise InvalidInputError(f"{name} is gone, so nothing is watched.", zh=f"{name} 已不在，停止监视。")
    except KeyboardInterrupt:
        call.out.notice("watch_ended")


def _round(call: Call, work: Work, places: list[str], told: Callable[[Outcome], None]) -> ImportReport:
    report = ImportReport()
    below = None if len(places) > _MOST_PLACES or work.site.below in places else places
    listing = list_vault(work.site, below)
    call.run(import_vault(work, listing, report, below=below, told=told))
    return report
