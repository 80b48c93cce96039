"""The day a note speaks of, where its author says so: in the front matter, or by a daily note's name. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, tzinfo
from typing import Any

from context.dates import day_windows
from resources.vaults.frontmatter import first_of

_KEYS = ("date", "日期", "day", "created", "创建时间", "创建日期", "创建")
_DAY = (
    r"(\d{4})(?:-(\d{1,2})-(\d{1,2})|\.(\d{1,2})\.(\d{1,2})|_(\d{1,2})_(\d{1,2})|/(\d{1,2})/(\d{1,2})"
    r"|年(\d{1,2})月(\d{1,2})[日号])"
)
_IN_TEXT = re.compile(rf"(?<!\d){_DAY}(?!\d)")
_IN_NAME = re.compile(rf"\s*{_DAY}(?!\d)|.*(?<!\d){_DAY}\s*\Z", re.DOTALL)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?!\d)")
_LONGEST = 100


def dated(values: Mapping[str, Any], name: str, *, zone: tzinfo) -> datetime | None:
    """The moment a note is dated, in UTC: a front matter's `date`, `day` or `created`, else the day that begins or ends
    its name (`2026-05-03 Weekly`, `20260503`, 2026年5月3日); a day begins at midnight in `zone`. None: it is not dated.

    Args:
        values: the front matter.
        name: the file's name without its suffix.
    """
    found = _of_value(first_of(values, _KEYS), zone)
    if found is None and (day := _day_of_name(name)) is not None:
        found = datetime.combine(day, time.min, tzinfo=zone)
    try:
        return None if found is None else found.astimezone(UTC)
    except (OverflowError, ValueError):  # the first or the last day that there is
        return None


def _of_value(value: object, zone: tzinfo) -> datetime | None:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=zone)
    if isinstance(value, date):
        return datetime.combine(value, time.min, tzinfo=zone)
    if isinstance(value, str | int) and not isinstance(value, bool):
        return _of_text(str(value).strip().strip("[]\"'“”").strip()[:_LONGEST], zone)
    return None


def _of_text(text: str, zone: tzinfo) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        day = _written(_IN_TEXT.search(text)) or _in_words(text, zone)
        return None if day is None else datetime.combine(day, time.min, tzinfo=zone)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _in_words(text: str, zone: tzinfo) -> date | None:
    """`3 May 2026`, 二〇二六年五月三日. A day without its year is none: which one was meant cannot be told."""
    now = datetime(2000, 1, 1, tzinfo=zone)
    for window in day_windows(text, now=now, years=()):
        if window.explicit and window.first == window.last:
            return window.first
    return None


def _day_of_name(name: str) -> date | None:
    if compact := _COMPACT.match(name.lstrip()):
        return _checked(*compact.groups())
    return _written(_IN_NAME.match(name))


def _written(match: re.Match[str] | None) -> date | None:
    if match is None:
        return None
    parts = [part for part in match.groups() if part is not None]
    return _checked(parts[0], parts[1], parts[2])


def _checked(year: str, month: str, day: str) -> date | None:
    """The day, if there is such a day; a number that only looks like one is none."""
    if not 1900 <= int(year) <= 2199:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
