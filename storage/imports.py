"""Imports: which file of which folder a note or an asset came from, and what that file gave last.

A file is named by its root (32 bytes over the folder's path) and by its path below it. One note or asset comes from one
file; its row goes with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import DictRow

from storage.database import Statement, Transaction
from storage.queries import queries

_SQL = queries("imports")
READING = 8
"""Bytes of `Origin.reading`."""
_DIGEST = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A file and what became of it.

    Attributes:
        path: below the root, `/`-separated, as the file system spells it.
        file: sha256 of the bytes that it gave last.
        made: content digest of the note that they made; empty for an asset.
        reading: `READING` bytes over all else that decides what the bytes become.
        standing: content digest of the note as it is now; None for an asset.
    """

    path: str
    note_id: UUID | None = None
    asset_id: UUID | None = None
    file: bytes
    made: bytes = b""
    reading: bytes
    standing: bytes | None = None

    @property
    def edited(self) -> bool:
        """Whether somebody changed the note since its file gave it."""
        return self.standing is not None and self.standing != self.made

    @property
    def source_id(self) -> UUID:
        """The note's or the asset's id."""
        found = self.note_id or self.asset_id
        assert found is not None  # noqa: S101  # the table holds one of the two
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A file that is known: where it was, what it became and the sha256 of its bytes."""

    path: str
    note_id: UUID | None
    asset_id: UUID | None
    file: bytes


def key_of(root: bytes, path: str) -> str:
    """What a file's tombstone is called: a hash, since a path is text."""
    return f"import:{hashlib.sha256(root + path.encode()).hexdigest()}"


async def known(tx: Transaction, root: bytes, paths: Sequence[str]) -> dict[str, Origin]:
    """What these files of a folder gave last; one that is new is missing."""
    rows = await tx.all(_SQL["known"], {"root": root, "paths": list(paths)})
    return {row["path"]: _origin(row) for row in rows}


async def page(tx: Transaction, root: bytes, *, below: Sequence[str], after: str, limit: int) -> list[Place]:
    """Known files in the order of their paths, after one of them.

    Args:
        below: only files at or below these paths; an empty one means all.
    """
    prefixes = [f"{path}/" if path else "" for path in below]
    values = {"root": root, "places": list(below), "prefixes": prefixes, "after": after, "limit": limit}
    return [Place(**{**row, "file": bytes(row["file"])}) for row in await tx.all(_SQL["page"], values)]


async def count(tx: Transaction, root: bytes) -> int:
    """How many files of a folder are known."""
    row = await tx.one(_SQL["count"], {"root": root})
    return int(row["count"]) if row else 0


async def holders(tx: Transaction, ids: Sequence[UUID]) -> dict[UUID, tuple[bytes, str]]:
    """Root and path of the files that these notes and assets came from; one that came from none is missing."""
    rows = await tx.all(_SQL["holders"], {"ids": list(ids)})
    return {row["id"]: (bytes(row["root"]), row["path"]) for row in rows}


async def roots(tx: Transaction, candidates: Sequence[bytes]) -> set[bytes]:
    """Those of these roots of which a file is known."""
    return {bytes(row["root"]) for row in await tx.all(_SQL["roots"], {"roots": list(candidates)})}


async def take_over(tx: Transaction, root: bytes, *, inner: bytes, prefix: str) -> None:
    """Know the files of a folder, which was imported by itself, as files of a folder above it.

    Args:
        prefix: the inner folder's path below the root, with a `/` at its end.
    """
    values = {"root": root, "inner": inner, "prefix": prefix}
    await tx.pipelined([(_SQL["take_over"], values), (_SQL["forget_root"], values)])


async def put(tx: Transaction, root: bytes, origins: Sequence[Origin]) -> None:
    """Say what files gave. A note or asset that came from another file until now comes from this one."""
    if not origins:
        return
    values = {
        "root": root,
        "paths": [origin.path for origin in origins],
        "note_id": [origin.note_id for origin in origins],
        "asset_id": [origin.asset_id for origin in origins],
        "note_ids": [origin.note_id for origin in origins if origin.note_id],
        "asset_ids": [origin.asset_id for origin in origins if origin.asset_id],
        "content": [origin.file + origin.reading + origin.made for origin in origins],
    }
    statements: list[Statement] = [(_SQL["leave"], values), (_SQL["put"], values)]
    await tx.pipelined(statements)


async def bury(tx: Transaction, ids: Sequence[UUID]) -> None:
    """Leave tombstones of the files that these notes and assets came from. To be called before they are deleted."""
    await tx.execute(_SQL["bury"], {"ids": list(ids)})


async def lift(tx: Transaction, source_ids: Sequence[str]) -> None:
    """Take away the tombstones of whole sources, so that they may come back."""
    await tx.execute(_SQL["lift"], {"source_ids": list(source_ids)})


async def named(tx: Transaction, digests: Sequence[bytes]) -> set[bytes]:
    """Those of these bytes, by their sha256, that any asset names."""
    return {bytes(row["digest"]) for row in await tx.all(_SQL["named"], {"digests": list(digests)})}


async def words(tx: Transaction, vids: Sequence[int]) -> dict[int, dict[str, int]]:
    """The words of versions of nodes, which they keep when they move: version to word to frequency."""
    found: dict[int, dict[str, int]] = {}
    for row in await tx.all(_SQL["words"], {"vids": list(vids)}):
        found.setdefault(row["vid"], {})[row["term"]] = row["tf"]
    return found


def _origin(row: DictRow) -> Origin:
    content = bytes(row["content"])
    return Origin(
        path=row["path"],
        note_id=row["note_id"],
        asset_id=row["asset_id"],
        file=content[:_DIGEST],
        reading=content[_DIGEST : _DIGEST + READING],
        made=content[_DIGEST + READING :],
        standing=None if row["standing"] is None else bytes(row["standing"]),
    )
