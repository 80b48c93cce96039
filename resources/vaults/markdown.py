"""A Markdown or text file of a folder as a note: its title, tags, aliases, day and line numbers. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import PurePosixPath
from uuid import UUID

from context.condense import cut
from context.text import clean, plain
from context.truth import Note, NoteKind
from resources.decoding import decode
from resources.vaults.frontmatter import aliases_of, split_front_matter, tags_of, title_of
from resources.vaults.inline_tags import inline_tags
from resources.vaults.note_dates import dated
from resources.vaults.vault import Problem

MAX_BYTES = 5_000_000
"""Larger files are no notes: an export or a dump, which would drown everything else."""
_TITLE = 200
_MOST_TAGS = 100
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderNote:
    """A file as a note, and what its author should know about how it was read (broken front matter, odd characters)."""

    note: Note
    notices: tuple[Problem, ...] = ()


def read_note(raw: bytes, *, note_id: UUID, name: str, zone: tzinfo, written: datetime | None = None) -> FolderNote:
    """The bytes of a file as a note.

    The title is the front matter's, else the first heading, else the file's name. Tags are the front matter's and those
    of the text.

    Args:
        name: what citations show, `/`-separated; its folders become the note's.
        zone: in which a day begins.
        written: when the file was last changed.

    Raises:
        ProjectionError: it is no text.
    """
    text, _ = decode(raw)
    cleaned = clean(text)
    front = split_front_matter(cleaned.text)
    notices = [Problem(path=name, reason=front.problem, zh=front.problem_zh or "")] if front.problem else []
    if cleaned.replaced:
        reason = f"{cleaned.replaced} characters that cannot be stored were replaced by U+FFFD."
        notices.append(Problem(path=name, reason=reason, zh=f"{cleaned.replaced} 个无法保存的字符已替换为 U+FFFD。"))
    stem = PurePosixPath(name).stem
    note = Note(
        note_id=note_id,
        title=cut(title_of(front.values) or first_heading(front.body) or stem, _TITLE),
        body=front.body,
        kind=NoteKind.IMPORT,
        folder=name.rpartition("/")[0],
        tags=_joined(tags_of(front.values), inline_tags(front.body)),
        source_name=name,
        first_line=front.first_line,
        aliases=aliases_of(front.values),
        dated=dated(front.values, stem, zone=zone),
        updated_at=written,
    )
    return FolderNote(note=note, notices=tuple(notices))


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


def _joined(*groups: tuple[str, ...]) -> tuple[str, ...]:
    """Tags in order, each once whatever its case."""
    found: dict[str, str] = {}
    for tag in (tag for group in groups for tag in group):
        found.setdefault(tag.casefold(), tag)
    return tuple(found.values())[:_MOST_TAGS]
