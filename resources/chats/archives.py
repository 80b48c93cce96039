"""The export archives of ChatGPT and Claude: told by what they hold, read one conversation at a time.

A zip, or the `conversations.json` out of it. Newer exports of ChatGPT come in parts (`conversations-000.json` ...).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO, Final
from zipfile import ZipInfo
from zoneinfo import ZoneInfo

from context.errors import InvalidInputError
from resources.chats import chatgpt, claude
from resources.chats.files import UNREADABLE, ArchiveFiles, is_bomb, is_encrypted, mime_of, opened_zip, shown
from resources.chats.json_items import BadItem, Readable, keys_of_items, read_items
from resources.chats.plain_values import as_map
from resources.chats.reasons import Reason
from resources.chats.tree import ArchivedFile, BadConversation, Conversation, Kind, Tree, settled

_PROBE_BYTES = 1_000_000
_MOST_PROBES = 1_000
_KINDS: Mapping[str, Kind] = {chatgpt.MARK: "chatgpt", claude.MARK: "claude"}
_READERS: Mapping[Kind, Callable[[Mapping[str, Any], ZoneInfo], Tree]] = {
    "chatgpt": chatgpt.read_tree,
    "claude": claude.read_tree,
}
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBytes:
    """A file out of an archive."""

    name: str
    mime: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A list of conversations: a member of a zip, or the file itself (None)."""

    member: ZipInfo | None
    kind: Kind
    size: int


class ChatArchive:
    """An open archive.

    Attributes:
        kind: whose it is; of one that mixes both, of its first part.
        size: bytes of JSON in all; `position`: how many of them have been read.
        left_out: what of the archive as a whole was passed over, and why.
    """

    def __init__(
        self,
        file: BinaryIO,
        parts: Sequence[_Part],
        *,
        files: ArchiveFiles | None = None,
        left_out: Sequence[Reason] = (),
    ) -> None:
        self.kind: Final = parts[0].kind
        self.size: Final = sum(part.size for part in parts)
        self.position = 0
        self.left_out: Final = tuple(left_out)
        self._file = file
        self._parts = parts
        self._files = files

    def conversations(
        self, *, zone: ZoneInfo, most_bytes: int, undated: datetime
    ) -> Iterator[Conversation | BadConversation]:
        """All conversations in the archive's order, and each place where none could be read.

        Args:
            zone, most_bytes, undated: see `chat_tree.settled`.
        """
        number = 0
        for part in self._parts:
            begun = number
            mark = next(mark for mark, kind in _KINDS.items() if kind == part.kind)
            try:
                for item in read_items(_Counted(self._opened(part), self)):
                    number = begun + item.number
                    if isinstance(item, BadItem):
                        yield BadConversation(number=number, given="", reason=item.reason)
                    elif mark not in as_map(item.value):
                        yield BadConversation(number=number, given="", reason=Reason.of("not_a_conversation"))
                    else:
                        yield settled(
                            _READERS[part.kind](item.value, zone),
                            number=number,
                            kind=part.kind,
                            zone=zone,
                            most_bytes=most_bytes,
                            undated=undated,
                        )
            except _Unreadable as error:
                number += 1
                yield BadConversation(number=number, given="", reason=Reason.of("damaged", detail=str(error)))

    def read(self, file: ArchivedFile) -> FileBytes | Reason | None:
        """The bytes of an attachment; a Reason when they are not kept, None when the archive does not hold them."""
        told = file.attachment
        if told.text is not None:
            return FileBytes(name=shown(told.name), mime=told.mime or "text/plain", data=told.text.encode())
        member = self._files.starting_with(told.pointer) if self._files else None
        if self._files is None or member is None:
            return None
        data = self._files.read(member)
        if isinstance(data, Reason):
            return data
        name = shown(told.name if told.name != told.pointer else member.filename)
        return FileBytes(name=name, mime=told.mime or mime_of(name, data), data=data)

    def _opened(self, part: _Part) -> Readable:
        if self._files is None or part.member is None:
            self._file.seek(0)
            return self._file
        try:
            return self._files.open(part.member)
        except UNREADABLE as error:
            raise _Unreadable(type(error).__name__) from error


@contextmanager
def opened_archive(file: BinaryIO) -> Iterator[ChatArchive | None]:
    """What a file holds: an archive of conversations, or None when it is neither a zip nor a JSON array.

    Args:
        file: a seekable file, opened in binary mode; it stays at its beginning for whoever reads it otherwise.

    Raises:
        InvalidInputError: a zip or an array, but no archive that is read; or a damaged, encrypted or hostile one.
    """
    begun = file.read(4_096).removeprefix(_BOM).lstrip()
    size = file.seek(0, 2)
    file.seek(0)
    if begun.startswith(b"PK"):
        with opened_zip(file) as files:
            parts, left_out = _parts_of(files)
            yield ChatArchive(file, parts, files=files, left_out=left_out)
    elif begun.startswith(b"["):
        kind = _kind_of(file)
        if kind is None:
            raise _unknown()
        yield ChatArchive(file, [_Part(member=None, kind=kind, size=size)])
    else:
        yield None


def _parts_of(files: ArchiveFiles) -> tuple[list[_Part], list[Reason]]:
    """The lists of conversations in a zip, and why something was passed over.

    Raises:
        InvalidInputError: there is none.
    """
    parts = []
    left_out = list(files.left_out)
    for member in files.with_suffix(".json")[:_MOST_PROBES]:
        name = shown(member.filename)
        if is_encrypted(member):
            left_out.append(Reason.of("encrypted", name=name))
        elif is_bomb(member):
            left_out.append(Reason.of("zip_bomb", name=name))
        else:
            try:
                with files.open(member) as stream:
                    kind = _kind_of(stream)
            except UNREADABLE as error:
                left_out.append(Reason.of("bad_file", name=name, detail=type(error).__name__))
                continue
            if kind is not None:
                parts.append(_Part(member=member, kind=kind, size=member.file_size))
    if parts:
        return parts, left_out
    codes = {one.code for one in left_out}
    if "encrypted" in codes:
        raise InvalidInputError(
            "The zip is encrypted; unpack it with its password, and import conversations.json.",
            zh="这个 zip 文件已加密；请先用密码解压，再导入其中的 conversations.json。",
        )
    if "zip_bomb" in codes:
        raise InvalidInputError(
            "The zip would unpack to far more than people write; it is not read.",
            zh="这个 zip 文件解压后大得不合常理，因此不读取。",
        )
    raise _unknown()


def _kind_of(file: Readable) -> Kind | None:
    """Whose conversations a JSON array holds, as its beginning tells."""
    return next((_KINDS[key] for key in keys_of_items(_Beginning(file)) if key in _KINDS), None)


def _unknown() -> InvalidInputError:
    return InvalidInputError(
        "There are no conversations in it that are known. What is read: an export of ChatGPT or Claude (the zip, or"
        " the conversations.json inside it), or JSON lines with role, content and sent_at.",
        zh="其中没有可识别的对话。可以读取：ChatGPT 或 Claude 的导出（zip 文件，或其中的 conversations.json），"
        "以及每行含 role、content、sent_at 的 JSON Lines。",
    )


class _Unreadable(Exception):
    """A part of an archive whose bytes cannot be read on."""


class _Counted:
    """The stream of a part, which tells its archive how far it has been read."""

    def __init__(self, stream: Readable, archive: ChatArchive) -> None:
        self._stream = stream
        self._archive = archive

    def read(self, size: int, /) -> bytes:
        """The next piece."""
        try:
            piece = self._stream.read(size)
        except UNREADABLE as error:
            raise _Unreadable(type(error).__name__) from error
        self._archive.position += len(piece)
        return piece


class _Beginning:
    """The first million bytes of a stream."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._left = _PROBE_BYTES

    def read(self, size: int, /) -> bytes:
        """The next piece, as long as there is one."""
        piece = self._stream.read(min(size, self._left))
        self._left -= len(piece)
        return piece
