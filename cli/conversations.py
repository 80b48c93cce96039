"""Importing chats line by line: messages are stored in small transactions, each exactly once by its id."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from uuid import UUID

from context.errors import InvalidInputError
from context.text import clean
from context.truth import ChatMessage, ChatSession
from resources.chat_lines import BadLine, ChatLine, read_chat_lines
from storage import sessions

if TYPE_CHECKING:
    from cli.running import Call

_KEPT_AT_MOST = 500
"""Messages read and not yet stored, over all sessions of a file."""
_BAD_AT_MOST = 10_000


@dataclass(slots=True)
class _Arriving:
    """One session of the file, as far as it has been read."""

    session_id: UUID
    title: str
    imported: int = 0
    known: int = 0
    waiting: list[ChatMessage] = field(default_factory=list)


@contextmanager
def opened_file(path: Path) -> Iterator[BinaryIO]:
    """A file to read.

    Raises:
        InvalidInputError: it is none, or cannot be read.
    """
    try:
        if path.exists() and not path.is_file():
            raise InvalidInputError(f"{path} is not a file.", zh=f"{path} 不是文件。")
        file = path.open("rb")
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be read: {error.strerror}.", zh=f"无法读取 {path}：{error.strerror}"
        ) from error
    with file:
        yield file


def import_lines(call: Call, file: BinaryIO, *, name: str, me: str = "") -> dict[str, Any]:
    """Store the messages of a file of JSON lines.

    Args:
        name: of the file; a session without a title of its own is named after it.
        me: the user's own name among the speakers; the name is taken off, so that only these words count as theirs.

    Returns:
        imported, known (messages in all); sessions, each with session_id, title, imported, known, waiting (messages
        that no finished commit holds); failed, a list of {line, reason}.
    """
    settings = call.engine.settings
    arriving: dict[UUID, _Arriving] = {}
    failed: list[dict[str, Any]] = []
    kept = 0
    size = os.fstat(file.fileno()).st_size
    with call.out.progress("importing", total=size // 1000) as bar:
        lines = read_chat_lines(file, name=name, zone=settings.time_zone, most_bytes=settings.chat.message_bytes)
        for line in lines:
            if isinstance(line, BadLine):
                if len(failed) < _BAD_AT_MOST:
                    failed.append({"line": line.number, "reason": line.reason})
                continue
            _keep(arriving, line, name=name, me=me)
            kept += 1
            if kept == _KEPT_AT_MOST:
                call.run(_flush(call, arriving))
                bar.reach(file.tell() // 1000)
                kept = 0
        call.run(_flush(call, arriving))
    found = [call.run(_report(call, one)) for one in arriving.values()]
    return {
        "imported": sum(one["imported"] for one in found),
        "known": sum(one["known"] for one in found),
        "sessions": found,
        "failed": failed,
    }


def _keep(arriving: dict[UUID, _Arriving], line: ChatLine, *, name: str, me: str) -> None:
    title = line.session or clean(Path(name).stem).text
    one = arriving.setdefault(line.session_id, _Arriving(line.session_id, title))
    message = line.message
    one.waiting.append(replace(message, speaker=None) if me and message.speaker == me else message)


async def _flush(call: Call, arriving: dict[UUID, _Arriving]) -> None:
    """Store what has been read of each session, in its own transaction."""
    for one in arriving.values():
        if not one.waiting:
            continue
        async with call.engine.database.transaction(call.scope) as tx:
            session = ChatSession(session_id=one.session_id, title=one.title, agent=call.scope.agent)
            await sessions.create(tx, session)
            stored = await sessions.append(tx, one.session_id, one.waiting)
        one.imported += len(stored)
        one.known += len(one.waiting) - len(stored)
        one.waiting.clear()


async def _report(call: Call, one: _Arriving) -> dict[str, Any]:
    from storage import commits

    async with call.engine.database.transaction(call.scope) as tx:
        session = await sessions.get(tx, one.session_id)
        unfinished = await commits.unfinished(tx, one.session_id)
    waiting = session.last_seq - session.committed_seq or int(unfinished is not None)
    return {
        "session_id": one.session_id,
        "title": session.title,
        "imported": one.imported,
        "known": one.known,
        "waiting": waiting,
    }
