"""A note on the command line: its parts as people give them, its id or the beginning of it, and its plain values."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from context.condense import one_line
from context.errors import InvalidInputError
from context.text import clean
from context.uri import note_uri

if TYPE_CHECKING:
    from context.truth import Note
    from storage.database import Transaction

_SHORTEST = 6
_HEXADECIMAL = re.compile(r"[0-9a-f]{1,31}")


def title_of(text: str) -> str:
    """A title on one line."""
    return one_line(clean(text).text)


def body_of(text: str) -> str:
    """A text; `-` reads standard input."""
    return clean(sys.stdin.buffer.read().decode("utf-8", "replace") if text == "-" else text).text


def folder_of(text: str) -> str:
    """A folder as notes name it: `/` between its parts, none at the ends; empty for the root."""
    return "/".join(part.strip() for part in clean(text).text.split("/") if part.strip(" ."))


def tags_of(given: Iterable[str]) -> tuple[str, ...]:
    """Tags without `#`, each once."""
    return tuple(dict.fromkeys(one_line(clean(item).text).lstrip("#") for item in given if item.strip("# ")))


def checked(note: Note) -> Note:
    """The note, if it may be stored.

    Raises:
        InvalidInputError: it has neither title nor text, or it is larger than a note may be.
    """
    from resources.vaults.markdown import MAX_BYTES

    if not note.body.strip() and not note.title:
        raise InvalidInputError("The note is empty; give it a title or a text.", zh="笔记是空的；请写标题或正文。")
    if len(note.body.encode()) > MAX_BYTES:
        most = MAX_BYTES // 1_000_000
        raise InvalidInputError(
            f"The note is larger than {most} MB; a note of that size is a dump.", zh=f"笔记超过 {most} MB。"
        )
    return note


async def find_note(tx: Transaction, given: str) -> Note:
    """The note of an id, or of the first six or more characters of one that no other note's id begins with.

    Raises:
        NotFoundError: unknown, or another owner's.
        InvalidInputError: the beginning is too short, or several notes have it.
    """
    from cli.running import as_id
    from storage import notes

    beginning = given.strip().replace("-", "").lower()
    if not _HEXADECIMAL.fullmatch(beginning):
        return await notes.get(tx, as_id(given, "note"))
    if len(beginning) < _SHORTEST:
        raise InvalidInputError(
            f"{given} is too short for the beginning of an id; give at least {_SHORTEST} characters.",
            zh=f"{given} 太短；请至少写出编号的前 {_SHORTEST} 位。",
        )
    lowest = int(beginning.ljust(32, "0"), 16)
    following = await notes.page(tx, after=UUID(int=max(0, lowest - 1)), limit=2)
    found = [note for note in following if note.note_id.hex.startswith(beginning)]
    if not found:
        return await notes.get(tx, as_id(given, "note"))
    if len(found) > 1:
        first, second = (note.note_id for note in found)
        raise InvalidInputError(
            f"{given} is the beginning of several ids, such as {first} and {second}; give more of it.",
            zh=f"{given} 是多条笔记编号的开头，例如 {first} 和 {second}；请多写几位。",
        )
    return found[0]


def plain_note(note: Note, user: str) -> dict[str, Any]:
    """A note as the JSON of every command shows it."""
    return {
        "note_id": str(note.note_id),
        "uri": str(note_uri(user, note.note_id)),
        "title": note.title,
        "kind": note.kind.value,
        "folder": note.folder,
        "tags": list(note.tags),
        "source_name": note.source_name,
        "source_url": note.source_url,
        "first_line": note.first_line,
        "pinned": note.pinned,
        "revision": note.revision,
        "updated_at": note.updated_at.isoformat() if note.updated_at else None,
        "body": note.body,
    }
