"""What passes between this process and the one that reads: a document or a reason, as JSON on its standard output."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from context.errors import ProjectionError
from context.types import SourceType
from resources.readers.document import Document, Part, ReaderLimits

BYTES_A_CHARACTER = 6
"""At most, in JSON: a control character is written `\\u0001`."""
_AROUND = 4_000_000
"""Bytes of everything but the text: anchors, headings, notices."""


class BrokenAnswer(Exception):
    """What came is no answer: the child died in the middle of it, or something else wrote to its output."""


def encode(answer: Document | ProjectionError) -> bytes:
    """The answer as UTF-8; a lone surrogate cannot occur in a document, and is written as `?` in a reason."""
    if isinstance(answer, ProjectionError):
        value: dict[str, Any] = {"reason": [answer.message, answer.hint, answer.zh]}
    else:
        value = {
            "title": answer.title,
            "source_type": answer.source_type.value,
            "parts": [[part.text, part.anchor, part.first_line, part.heading] for part in answer.parts],
            "notices": list(answer.notices),
            "notices_zh": list(answer.notices_zh),
        }
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def decode(raw: bytes) -> Document | ProjectionError:
    """The answer that `encode` wrote. Every field is looked at: the child may have been taken over by its file.

    Raises:
        BrokenAnswer: it is none.
    """
    try:
        value = json.loads(raw)
        if "reason" in value:
            message, hint, zh = (None if entry is None else _string(entry) for entry in value["reason"])
            return ProjectionError(message or "The file cannot be read.", hint=hint, zh=zh)
        return Document(
            title=_string(value["title"]),
            source_type=SourceType(value["source_type"]),
            parts=tuple(
                Part(text=_string(text), anchor=_string(anchor), first_line=_line(line), heading=_string(heading))
                for text, anchor, line, heading in value["parts"]
            ),
            notices=tuple(map(_string, value["notices"])),
            notices_zh=tuple(map(_string, value["notices_zh"])),
        )
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise BrokenAnswer(type(error).__name__) from error


def longest_answer(limits: ReaderLimits) -> int:
    """Bytes after which a child that still writes has gone mad."""
    return BYTES_A_CHARACTER * limits.max_characters + _AROUND


def encode_limits(limits: ReaderLimits) -> str:
    """Limits as an argument of the child."""
    return json.dumps(asdict(limits))


def decode_limits(text: str) -> ReaderLimits:
    """The limits that `encode_limits` wrote."""
    return ReaderLimits(**json.loads(text))


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _line(value: object) -> int:
    if not isinstance(value, int) or value < 1:
        raise TypeError
    return value
