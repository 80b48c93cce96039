"""A folder of Markdown as notes: which files it holds, and each one read with its title, tags and line numbers."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from uuid import NAMESPACE_URL, UUID, uuid5

from context.condense import cut, one_line
from context.errors import InvalidInputError, ProjectionError
from context.text import clean, plain
from context.truth import Note, NoteKind
from resources.decoding import decode
from resources.frontmatter import split_front_matter, tags_of
from skills.files import read_regular

MAX_BYTES = 5_000_000
"""Larger files are no notes: an export or a dump, which would drown everything else."""
SUFFIXES = frozenset({".md", ".markdown", ".txt"})
_TITLE = 200
_SKIPPED = "node_modules"
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderFile:
    """A file to read. `name` is what citations show: its path from the folder's parent on, `/`-separated."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A file or folder that was left out, or a part of a file, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderListing:
    """The files of a folder in order of their names, and what in it cannot be entered."""

    files: tuple[FolderFile, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderNote:
    """A file as a note, and what its author should know about how it was read (broken front matter, odd characters)."""

    note: Note
    notices: tuple[str, ...] = ()


def list_folder(folder: Path) -> FolderListing:
    """All Markdown and text files below a folder. Hidden ones and `node_modules` are passed over, links not followed.

    A link to a place inside the folder is passed over without a word: its target is read where it lies.

    Raises:
        InvalidInputError: it is no folder, or it cannot be listed.
    """
    if not folder.is_dir():
        what, zh = ("is not a folder", "不是文件夹") if folder.exists() else ("does not exist", "不存在")
        name = shown(str(folder))
        raise InvalidInputError(f"{name} {what}.", hint="Name a folder that holds Markdown files.", zh=f"{name} {zh}。")
    root = folder.resolve()
    files: list[FolderFile] = []
    problems: list[Problem] = []

    def name_of(path: Path) -> str:
        return shown(path.relative_to(root.parent).as_posix())

    def failed(error: OSError) -> None:
        if Path(error.filename) == root:
            raise InvalidInputError(f"{shown(str(folder))} cannot be listed: {error.strerror}.") from error
        problems.append(Problem(path=name_of(Path(error.filename)), reason=f"cannot be listed: {error.strerror}"))

    for place, folders, names in os.walk(root, onerror=failed):
        above = Path(place)
        linked = [name for name in folders if _wanted_folder(name) and (above / name).is_symlink()]
        folders[:] = sorted(name for name in folders if _wanted_folder(name) and name not in linked)
        for name in sorted([*names, *linked]):
            path = above / name
            if name.startswith(".") or (name not in linked and path.suffix.lower() not in SUFFIXES):
                continue
            if not path.is_symlink():
                files.append(FolderFile(path=path, name=name_of(path)))
            elif (reason := _link_problem(path, root)) is not None:
                problems.append(Problem(path=name_of(path), reason=reason))
    files.sort(key=lambda file: file.name)
    return FolderListing(files=tuple(files), problems=tuple(problems))


def read_file(file: FolderFile) -> FolderNote:
    """One file as a note. The same file at the same place is always the same note, whatever it holds.

    The title is the front matter's, else the first heading, else the file's name.

    Raises:
        ProjectionError: it is too large, no text, no plain file, or cannot be read.
    """
    try:
        text, _ = decode(read_regular(file.path, limit=MAX_BYTES))
    except InvalidInputError as error:
        raise ProjectionError(error.message) from error
    except OSError as error:
        raise ProjectionError(f"The file cannot be read: {error.strerror}.") from error
    cleaned = clean(text)
    front = split_front_matter(cleaned.text)
    notices = [front.problem] if front.problem else []
    if cleaned.replaced:
        notices.append(f"{cleaned.replaced} characters that cannot be stored were replaced by U+FFFD.")
    title = _title_of(front.values.get("title")) or first_heading(front.body) or shown(file.path.stem)
    note = Note(
        note_id=note_id_of(file.path),
        title=cut(title, _TITLE),
        body=front.body,
        kind=NoteKind.IMPORT,
        folder=file.name.rpartition("/")[0],
        tags=tags_of(front.values),
        source_name=file.name,
        first_line=front.first_line,
    )
    return FolderNote(note=note, notices=tuple(notices))


def note_id_of(path: Path) -> UUID:
    """The id of the note that a file becomes, from its resolved absolute path."""
    return uuid5(NAMESPACE_URL, f"pocketmind:file:{shown(str(path))}")


def first_heading(body: str) -> str:
    """The words of the first Markdown heading outside of code, or nothing."""
    fence, before = "", ""
    for line in body.splitlines():
        if opened := _FENCE.match(line):
            mark = opened[1]
            if not fence:
                fence = mark
            elif mark.startswith(fence):
                fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            return plain(heading[1])
        elif not fence and before and _UNDERLINE.match(line) and not _UNDERLINE.match(before):
            return plain(before)
        before = "" if fence else line.strip()
    return ""


def shown(path: str) -> str:
    """A path as text: bytes that are no UTF-8 are written out, so that two such names stay two."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _wanted_folder(name: str) -> bool:
    return not name.startswith(".") and name != _SKIPPED


def _title_of(value: object) -> str:
    """A front matter title; YAML makes numbers and dates of some, which is not what their author meant."""
    return "" if value is None or isinstance(value, list | dict) else one_line(str(value))


def _link_problem(path: Path, root: Path) -> str | None:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: a loop of links, before Python 3.13
        return "a link that leads nowhere"
    return None if target.is_relative_to(root) else "a link that leads out of the folder; it is not followed"
