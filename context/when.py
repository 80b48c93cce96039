"""Whether a text names a time, and whether a question asks for one."""

from __future__ import annotations

import re
from datetime import datetime

from context.dates import day_windows

TIME_TERM = "~time"
"""A term of its own that marks what names a time; no text can hold it, since terms are words."""

_ASKS = re.compile(
    r"\bwhen\b(?!ever)|\b(?:what|which) (?:date|day|month|year|time|week)\b|\bhow long ago\b|\bsince when\b"
    r"|什么时候|什么时间|何时|哪一?天|哪一?年|哪个?月|几月|几号|多久以?前",
    re.IGNORECASE,
)


def names_a_time(text: str, *, said_at: datetime) -> bool:
    """Whether a text names a day or a period, be it only roughly ("last Friday", "去年夏天").

    Raises:
        InvalidInputError: `said_at` has no zone.
    """
    return bool(day_windows(text, now=said_at))


def asks_when(text: str) -> bool:
    """Whether a question asks for a time."""
    return _ASKS.search(text) is not None
