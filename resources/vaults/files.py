"""Reading files of a vault: which of them give something new, and what. No database is asked here."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from context.errors import InvalidInputError, ProjectionError
from context.truth import Note
from context.uri import folder_uri
from resources.vaults.markdown import MAX_BYTES, read_note
from resources.vaults.vault import Problem, Site, VaultFile, id_of
from skills.files import read_regular
from storage.imports import READING, Origin

MAX_FILE_BYTES = 200_000_000
"""Larger files are not taken."""
_LONGEST_PATH = 2_000  # bytes; an index of PostgreSQL holds entries of 2,700
_VERSION = 1
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file that gives something new, or lies at a new place.

    Attributes:
        file: where it is; `path`: the same below the folder; `name`: what people are shown.
        digest: sha256 of its bytes.
        note: what it becomes, with the id that a file of this place has; None for what stays a file.
    """

    file: Path
    path: str
    name: str
    digest: bytes
    reading: bytes
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRead:
    """What a batch of files gave; `unchanged` counts those that gave what they gave before."""

    found: tuple[Found, ...]
    unchanged: int
    failed: tuple[Problem, ...]
    notices: tuple[Problem, ...]


def reading_of(site: Site, file: VaultFile, zone: tzinfo) -> bytes:
    """All that decides what a file becomes beside its place and its bytes: this code, its folder's name, the zone."""
    parts = [str(_VERSION), site.base, str(zone) if file.is_note else ""]
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()[:READING]


def read_batch(site: Site, files: Sequence[VaultFile], known: Mapping[str, Origin], *, zone: tzinfo) -> BatchRead:
    """Read files; one that cannot be read costs nothing but itself.

    Args:
        known: by path, what these files gave last.
    """
    found: list[Found] = []
    failed: list[Problem] = []
    notices: list[Problem] = []
    unchanged = 0
    for file in files:
        try:
            one = _read(site, file, known.get(file.path), zone, notices)
        except (ProjectionError, InvalidInputError) as error:
            failed.append(Problem(path=site.named(file.name), reason=error.message, zh=error.zh or ""))
        except OSError as error:
            failed.append(unreadable(site.named(file.name), error))
        else:
            if one is None:
                unchanged += 1
            else:
                found.append(one)
    return BatchRead(found=tuple(found), unchanged=unchanged, failed=tuple(failed), notices=tuple(notices))


def unreadable(name: str, error: OSError) -> Problem:
    """A file that the system does not give."""
    return Problem(
        path=name,
        reason=f"The file cannot be read: {error.strerror or error}.",
        zh=f"无法读取文件：{error.strerror or error}。",
    )


def _read(site: Site, file: VaultFile, origin: Origin | None, zone: tzinfo, notices: list[Problem]) -> Found | None:
    """What a file gives; None if that is what it gave before."""
    path, name = site.folder / file.name, site.named(file.name)
    reading = reading_of(site, file, zone)
    if max(len(file.path.encode()), len(str(folder_uri("", name.rpartition("/")[0])))) > _LONGEST_PATH:
        raise ProjectionError("Its path is too long to be an address.", zh="路径过长，无法作为地址。")
    if not file.is_note:
        digest = _digest(path)
        if origin and (origin.file, origin.reading) == (digest, reading):
            return None
        return Found(file=path, path=file.path, name=name, digest=digest, reading=reading)
    if file.size > MAX_BYTES:
        raise _too_large(MAX_BYTES)
    written = _written(path)
    try:
        raw = read_regular(path, limit=MAX_BYTES)
    except InvalidInputError as error:
        raise ProjectionError(
            "It is no plain file, or it grew while it was read.", zh="不是普通文件，或读取时变大了。"
        ) from error
    digest = hashlib.sha256(raw).digest()
    if origin and (origin.file, origin.reading) == (digest, reading):
        return None
    read = read_note(raw, note_id=id_of(path), name=name, zone=zone, written=written)
    notices += read.notices
    return Found(file=path, path=file.path, name=name, digest=digest, reading=reading, note=read.note)


def _digest(path: Path) -> bytes:
    with os.fdopen(os.open(path, _OPEN), "rb") as file:
        seen = os.fstat(file.fileno())
        if not stat.S_ISREG(seen.st_mode):
            raise ProjectionError("It is not a plain file.", zh="不是普通文件。")
        if seen.st_size > MAX_FILE_BYTES:
            raise _too_large(MAX_FILE_BYTES)
        return hashlib.file_digest(file, "sha256").digest()


def _written(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.lstat().st_mtime, UTC)
    except (OverflowError, ValueError):  # a clock that was far off
        return None


def _too_large(limit: int) -> ProjectionError:
    size = limit // 1_000_000
    return ProjectionError(f"The file is larger than {size} MB; it was not read.", zh=f"文件超过 {size} MB，未读入。")
