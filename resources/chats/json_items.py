"""The items of a JSON array of any size, one at a time: never more than one of them is in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import ijson  # type: ignore[import-untyped]  # ships no types

from resources.chats.reasons import Reason

MOST = 64_000_000
"""What one item may cost: its characters, and 50 for each of its values."""
_VALUE = 50
_DEEPEST = 64
_BOM = b"\xef\xbb\xbf"
_ERROR = re.compile(r"(?:lexical|parse) error: [^\\\n]{1,100}")


class Readable(Protocol):
    """What bytes are read from, piece by piece."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item and its 1-based place in the array."""

    number: int
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class BadItem:
    """A place in the array where nothing could be taken, and why."""

    number: int
    reason: Reason


def read_items(file: Readable, *, most: int = MOST) -> Iterator[Item | BadItem]:
    """The items of the array that a file holds, in order.

    An item that is nested too deeply or costs too much is passed over. Where the JSON breaks off, what was whole
    before has been given, and a BadItem is the last. Lone surrogates, which JSON can write and no database can store,
    arrive as NUL.

    Args:
        most: see MOST.

    Raises:
        Exception: whatever reading the file raises.
    """
    source = _Source(file, most=most)
    # use_float: else ijson makes Python numbers of thousands of digits, fails, and takes the process down with it.
    events = ijson.basic_parse(source, use_float=True)
    done = 0
    try:
        if next(events)[0] != "start_array":
            yield BadItem(number=1, reason=Reason.of("broken_json", detail="not an array"))
            return
        for event, value in events:
            source.quiet = 0
            if event == "end_array":
                continue  # of the array itself; what follows it is an error
            made = _value(event, value, events, source)
            done += 1
            if isinstance(made, Reason):
                yield BadItem(number=done, reason=made)
            else:
                yield Item(number=done, value=made)
    except _TooLong:
        yield BadItem(number=done + 1, reason=_too_large(most))
    except (ijson.JSONError, UnicodeDecodeError) as error:
        yield BadItem(number=done + 1, reason=Reason.of("broken_json", detail=_detail(error)))


def keys_of_items(file: Readable) -> Iterator[str]:
    """The keys of the objects in the array that a file holds, one after the other, as far as it can be read."""
    depth = 0
    try:
        for event, value in ijson.basic_parse(_Source(file, most=MOST), use_float=True):
            if event in ("start_map", "start_array"):
                if depth == 0 and event == "start_map":
                    return
                depth += 1
            elif event in ("end_map", "end_array"):
                depth -= 1
            elif event == "map_key" and depth == 2:
                yield value
    except (ijson.JSONError, UnicodeDecodeError, _TooLong):
        return


def _value(event: str, value: Any, events: Iterator[tuple[str, Any]], source: _Source) -> Any:
    """The item that begins with an event; a Reason instead of one that goes beyond a limit, read to its end."""
    if event not in ("start_map", "start_array"):
        return value
    item: Any = {} if event == "start_map" else []
    inside = [item]  # the containers around the next value
    key = ""
    cost, depth = 0, 1
    refused: Reason | None = None
    for event, value in events:
        source.quiet = 0
        if event == "map_key":
            key = value
            cost += len(value)
            continue
        if event == "end_map" or event == "end_array":
            depth -= 1
            if depth == 0:
                break
            if refused is None:
                inside.pop()
            continue
        opens = event == "start_map" or event == "start_array"
        depth += opens
        cost += _VALUE + (len(value) if event == "string" else 0)
        if refused is not None:
            continue
        if depth > _DEEPEST or cost > source.most:
            refused = Reason.of("too_deep", most=_DEEPEST) if depth > _DEEPEST else _too_large(source.most)
            item = None
            inside.clear()
            continue
        if opens:
            value = {} if event == "start_map" else []
        parent = inside[-1]
        if type(parent) is dict:
            parent[key] = value
        else:
            parent.append(value)
        if opens:
            inside.append(value)
    return item if refused is None else refused


def _too_large(most: int) -> Reason:
    return Reason.of("too_large", megabytes=most // 1_000_000)


def _detail(error: Exception) -> str:
    """What the parser found, without the words it found it in."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    found = _ERROR.search(str(error))
    return found[0].rstrip(" .'") if found else "not JSON"


# --- lone surrogates ----------------------------------------------------------------------------------------------

_HEX = rb"[0-9a-fA-F]"
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_WELL_FORMED = re.compile(
    rb"(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F])" + _HEX + rb"{4}"
    rb"|\\u[dD][89abAB]" + _HEX + rb"{2}\\u[dD][c-fC-F]" + _HEX + rb"{2})*+"
)
_LONE = re.compile(rb"\\u[dD][89a-fA-F]" + _HEX + rb"{2}")
_NUL = rb"\u0000"
_PAIR = len(r"\ud83d\ude00")
_LONGEST_ESCAPE = len(r"\u4f60")


class _TooLong(Exception):
    """One value alone is longer than an item may be."""


class _Source:
    """A file as the parser reads it: without byte order mark, and with NUL for lone surrogates, at which it would
    stop or, worse, make other characters of them and of what follows.

    Attributes:
        quiet: bytes read since the parser found anything; whoever takes its events sets this to 0.
        most: how many they may become.
    """

    def __init__(self, file: Readable, *, most: int) -> None:
        self.quiet = 0
        self.most = most
        self._file = file
        self._kept = b""
        self._begun = False

    def read(self, size: int) -> bytes:
        """The next piece; empty at the end, or when nothing is asked for."""
        if size == 0:
            return b""
        while piece := self._file.read(size):
            if not self._begun:
                self._begun = True
                piece = piece.removeprefix(_BOM)
            self.quiet += len(piece)
            if self.quiet > self.most:
                raise _TooLong
            if whole := self._cleaned(self._kept + piece):
                return whole
        rest, self._kept = self._kept, b""
        return _NUL + rest[_LONGEST_ESCAPE:] if _LONE.match(rest) else rest

    def _cleaned(self, data: bytes) -> bytes:
        """What of `data`, which does not begin inside an escape, is whole; the rest is kept for the next piece."""
        if _SURROGATE.search(data) is None:
            end = _last_escape(data)
            self._kept = data[end:]
            return data[:end]
        made: list[bytes] = []
        place = 0
        while True:
            found = _WELL_FORMED.match(data, place)
            end = found.end() if found else place
            made.append(data[place:end])
            lone = _LONE.match(data, end)
            if len(data) - end < (_PAIR if lone else _LONGEST_ESCAPE):
                self._kept = data[end:]
                return b"".join(made)
            made.append(_NUL if lone else data[end : end + 2])  # else no escape at all: the parser will say so
            place = end + (_LONGEST_ESCAPE if lone else 2)


def _last_escape(data: bytes) -> int:
    """Where an escape begins that the end of `data` may have cut; its length when there is none."""
    place = data.rfind(b"\\", max(0, len(data) - _LONGEST_ESCAPE + 1))
    if place < 0:
        return len(data)
    begun = (place + 1 - len(data[: place + 1].rstrip(b"\\"))) % 2 == 1
    return place if begun and data[place + 1 : place + 2] in (b"", b"u") else len(data)
