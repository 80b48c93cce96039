"""Figures written in a text, as values that can be compared: 80 万, 800,000 and 八十万 are the same. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from context.characters import fold_width

Reading = Decimal | str
"""A value; of what is no single number (2.3.1, a long code) the digits as they stand."""

_SCALES = {
    "万": 10**4, "亿": 10**8, "万亿": 10**12, "thousand": 10**3, "million": 10**6, "billion": 10**9,
    "k": 10**3, "m": 10**6, "bn": 10**9,
}  # fmt: skip
_ALSO_UNITS = ("k", "m")
_FIGURE = re.compile(
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)*)"
    r"(?:\s?(?P<scale>万亿|[万亿]|(?:thousand|million|billion|bn|[kKmM])(?![A-Za-z0-9])))?"
)
_LONGEST_VALUE = 20
_DIGITS = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_UNITS = {"十": 10, "百": 100, "千": 1_000}
_HAN_FIGURE = re.compile("[零〇一二两三四五六七八九十百千万亿]+")
_HAN_YEAR = re.compile("[一二][零〇一二三四五六七八九]{3}")
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: value for value, word in enumerate(_ONES + _TEENS, start=1)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_COUNTED_ON_FINGERS = 10


def stated(text: str) -> list[frozenset[Reading]]:
    """The figures that a text states, each with the values it can mean: `80k` is 80,000 or 80 of something.

    Figures in digits, all of them; spelled ones from ten on, because `one` and 一 are everywhere without counting
    anything.
    """
    found = [frozenset(_readings(match)) for match in _FIGURE.finditer(fold_width(text))]
    return found + [frozenset({Decimal(value)}) for value in _spelled(text) if value >= _COUNTED_ON_FINGERS]


def known(text: str) -> frozenset[Reading]:
    """Every value that a text gives, spelled ones included."""
    found: set[Reading] = {reading for match in _FIGURE.finditer(fold_width(text)) for reading in _readings(match)}
    return frozenset(found | {Decimal(value) for value in _spelled(text)})


def _readings(match: re.Match[str]) -> Iterator[Reading]:
    digits, scale = match["digits"], (match["scale"] or "").lower()
    plain = digits.replace(",", "")
    if plain.count(".") > 1 or len(plain) > _LONGEST_VALUE:
        yield plain
        return
    if not scale or scale in _ALSO_UNITS:
        yield Decimal(plain).normalize()
    if scale:
        yield (Decimal(plain) * _SCALES[scale]).normalize()


def _spelled(text: str) -> Iterator[int]:
    for match in _HAN_FIGURE.finditer(text):
        value = _han_value(match[0])
        if value is not None:
            yield value
    for match in _WORD.finditer(text):
        yield _WORDS[match[0].lower()]


def _han_value(word: str) -> int | None:
    """The value of a Chinese figure; None of what is none (千万, 一一, 二三十, 三百五)."""
    if _HAN_YEAR.fullmatch(word):
        return int("".join(str(_DIGITS[character]) for character in word))
    total = 0
    for scale, unit in (("亿", 10**8), ("万", 10**4)):
        before, mark, rest = word.partition(scale)
        if mark:
            section = _section(before)
            if not section or (rest and rest[0] not in "零〇" and len(rest) == 1):
                return None
            total += section * unit
            word = rest
    section = _section(word) if word else 0
    return None if section is None else total + section


def _section(word: str) -> int | None:
    """A Chinese figure below ten thousand."""
    total, smallest, digit = 0, 10_000, None
    for place, character in enumerate(word):
        if character in _UNITS:
            unit = _UNITS[character]
            if unit >= smallest or (digit is None and (unit != 10 or place)) or digit == 0:
                return None
            total += (1 if digit is None else digit) * unit
            smallest, digit = unit, None
        elif digit in (None, 0):
            digit = _DIGITS[character]
        else:
            return None
    if digit is None:
        return total if total else None
    if smallest > 10 and smallest < 10_000 and word[-2] not in "零〇":
        return None  # 三百五 is 350 in speech
    return total + digit
