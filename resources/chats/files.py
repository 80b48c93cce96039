"""The files inside a zip: found by name or by the id their names begin with, read within bounds, never unpacked."""

from __future__ import annotations

import mimetypes
import re
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO
from zipfile import BadZipFile, ZipExtFile, ZipFile, ZipInfo

from context.condense import cut, one_line
from context.errors import InvalidInputError
from context.text import clean
from resources.chats.reasons import Reason

MOST_BYTES = 50_000_000
"""Of a file that is kept."""
UNREADABLE = (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, struct.error)
"""What opening and reading a damaged member may raise. RuntimeError: it is encrypted, or packed in an unknown way;
ValueError and struct.error: it lies where no file can be."""
_ENCRYPTED = 0x1
_BOMB_BYTES = 100_000_000
_BOMB_RATIO = 200  # deflate reaches 1032; what people write stays below 20
_SHORTEST_ID = 6
_LONGEST_NAME = 200
_DRIVE = re.compile(r"[A-Za-z]:")
_MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
)


class ArchiveFiles:
    """The members of an open zip. Those whose names lead out of a folder are passed over.

    Attributes:
        left_out: why members were passed over.
    """

    def __init__(self, zipped: ZipFile) -> None:
        self._zipped = zipped
        files = [info for info in zipped.infolist() if not info.is_dir()]
        safe = [info for info in files if is_safe(info.filename)]
        self.left_out = (Reason.of("unsafe_names", count=len(files) - len(safe)),) if len(safe) < len(files) else ()
        self._members = sorted(safe, key=lambda info: file_name(info.filename))
        self._names = [file_name(info.filename) for info in self._members]

    def with_suffix(self, suffix: str) -> list[ZipInfo]:
        """Members whose names end so, in the order of their names without folders."""
        return [info for info, name in zip(self._members, self._names, strict=True) if name.lower().endswith(suffix)]

    def starting_with(self, identity: str) -> ZipInfo | None:
        """The member whose name is this id and whatever follows it (`file-AbC` finds `x/file-AbC-photo.png`)."""
        if len(identity) < _SHORTEST_ID:
            return None
        for place in range(bisect_left(self._names, identity), len(self._names)):
            name = self._names[place]
            if not name.startswith(identity):
                break
            if not name[len(identity) : len(identity) + 1].isalnum():
                return self._members[place]
        return None

    def open(self, info: ZipInfo) -> ZipExtFile:
        """A member's bytes as a stream; it ends where the zip says that it does.

        Raises:
            UNREADABLE: it cannot be read; reading on may raise the same.
        """
        return self._zipped.open(info)  # type: ignore[return-value]  # typeshed: IO[bytes]; it is the class

    def read(self, info: ZipInfo) -> bytes | Reason:
        """A member's bytes, or why it is not kept."""
        name = shown(info.filename)
        if info.file_size > MOST_BYTES:
            return Reason.of("large_file", name=name, megabytes=MOST_BYTES // 1_000_000)
        if is_encrypted(info):
            return Reason.of("encrypted", name=name)
        try:
            with self.open(info) as stream:
                return stream.read()
        except UNREADABLE as error:
            return Reason.of("bad_file", name=name, detail=type(error).__name__)


@contextmanager
def opened_zip(file: BinaryIO) -> Iterator[ArchiveFiles]:
    """The members of a zip.

    Raises:
        InvalidInputError: it is damaged, or cut short.
    """
    try:
        zipped = ZipFile(file)
    except UNREADABLE as error:
        raise InvalidInputError(
            "The zip is damaged or was not downloaded to its end; download it again.",
            zh="这个 zip 文件已损坏或没有下载完整，请重新下载。",
        ) from error
    with zipped:
        yield ArchiveFiles(zipped)


def is_encrypted(info: ZipInfo) -> bool:
    """Whether a member can only be read with a password."""
    return bool(info.flag_bits & _ENCRYPTED)


def is_bomb(info: ZipInfo) -> bool:
    """Whether a member becomes larger than anything written by people would."""
    return info.file_size > _BOMB_BYTES and info.file_size > _BOMB_RATIO * info.compress_size


def is_safe(name: str) -> bool:
    """Whether a member's name stays inside the folder that a zip would be unpacked to."""
    plain = name.replace("\\", "/")
    return not (plain.startswith("/") or _DRIVE.match(plain) or ".." in plain.split("/"))


def file_name(path: str) -> str:
    """The last part of a path, whatever system wrote it."""
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def shown(path: str) -> str:
    """A file's name as it is kept: on one line, without folders, of at most 200 characters, never empty."""
    return cut(one_line(clean(file_name(path)).text), _LONGEST_NAME) or "file"


def mime_of(name: str, data: bytes) -> str:
    """What a file is: what its name says, else what its first bytes do."""
    guessed, _ = mimetypes.guess_type(name)
    if guessed:
        return guessed
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for magic, mime in _MAGIC if data.startswith(magic)), "application/octet-stream")
