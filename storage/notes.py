"""Notes: the repository of one kind of truth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import DictRow, TupleRow
from psycopg.types.json import Jsonb

from context.errors import NotFoundError
from context.truth import Note, NoteKind
from storage.database import Statement, Transaction
from storage.queries import queries

_SQL = queries("notes")


@dataclass(frozen=True, slots=True)
class Stored:
    """A note as it stands after it was saved, and whether that changed it."""

    note: Note
    changed: bool


def content_digest(note: Note) -> bytes:
    """32 bytes over everything a person can change in a note."""
    parts: list[object] = [note.kind, note.title, note.body, note.folder, list(note.tags)]
    parts += [note.source_url, note.source_name, note.first_line, note.pinned]
    if note.aliases or note.dated:
        parts += [list(note.aliases), note.dated.isoformat() if note.dated else None]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")).digest()


def put_statement(notes: Sequence[Note]) -> Statement:
    """Create or change notes: the rows it gives are (id, revision, updated_at) of those that changed."""
    return _SQL["put"], {
        "note_id": [note.note_id for note in notes],
        "kind": [note.kind.value for note in notes],
        "title": [note.title for note in notes],
        "body": [note.body for note in notes],
        "folder": [note.folder for note in notes],
        "tags": [Jsonb(note.tags) for note in notes],
        "source_url": [note.source_url for note in notes],
        "source_name": [note.source_name for note in notes],
        "first_line": [note.first_line for note in notes],
        "pinned": [note.pinned for note in notes],
        "aliases": [Jsonb(note.aliases) for note in notes],
        "dated": [note.dated for note in notes],
        "digest": [content_digest(note) for note in notes],
        "updated_at": [note.updated_at for note in notes],
    }


async def get(tx: Transaction, note_id: UUID) -> Note:
    """One note.

    Raises:
        NotFoundError: unknown, or another owner's.
    """
    row = await tx.one(_SQL["get"], {"note_id": note_id})
    if row is None:
        raise NotFoundError(f"There is no note {note_id}.", zh=f"没有笔记 {note_id}。")
    return _note(row)


async def list_notes(tx: Transaction, *, folder: str | None = None, limit: int = 50) -> list[Note]:
    """Notes, newest change first; bodies are cut to 200 characters."""
    return [_note(row) for row in await tx.all(_SQL["list"], {"folder": folder, "limit": limit})]


async def page(tx: Transaction, *, after: UUID, limit: int) -> list[Note]:
    """Whole notes in the order of their ids, after one of them."""
    return [_note(row) for row in await tx.all(_SQL["page"], {"after": after, "limit": limit})]


async def delete(tx: Transaction, note_ids: Sequence[UUID]) -> None:
    """Remove notes.

    Raises:
        NotFoundError: one is unknown, or another owner's.
    """
    gone = {row["note_id"] for row in await tx.all(_SQL["delete"], {"note_ids": list(note_ids)})}
    for note_id in note_ids:
        if note_id not in gone:
            raise NotFoundError(f"There is no note {note_id}.", zh=f"没有笔记 {note_id}。")


@dataclass(frozen=True, slots=True)
class Mark:
    """What tells whether a note changed, and whether that changes the words of nodes whose text did not."""

    digest: bytes
    kind: NoteKind
    tags: tuple[str, ...]


def marks_statement(note_ids: Sequence[UUID]) -> Statement:
    """Id, content digest, kind and tags of those notes that are stored, for `marks_of`."""
    return _SQL["marks"], {"note_ids": list(note_ids)}


def marks_of(rows: Iterable[TupleRow]) -> dict[UUID, Mark]:
    """Rows of `marks_statement` by note."""
    return {row[0]: Mark(bytes(row[1]), NoteKind(row[2]), tuple(row[3])) for row in rows}


async def marks(tx: Transaction, note_ids: Sequence[UUID]) -> dict[UUID, Mark]:
    """What is stored of those of these notes that are."""
    return marks_of((await tx.pipelined([marks_statement(note_ids)]))[0])


async def digests(tx: Transaction, note_ids: Sequence[UUID]) -> dict[UUID, bytes]:
    """Content digests of those notes that are stored."""
    rows = await tx.all(_SQL["digests"], {"note_ids": list(note_ids)})
    return {row["note_id"]: bytes(row["digest"]) for row in rows}


def _note(row: DictRow) -> Note:
    return Note(**{**row, "kind": NoteKind(row["kind"]), "tags": tuple(row["tags"]), "aliases": tuple(row["aliases"])})
