"""Notes: the repository of one kind of truth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from psycopg.rows import DictRow

from context.errors import NotFoundError
from context.truth import Note, NoteKind
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("notes")


@dataclass(frozen=True, slots=True)
class Stored:
    """A note as it stands after `put`, and whether this call changed it."""

    note: Note
    changed: bool


def content_digest(note: Note) -> bytes:
    """32 bytes over everything a person can change in a note."""
    parts = [note.kind, note.title, note.body, note.folder, list(note.tags), note.source_url, note.source_name]
    text = json.dumps([*parts, note.first_line, note.pinned], ensure_ascii=False)
    return hashlib.sha256(text.encode()).digest()


async def put(tx: Transaction, note: Note) -> Stored:
    """Create or change a note; the same content twice changes nothing."""
    row = await tx.one(
        _SQL["put"],
        {
            "note_id": note.note_id,
            "kind": note.kind.value,
            "title": note.title,
            "body": note.body,
            "folder": note.folder,
            "tags": list(note.tags),
            "source_url": note.source_url,
            "source_name": note.source_name,
            "first_line": note.first_line,
            "pinned": note.pinned,
            "digest": content_digest(note),
        },
    )
    if row is None:
        return Stored(await get(tx, note.note_id), changed=False)
    return Stored(replace(note, revision=row["revision"], updated_at=row["updated_at"]), changed=True)


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


async def delete(tx: Transaction, note_id: UUID) -> None:
    """Remove a note.

    Raises:
        NotFoundError: unknown, or another owner's.
    """
    if await tx.one(_SQL["delete"], {"note_id": note_id}) is None:
        raise NotFoundError(f"There is no note {note_id}.", zh=f"没有笔记 {note_id}。")


async def digests(tx: Transaction, note_ids: Sequence[UUID]) -> dict[UUID, bytes]:
    """Content digests of those notes that are stored."""
    rows = await tx.all(_SQL["digests"], {"note_ids": list(note_ids)})
    return {row["note_id"]: bytes(row["digest"]) for row in rows}


def _note(row: DictRow) -> Note:
    return Note(**{**row, "kind": NoteKind(row["kind"]), "tags": tuple(row["tags"])})
