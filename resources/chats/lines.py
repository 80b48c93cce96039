"""Chats as JSON lines, read one line at a time: good lines become messages, bad ones are named with their reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO, Literal
from uuid import NAMESPACE_URL, UUID, uuid5
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, Field, ValidationError

from context.condense import cut, one_line
from context.text import clean
from context.truth import ChatMessage, MessageRole

_LONGEST_LINE = 4_000_000
_YEARS = range(1900, 2200)


class _Line(BaseModel):
    """One line as people write it."""

    role: Literal["user", "assistant", "tool"]
    content: str
    sent_at: str
    session: str | int | None = None
    speaker: str | None = None
    timezone: str | None = None
    message_id: str | int | None = Field(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatLine:
    """A message, the session it belongs to (empty: the file's only one), and its 1-based line."""

    number: int
    session: str
    session_id: UUID
    message: ChatMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """A line that cannot be used, and why. The reason holds nothing of what somebody wrote."""

    number: int
    reason: str


def read_chat_lines(file: BinaryIO, *, name: str, zone: str, most_bytes: int) -> Iterator[ChatLine | BadLine]:
    """The lines of an open file, in order; blank ones are passed over.

    A line is an object with role (user, assistant, tool), content and sent_at (ISO 8601), and if wanted session,
    speaker, timezone (an IANA name) and message_id.

    Args:
        file: opened in binary mode; never held in memory as a whole.
        name: of the file; part of every id, so that the same file can be read again.
        zone: IANA name of the time zone of lines that name none.
        most_bytes: of one message.
    """
    for number, raw in _lines(file):
        if raw is None:
            yield BadLine(number=number, reason=f"longer than {_LONGEST_LINE // 1_000_000} MB")
        elif raw.strip():
            try:
                yield _read(raw, number, name=name, zone=zone, most_bytes=most_bytes)
            except (ValueError, RecursionError) as error:
                yield BadLine(number=number, reason=_reason(error))


def session_id_of(name: str, session: str) -> UUID:
    """The id of a session that a file brings: of its value in the file, and of the file's name."""
    return uuid5(NAMESPACE_URL, f"pocketmind:chat:{_unmixed(name)}{_unmixed(session)}")


def message_id_of(session_id: UUID, given: str, number: int) -> UUID:
    """The given id if it is a UUID; else one made of the session and the given id, or of the line if none is given."""
    try:
        return UUID(given)
    except ValueError:
        return uuid5(session_id, f"id:{given}" if given else f"line:{number}")


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines; None for one that is too long to be a message."""
    number = 0
    while raw := file.readline(_LONGEST_LINE + 1):
        number += 1
        if len(raw) <= _LONGEST_LINE:
            yield number, raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            continue
        while raw and not raw.endswith(b"\n"):
            raw = file.readline(_LONGEST_LINE)
        yield number, None


def _read(raw: bytes, number: int, *, name: str, zone: str, most_bytes: int) -> ChatLine:
    value: Any = json.loads(raw.decode("utf-8"))
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    line = _Line.model_validate(value)
    content = clean(line.content).text
    if not content.strip():
        raise ValueError("content: it is empty")
    if len(content.encode()) > most_bytes:
        raise ValueError(f"content: more than {most_bytes} bytes")
    known_zone = _zone_of(line.timezone or zone)
    session = cut(one_line(clean(str(line.session if line.session is not None else "")).text), 200)
    session_id = session_id_of(name, session)
    given = clean(str(line.message_id if line.message_id is not None else "")).text
    message = ChatMessage(
        message_id=message_id_of(session_id, given, number),
        role=MessageRole(line.role),
        content=content,
        sent_at=_time_of(line.sent_at, known_zone),
        speaker=cut(one_line(clean(line.speaker or "").text), 120) or None,
        zone=known_zone.key,
    )
    return ChatLine(number=number, session=session, session_id=session_id, message=message)


def _zone_of(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder of zones
        raise ValueError("timezone: not a known name such as Asia/Shanghai") from None


def _time_of(text: str, zone: ZoneInfo) -> datetime:
    """An aware time; one without an offset is a time of the zone."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError("sent_at: not an ISO 8601 time such as 2027-05-03T09:30:00+08:00") from None
    if found.year not in _YEARS:
        raise ValueError(f"sent_at: not between {_YEARS.start} and {_YEARS.stop - 1}")
    return found if found.tzinfo else found.replace(tzinfo=zone)


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return f"{first['loc'][0]}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _unmixed(part: str) -> str:
    """With its length before it, so that no two pairs of names read the same."""
    text = part.encode("utf-8", "backslashreplace").decode()
    return f"{len(text)}:{text}"
