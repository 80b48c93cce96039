"""Whether a short text says only what its source says: the same figures, dates and names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from context.characters import fold_width
from context.dates import DayWindow, date_spans, day_windows
from context.terms import keys_of, terms
from context.text import language_of
from resources.describing.figures import known, stated

Unfounded = Literal["a number", "a date", "a name"]

_YEAR = re.compile(r"\d{4}|\d{2}年|[一二][零〇一二三四五六七八九]{3}")
_FOUR_DIGITS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_FIGURE_FIRST = re.compile(r"[\d￥$€£¥]")
_LATIN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]+")
_CAMEL = re.compile(r"\b[A-Z]?[a-z]+[A-Z][A-Za-z0-9]*")
_JOINTS = re.compile(r"[._/-]")
_YEARLESS = 2000  # a leap year: every month and day has its place in it


def unfounded(text: str, source: str, *, now: datetime) -> Unfounded | None:
    """What kind of thing the text states that its source does not give; None if there is none.

    Figures are compared by value (80 万 is 800,000), dates by day whichever way they are written, names, codes and
    quoted phrases by their words. Names are those that show: capitals, digits, quotation marks; a Chinese name that
    stands bare is not told from other words.

    Args:
        now: what relative dates of the source are told by; its year is that of dates without one.
    """
    if _dates_beyond(text, source, now):
        return "a date"
    undated = _without(text, date_spans(text))
    values = known(_without(source, date_spans(source))) | {Decimal(year) for year in _FOUR_DIGITS.findall(source)}
    if any(not readings & values for readings in stated(undated)):
        return "a number"
    words = {*terms(source), *terms(_JOINTS.sub(" ", source))}
    return "a name" if any(not words.issuperset(terms(name)) for name in _names(undated)) else None


def _names(text: str) -> Iterator[str]:
    yield from (key for key in keys_of(text) if not _FIGURE_FIRST.match(fold_width(key)))
    # Between Chinese characters a Latin word is a name or a term, however it is written.
    yield from (_LATIN if language_of(text) == "zh" else _CAMEL).findall(fold_width(text))


def _dates_beyond(text: str, source: str, now: datetime) -> bool:
    said = [window for window in day_windows(text, now=now) if window.explicit]
    if not said:
        return False
    years = {now.year, *map(int, _FOUR_DIGITS.findall(source))}
    given = [window for window in day_windows(source, now=now, years=years) if not window.vague]
    return any(window.text not in source and not _given(window, given) for window in said)


def _given(said: DayWindow, given: Sequence[DayWindow]) -> bool:
    """Whether some window of the source lies within what is said; without a year, in any year."""
    if _YEAR.search(fold_width(said.text)):
        return any(said.first <= found.first and found.last <= said.last for found in given)
    first, last = _in_year(said.first), _in_year(said.last)
    return any(first <= _in_year(found.first) and _in_year(found.last) <= last for found in given)


def _in_year(day: date) -> date:
    return day.replace(year=_YEARLESS)


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]} {text[end:]}"
    return text
