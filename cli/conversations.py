"""Importing chats, lines or archives: messages are stored in small transactions, each exactly once by its id."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from uuid import UUID

from cli.messages import tell
from context.errors import InvalidInputError, PocketMindError, StorageUnavailable
from context.text import clean
from context.truth import ChatMessage, ChatSession
from context.types import RefType
from context.uri import asset_uri, message_uri
from resources.chats.archives import ChatArchive, FileBytes
from resources.chats.lines import BadLine, ChatLine, read_chat_lines
from resources.chats.reasons import Reason
from resources.chats.tree import BadConversation, Conversation
from storage import clock, commits, refs, sessions

if TYPE_CHECKING:
    from cli.running import Call
    from storage.database import Transaction

_KEPT_AT_MOST = 500
"""Messages read and not yet stored, over all sessions of a file; and of a transaction."""
_CHARACTERS_AT_MOST = 1_000_000
_BAD_AT_MOST = 10_000


@dataclass(slots=True)
class _Arriving:
    """One session of the file, as far as it has been read."""

    session_id: UUID
    title: str
    ended: datetime
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
        source ("lines"); imported, known (messages in all); assets (0); sessions, each with session_id, title,
        imported, known, waiting (messages that no finished commit holds), ended (time of the last message); failed, a
        list of {line, reason}.
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
        "source": "lines",
        "imported": sum(one["imported"] for one in found),
        "known": sum(one["known"] for one in found),
        "assets": 0,
        "sessions": found,
        "failed": failed,
    }


def _keep(arriving: dict[UUID, _Arriving], line: ChatLine, *, name: str, me: str) -> None:
    title = line.session or clean(Path(name).stem).text
    message = line.message
    one = arriving.setdefault(line.session_id, _Arriving(line.session_id, title, message.sent_at))
    one.ended = max(one.ended, message.sent_at)
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
    async with call.engine.database.transaction(call.scope) as tx:
        title, waiting = await _state(tx, one.session_id)
    return {
        "session_id": one.session_id,
        "title": title,
        "imported": one.imported,
        "known": one.known,
        "waiting": waiting,
        "ended": one.ended,
    }


async def _state(tx: Transaction, session_id: UUID) -> tuple[str, int]:
    """A session's title, and how many of its messages no finished commit holds."""
    session = await sessions.get(tx, session_id)
    unfinished = await commits.unfinished(tx, session_id)
    return session.title, session.last_seq - session.committed_seq or int(unfinished is not None)


# --- archives -----------------------------------------------------------------------------------------------------


def import_archive(call: Call, archive: ChatArchive, *, undated: datetime) -> dict[str, Any]:
    """Store the conversations of an export, one after the other; one that cannot be read or stored costs only itself.
    Ctrl-C stops between two transactions: what was stored stays, and the same archive again goes on from there.

    Args:
        undated: the time of conversations that tell none.

    Returns:
        The keys of `import_lines`; source is the kind of the archive, assets the number of files stored; failed is a
        list of {conversation (its id, else its number; empty for the archive as a whole), reason}.
    """
    settings = call.engine.settings
    importing = _ArchiveImport(call, archive)
    with call.out.progress("importing", total=archive.size // 1000) as bar:
        found = archive.conversations(zone=settings.zone, most_bytes=settings.chat.message_bytes, undated=undated)
        for conversation in found:
            if isinstance(conversation, BadConversation):
                importing.fail(conversation.given or conversation.number, conversation.reason)
            else:
                call.run(importing.store(conversation))
            bar.reach(archive.position // 1000)
    return importing.report()


class _ArchiveImport:
    """What has come of an archive so far."""

    def __init__(self, call: Call, archive: ChatArchive) -> None:
        self._call = call
        self._archive = archive
        self._rows: dict[UUID, dict[str, Any]] = {}
        self._failed: list[dict[str, Any]] = []
        self._assets: set[UUID] = set()
        self._missing = 0
        for reason in archive.left_out:
            self.fail("", reason)

    def report(self) -> dict[str, Any]:
        """See `import_archive`."""
        if self._missing:
            self.fail("", Reason.of("missing_files", count=self._missing))
        rows = list(self._rows.values())
        return {
            "source": self._archive.kind,
            "imported": sum(row["imported"] for row in rows),
            "known": sum(row["known"] for row in rows),
            "assets": len(self._assets),
            "sessions": rows,
            "failed": self._failed,
        }

    def fail(self, conversation: str | int, reason: Reason) -> None:
        """Say that something was left out or changed; JSON has its reasons in English."""
        if len(self._failed) < _BAD_AT_MOST:
            out = self._call.out
            words = tell("en" if out.as_json else out.language, f"archive_{reason.code}", **reason.values)
            self._failed.append({"conversation": conversation, "reason": words})

    async def store(self, conversation: Conversation) -> None:
        """Store a conversation's messages, then its files, each file in a transaction of its own."""
        given = conversation.given or conversation.number
        for reason in conversation.reasons:
            self.fail(given, reason)
        if conversation.session_id in self._rows:
            self.fail(given, Reason.of("repeated"))
        try:
            await self._store_messages(conversation)
        except StorageUnavailable:
            raise
        except PocketMindError as error:
            self.fail(given, Reason.of("refused", message=error.message))
        else:
            await self._store_files(conversation)

    async def _store_messages(self, conversation: Conversation) -> None:
        call, session_id = self._call, conversation.session_id
        for batch in _batches([one.message for one in conversation.messages]):
            async with call.engine.database.transaction(call.scope) as tx:
                session = ChatSession(session_id=session_id, title=conversation.title, agent=call.scope.agent)
                await sessions.create(tx, session)
                stored = await sessions.append(tx, session_id, batch)
                if len(stored) < len(batch):  # people may have moved to another branch since
                    side = [message.message_id for message in batch if message.left_behind]
                    current = [message.message_id for message in batch if not message.left_behind]
                    await sessions.mark_branches(tx, session_id, current=current, side=side)
                title, waiting = await _state(tx, session_id)
            ended = max(message.sent_at for message in batch)
            nothing = {"session_id": session_id, "title": "", "imported": 0, "known": 0, "ended": ended}
            row = self._rows.setdefault(session_id, nothing)
            row["imported"] += len(stored)
            row["known"] += len(batch) - len(stored)
            row |= {"title": title, "waiting": waiting, "ended": max(row["ended"], ended)}

    async def _store_files(self, conversation: Conversation) -> None:
        """Store what the archive holds of a conversation's attachments and no earlier import has stored."""
        call, hung = self._call, [one for one in conversation.messages if one.files]
        if not hung:
            return
        user = call.scope.user
        async with call.engine.database.transaction(call.scope) as tx:
            ids = [one.message.message_id for one in hung]
            seqs = await sessions.places(tx, conversation.session_id, ids)
            uris = {identity: str(message_uri(user, conversation.session_id, seq)) for identity, seq in seqs.items()}
            known = {uri: await refs.of(tx, uri) for uri in uris.values()}
        for one in hung:
            uri = uris[one.message.message_id]
            for file in one.files:
                if (RefType.ATTACHMENT, str(asset_uri(user, file.asset_id))) in known[uri]:
                    continue
                found = self._archive.read(file)
                if found is None:
                    self._missing += 1
                elif isinstance(found, Reason):
                    self.fail(conversation.given or conversation.number, found)
                else:
                    await self._store_file(file.asset_id, found, uri, conversation)

    async def _store_file(self, asset_id: UUID, file: FileBytes, uri: str, conversation: Conversation) -> None:
        engine, scope = self._call.engine, self._call.scope
        try:
            async with engine.database.transaction(scope) as tx:
                await clock.hold(tx)  # before the file's row: the order of all writers
                asset = await engine.assets.add(
                    tx, asset_id, data=file.data, mime=file.mime, name=file.name, owner_uri=uri
                )
                await engine.projector.save_file(tx, asset)
                await refs.put(tx, [(uri, RefType.ATTACHMENT, str(asset_uri(scope.user, asset_id)))])
        except StorageUnavailable:
            raise
        except (PocketMindError, OSError) as error:  # OSError: the disk
            given = conversation.given or conversation.number
            self.fail(given, Reason.of("bad_file", name=file.name, detail=str(error)))
        else:
            self._assets.add(asset_id)


def _batches(messages: Sequence[ChatMessage]) -> Iterator[list[ChatMessage]]:
    """At most so many messages, and so many characters, a transaction."""
    batch: list[ChatMessage] = []
    size = 0
    for message in messages:
        if batch and (len(batch) == _KEPT_AT_MOST or size + len(message.content) > _CHARACTERS_AT_MOST):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += len(message.content)
    if batch:
        yield batch
