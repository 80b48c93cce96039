"""A folder that people import, such as a vault: which files it holds, and where each belongs. Compact, since a vault
may hold hundreds of thousands."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from uuid import NAMESPACE_URL, UUID, uuid5

from context.errors import InvalidInputError
from resources.readers import registry

NOTE_SUFFIXES = frozenset({".md", ".markdown", ".txt"})
"""Files that become notes; whatever else a reader takes stays a file."""
NO_SUFFIX = "(none)"
_PASSED_OVER = frozenset({"node_modules", "__MACOSX"})
# Control characters, line ends, and marks that turn the direction of what follows.
_COMMANDING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_LOCK = "~$"  # what Office leaves beside an open document


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A file or folder that was left out, or a part of a file, and why."""

    path: str
    reason: str
    zh: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where an import stands.

    Attributes:
        folder: resolved; paths are relative to it.
        root: 32 bytes that name it.
        base: what the names in citations begin with: the folder's own name; empty for a single file.
        below: what of the folder is imported: itself (an empty path), a folder or a file in it.
    """

    folder: Path
    root: bytes
    base: str
    below: str = ""

    def named(self, path: str) -> str:
        """What people are shown for a path below the folder, and what citations call it."""
        return shown("/".join(part for part in (self.base, path) if part) or self.folder.name)

    @property
    def is_single(self) -> bool:
        """Whether it is a file that was imported by itself."""
        return self.root != root_of(self.folder)


@dataclass(frozen=True, slots=True)
class VaultFile:
    """A file to read.

    Attributes:
        name: its path below the folder, in the system's own spelling (with surrogates for bytes that are no UTF-8).
        size: bytes when it was listed.
    """

    name: str
    size: int

    @property
    def path(self) -> str:
        """`name` as text that can be stored."""
        return as_text(self.name)

    @property
    def is_note(self) -> bool:
        """Whether it becomes a note."""
        return registry.suffix_of(self.name) in NOTE_SUFFIXES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Listing:
    """The files of a folder in the order of their paths.

    Attributes:
        names, sizes: of the files, see `VaultFile`.
        folders: paths of all folders in it that were entered.
        problems: what cannot be entered or followed; `unseen`: the same places as paths. What lies there is not gone.
        skipped: suffix to number of files that no reader takes.
    """

    names: Sequence[str]
    sizes: Sequence[int]
    folders: Sequence[str]
    problems: tuple[Problem, ...]
    unseen: tuple[str, ...]
    skipped: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[VaultFile]:
        return map(VaultFile, self.names, self.sizes)

    def holds(self, path: str) -> bool:
        """Whether a file is in the folder, as far as can be seen."""
        place = bisect_left(self.names, path, key=as_text)
        if place < len(self.names) and as_text(self.names[place]) == path:
            return True
        return any(path == hidden or path.startswith(f"{hidden}/") for hidden in self.unseen)


def root_of(path: Path) -> bytes:
    """What names an imported folder, or a file that was imported by itself: sha256 of its resolved path."""
    return hashlib.sha256(os.fsencode(path)).digest()


def folder_site(folder: Path) -> Site:
    """An import of a resolved folder for itself."""
    return Site(folder=folder, root=root_of(folder), base=folder.name)


def id_of(path: Path, again: int = 0) -> UUID:
    """The id of the note or asset that a file becomes.

    Args:
        path: resolved and absolute.
        again: counts up where a note that has moved away since still has the id.
    """
    tail = f"#{again}" if again else ""
    return uuid5(NAMESPACE_URL, f"pocketmind:file:{as_text(str(path))}{tail}")


def resolved(path: Path) -> Path:
    """The folder or file that a person names, without links.

    Raises:
        InvalidInputError: there is none.
    """
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, before Python 3.13
        missing = isinstance(error, FileNotFoundError)
        what, zh = ("does not exist", "不存在") if missing else ("cannot be entered", "无法打开")
        name = shown(str(path))
        raise InvalidInputError(
            f"{name} {what}.", hint="Name a folder of notes, or a file.", zh=f"{name} {zh}。"
        ) from error


def list_vault(site: Site, below: Sequence[str] | None = None) -> Listing:
    """All files of a folder that can be read. What is hidden and `node_modules` is passed over, links are not followed.

    A link to a place inside the folder is passed over without a word: its target is read where it lies.

    Args:
        below: paths to look at and below, in the system's own spelling, instead of `site.below`; one that leads to
            nothing is passed over.

    Raises:
        InvalidInputError: the folder itself cannot be listed.
    """
    walk = _Walk(site)
    for start in outermost([site.below] if below is None else below):
        walk.enter(start)
    return walk.listing()


def outermost(paths: Sequence[str]) -> list[str]:
    """These paths without those that lie below another of them."""
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda path: path.split("/") if path else []):
        if not kept or not (kept[-1] == "" or path.startswith(f"{kept[-1]}/")):
            kept.append(path)
    return kept


def is_wanted(name: str) -> bool:
    """Whether a file or folder of this name is looked at."""
    return not name.startswith((".", _LOCK)) and name not in _PASSED_OVER


def is_read(name: str) -> bool:
    """Whether a file of this name becomes a note or a file."""
    suffix = registry.suffix_of(name)
    return suffix in NOTE_SUFFIXES or suffix in registry.SUFFIXES


def as_text(path: str) -> str:
    """A path as text that can be stored: bytes that are no UTF-8 are written out, so that two such names stay two."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    return path


def shown(path: str) -> str:
    """A path as people are shown it: on one line, its characters composed as links in notes write them."""
    text = unicodedata.normalize("NFC", as_text(path))
    return _COMMANDING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class _Walk:
    """Collects a listing."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._found: list[tuple[str, int]] = []
        self._folders: list[str] = []
        self._problems: dict[str, Problem] = {}
        self._skipped: Counter[str] = Counter()

    def enter(self, start: str) -> None:
        """Look at a path and at all below it."""
        if not all(is_wanted(part) for part in PurePosixPath(start).parts) and start != self._site.below:
            return
        waiting = [start]
        while waiting:
            place = waiting.pop()
            path = self._site.folder / place
            if place and not path.is_dir():
                self._add_file(place)
                continue
            if place and path.is_symlink():
                self._add_link(place)
                continue
            try:
                with os.scandir(path) as entries:
                    waiting += self._sorted_out(place, entries)
                self._folders.append(place)
            except FileNotFoundError:
                continue
            except OSError as error:
                if not place:
                    name = shown(str(self._site.folder))
                    raise InvalidInputError(f"{name} cannot be listed: {error.strerror}.") from error
                self._leave_out(place, f"cannot be listed: {error.strerror}", f"无法列出：{error.strerror}")

    def listing(self) -> Listing:
        """What was found."""
        self._found.sort(key=lambda item: as_text(item[0]))
        return Listing(
            names=[name for name, _ in self._found],
            sizes=array("q", (size for _, size in self._found)),
            folders=sorted(self._folders, key=as_text),
            problems=tuple(self._problems[place] for place in sorted(self._problems)),
            unseen=tuple(sorted(self._problems)),
            skipped=dict(sorted(self._skipped.items())),
        )

    def _sorted_out(self, place: str, entries: Iterator[os.DirEntry[str]]) -> list[str]:
        """Take the files of a folder; its folders are still to be entered."""
        folders = []
        for entry in entries:
            if not is_wanted(entry.name):
                continue
            below = f"{place}/{entry.name}" if place else entry.name
            if entry.is_symlink():
                self._add_link(below)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(below)
            elif not is_read(entry.name):
                self._skipped[shown(registry.suffix_of(entry.name)) or NO_SUFFIX] += 1
            else:
                self._add_file(below, entry)
        return folders

    def _add_file(self, place: str, entry: os.DirEntry[str] | None = None) -> None:
        try:
            seen = entry.stat(follow_symlinks=False) if entry else (self._site.folder / place).lstat()
        except FileNotFoundError:  # it went while the folder was listed
            return
        except OSError as error:
            self._leave_out(place, f"cannot be looked at: {error.strerror}", f"无法查看：{error.strerror}")
            return
        if entry is None and (self._site.folder / place).is_symlink():
            self._add_link(place)
        elif entry is None and not is_read(place):
            self._skipped[shown(registry.suffix_of(place)) or NO_SUFFIX] += 1
        else:
            self._found.append((place, seen.st_size))

    def _add_link(self, place: str) -> None:
        path = self._site.folder / place
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            if is_read(place):
                self._leave_out(place, "a link that leads nowhere", "链接没有目标")
            return
        if not target.is_relative_to(self._site.folder) and (target.is_dir() or is_read(place)):
            self._leave_out(
                place, "a link that leads out of the folder; it is not followed", "链接指向文件夹之外，未跟随"
            )

    def _leave_out(self, place: str, reason: str, zh: str) -> None:
        text = as_text(place)
        self._problems[text] = Problem(path=self._site.named(place), reason=reason, zh=zh)
