"""Dates named in a text, Chinese and English, as windows of whole days; deterministic, told what day it is.

Conventions: weeks start on Monday. `N weeks/months/years ago` is that whole calendar week, month or year; `the past N
days` is N days back, to today. `last Friday` is the last one before today, 上周五 the Friday of the week before.
A day/month order that can be read both ways (3/5/2023) is read month first, as English writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time

from context.characters import fold_script, fold_width
from context.date_readers import Clock, Span
from context.date_rules import RULES, Rule
from context.errors import InvalidInputError


@dataclass(frozen=True, slots=True, kw_only=True)
class DayWindow:
    """A stretch of days that a text names.

    Attributes:
        first, last: both inclusive, in the zone of the `now` that was given.
        text: the words it was read from.
        explicit: a calendar date was named; False for what is relative to now.
        vague: only roughly meant (recently, a few days ago) or said of any week (on Monday): good for finding, not
            for dating.
    """

    first: date
    last: date
    text: str
    explicit: bool
    vague: bool = False


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one rule made of text[start:end]."""

    start: int
    end: int
    rule: Rule
    spans: tuple[Span, ...]


def day_windows(text: str, *, now: datetime, years: Iterable[int] | None = None) -> list[DayWindow]:
    """All days and periods that `text` names, in order; of overlapping readings the first and longest is kept.

    `A to B` between two calendar dates is one window.

    Args:
        now: the moment "today" is judged by, in the user's zone.
        years: years present in the memory; a date without a year then means each of them. Without it, the most recent
            one that is not in the future.

    Raises:
        InvalidInputError: `now` has no zone.
    """
    chosen = None if years is None else tuple(sorted(set(years)))
    readings = _readings(text, Clock(_today(now), years=chosen))
    windows: list[DayWindow] = []
    position = 0
    while position < len(readings):
        reading = readings[position]
        end, spans = reading.end, reading.spans
        following = readings[position + 1] if position + 1 < len(readings) else None
        if following is not None and _is_range(text, reading, following):
            end, spans = following.end, ((spans[0][0], following.spans[0][1]),)
            position += 1
        for first, last in spans:
            shown = text[reading.start : end].strip()
            explicit, vague = reading.rule.explicit, reading.rule.vague
            windows.append(DayWindow(first=first, last=last, text=shown, explicit=explicit, vague=vague))
        position += 1
    return windows


def resolve_time(text: str, *, said_at: datetime) -> datetime | None:
    """When what `text` tells happened: the start of its best window, at midnight in the zone of `said_at`.

    A calendar date beats a relative one, then the shorter window, then the one named first. A date without a year means
    its occurrence nearest to `said_at` ("the launch is on May 3"). Vague words (recently, on Monday) date nothing.

    Raises:
        InvalidInputError: `said_at` has no zone.
    """
    readings = [r for r in _readings(text, Clock(_today(said_at), nearest=True)) if not r.rule.vague]
    if not readings:
        return None
    best = min(readings, key=lambda r: (not r.rule.explicit, (r.spans[0][1] - r.spans[0][0]).days))
    return datetime.combine(best.spans[0][0], time.min, tzinfo=said_at.tzinfo)


def date_spans(text: str) -> list[tuple[int, int]]:
    """Places (start, end) of the calendar dates written in `text`; no relative ones."""
    leap_year = Clock(date(2000, 12, 31), years=(2000,))  # every day and month has a place in it
    return [(r.start, r.end) for r in _readings(text, leap_year) if r.rule.explicit]


def _today(moment: datetime) -> date:
    if moment.tzinfo is None:
        raise InvalidInputError("A moment without a time zone cannot say what day it is.")
    return moment.date()


def _readings(text: str, clock: Clock) -> list[_Reading]:
    """The readings that survive: by place, then length, none overlapping one before it."""
    folded = fold_script(fold_width(text))
    candidates: list[_Reading] = []
    for rule in RULES:
        for match in rule.pattern.finditer(folded):
            spans = rule.spans(match, clock)
            if spans:
                start, end = match.span("shown") if "shown" in rule.pattern.groupindex else match.span()
                candidates.append(_Reading(start, end, rule, spans))
    candidates.sort(key=lambda reading: (reading.start, -reading.end))
    kept: list[_Reading] = []
    for reading in candidates:
        if not kept or reading.start >= kept[-1].end:
            kept.append(reading)
    return kept


_RANGE = re.compile(r"\s{0,2}(?:到|至|~|-|–|—|to|through|until|till)\s{0,2}")


def _is_range(text: str, before: _Reading, after: _Reading) -> bool:
    if not (before.rule.explicit and after.rule.explicit and len(before.spans) == len(after.spans) == 1):
        return False
    between = fold_width(text[before.end : min(after.start, before.end + 16)])
    return before.spans[0][1] <= after.spans[0][0] and _RANGE.fullmatch(between) is not None
