"""From the words of a date to days: the arithmetic behind each rule of `date_rules`, given what day it is."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from context import date_words as words

RECENT_DAYS = 14
"""What "recently" and 最近 reach back to."""

Span = tuple[date, date]
Found = re.Match[str]


@dataclass(frozen=True, slots=True)
class Clock:
    """Today, and how a date without a year finds its years: those given, else the nearest, else the last that was."""

    today: date
    years: tuple[int, ...] | None = None
    nearest: bool = False

    def years_of(self, month: int, day: int = 1) -> tuple[int, ...]:
        """The years that are meant by a month and day alone; none for a day that no year has."""
        if self.years is not None:
            return self.years
        year = self.today.year
        # eight years back hold a leap year even across 1900 and 2100
        real = [y for y in range(max(1, year - 8), year + 2) if day <= monthrange(y, month)[1]]
        if self.nearest:
            return tuple(sorted(real, key=lambda y: abs((date(y, month, day) - self.today).days))[:1])
        return tuple([y for y in real if date(y, month, day) <= self.today][-1:])

    def days(self, shift: int) -> date:
        return self.today + timedelta(days=shift)

    def week(self, shift: int) -> Span:
        first = self.days(7 * shift - self.today.weekday())
        return first, first + timedelta(days=6)

    def months(self, shift: int, length: int = 1) -> Span:
        """`length` whole months, the first of them `shift` months from this one."""
        first = self.today.year * 12 + self.today.month - 1 + shift
        last = first + length - 1
        return month_span(first // 12, first % 12 + 1)[0], month_span(last // 12, last % 12 + 1)[1]


def month_span(year: int, month: int) -> Span:
    """First and last day of a month."""
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def year_span(year: int) -> Span:
    """First and last day of a year."""
    return date(year, 1, 1), date(year, 12, 31)


def calendar(match: Found, clock: Clock) -> Iterator[Span]:
    """A month, with or without a day, with or without a year."""
    parts = match.groupdict()
    month = words.month_number(parts["month"])
    day = words.number(parts["day"]) if parts.get("day") else 0
    if parts.get("year"):
        years: tuple[int, ...] = (words.year_number(parts["year"]),)
    elif parts.get("shift"):
        years = (clock.today.year + words.shift_of(parts["shift"]),)
    else:
        years = clock.years_of(month, day or 1)
    for year in years:
        if not day:
            yield month_span(year, month)
        elif day <= monthrange(year, month)[1]:
            yield date(year, month, day), date(year, month, day)


def slashed(match: Found, clock: Clock) -> Iterator[Span]:
    first, second = int(match["first"]), int(match["second"])
    month, day = (second, first) if first > 12 else (first, second)
    yield (date(int(match["year"]), month, day),) * 2


def shifted_month(match: Found, clock: Clock) -> Iterator[Span]:
    """`last June` is the latest June that is over, `next June` the first that has not begun."""
    month, shift = words.month_number(match["month"]), words.shift_of(match["shift"])
    if (shift < 0 and month < clock.today.month) or (shift > 0 and month > clock.today.month):
        shift = 0
    yield month_span(clock.today.year + shift, month)


def whole_year(match: Found, clock: Clock) -> Iterator[Span]:
    yield year_span(words.year_number(match["year"]))


def relative_day(match: Found, clock: Clock) -> Iterator[Span]:
    yield (clock.days(words.DAY_SHIFTS[" ".join(match["shift"].lower().split())]),) * 2


def relative_period(match: Found, clock: Clock) -> Iterator[Span]:
    shift, unit = words.shift_of(match["shift"]), words.unit_of(match["unit"])
    if unit == "week":
        yield clock.week(shift)
    elif unit == "weekend":
        first, last = clock.week(shift)
        yield first + timedelta(days=5), last
    elif unit == "month":
        yield clock.months(shift)
    elif unit == "quarter":
        yield clock.months(3 * shift - (clock.today.month - 1) % 3, 3)
    else:
        yield year_span(clock.today.year + shift)


def relative_year(match: Found, clock: Clock) -> Iterator[Span]:
    yield year_span(clock.today.year + words.shift_of(match["shift"]))


def day_of_month(match: Found, clock: Clock) -> Iterator[Span]:
    first, _ = clock.months(words.shift_of(match["shift"]))
    yield (first.replace(day=words.number(match["day"])),) * 2


def day_of_week(match: Found, clock: Clock) -> Iterator[Span]:
    first, _ = clock.week(words.shift_of(match["shift"]))
    yield (first + timedelta(days=words.weekday_number(match["weekday"])),) * 2


def last_weekday(match: Found, clock: Clock) -> Iterator[Span]:
    """The last such day before today."""
    yield (clock.days(-((clock.today.weekday() - words.weekday_number(match["weekday"]) - 1) % 7) - 1),) * 2


def bare_weekday(match: Found, clock: Clock) -> Iterator[Span]:
    """The most recent such day, today included."""
    yield (clock.days(-((clock.today.weekday() - words.weekday_number(match["weekday"])) % 7)),) * 2


def ago(match: Found, clock: Clock) -> Iterator[Span]:
    yield _away(match, clock, -1)


def ahead(match: Found, clock: Clock) -> Iterator[Span]:
    yield _away(match, clock, 1)


def _away(match: Found, clock: Clock, sign: int) -> Span:
    unit, word = words.unit_of(match["unit"]), match["number"]
    if word.lower() in words.HALF:
        return clock.months(sign * 6) if unit == "year" else (clock.days(sign * 15),) * 2
    count = sign * words.number(word)
    if unit == "day":
        return (clock.days(count),) * 2
    if unit == "week":
        return clock.week(count)
    return clock.months(count) if unit == "month" else year_span(clock.today.year + count)


def few_ago(match: Found, clock: Clock) -> Iterator[Span]:
    days = words.DAYS_OF_UNIT[words.unit_of(match["unit"])]
    yield clock.days(-words.FEW * days), clock.days(-days)


def past(match: Found, clock: Clock) -> Iterator[Span]:
    days = words.DAYS_OF_UNIT[words.unit_of(match["unit"])]
    word = match["number"] or "one"
    yield clock.days(-(days // 2) if word.lower() in words.HALF else -days * words.number(word)), clock.today


def past_few(match: Found, clock: Clock) -> Iterator[Span]:
    yield clock.days(-words.FEW * words.DAYS_OF_UNIT[words.unit_of(match["unit"])]), clock.today


def recent(match: Found, clock: Clock) -> Iterator[Span]:
    yield clock.days(-RECENT_DAYS), clock.today
