"""The numbers that Word puts before paragraphs by itself: bullets, `1.`, `2.1`, `第三条`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from docx.oxml.ns import qn

_MOST_LEVELS = 9
_DIGITS = "零一二三四五六七八九"
_ROMAN = (
    (1_000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list: how its number is written (`lvlText`, where `%2` is the second level's) and begins."""

    form: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before a paragraph: a bullet, or words such as `1.` or `第三条`; and how deep it lies, from 0."""

    bullet: bool
    text: str
    depth: int


class Numbering:
    """The lists of one document and how far each has been counted.

    Args:
        element: the root of the document's numbering part (ECMA-376 part 1, 17.9); None when it has none.
    """

    def __init__(self, element: Any) -> None:
        self._lists: dict[str, str] = {}
        self._levels: dict[str, dict[int, Level]] = {}
        self._counts: dict[str, list[int | None]] = defaultdict(lambda: [None] * _MOST_LEVELS)
        if element is None:
            return
        for abstract in element.findall(qn("w:abstractNum")):
            levels = {_number(level.get(qn("w:ilvl"))): _level(level) for level in abstract.findall(qn("w:lvl"))}
            self._levels[abstract.get(qn("w:abstractNumId")) or ""] = levels
        for listed in element.findall(qn("w:num")):
            self._lists[listed.get(qn("w:numId")) or ""] = _value(listed.find(qn("w:abstractNumId")))

    def label(self, list_id: str, depth: int) -> Label | None:
        """Count one paragraph of a list and say what stands before it; None when there is no such list."""
        list_name = self._lists.get(list_id)
        levels = self._levels.get(list_name or "", {})
        level = levels.get(depth)
        if list_name is None or level is None or not 0 <= depth < _MOST_LEVELS:
            return None
        if level.form == "bullet":
            return Label(True, "", depth)
        if level.form == "none":
            return None
        counts = self._counts[list_name]
        before = counts[depth]
        counts[depth] = level.start if before is None else before + 1
        counts[depth + 1 :] = [None] * (_MOST_LEVELS - depth - 1)
        text = level.text
        for place in range(_MOST_LEVELS):
            other = levels.get(place)
            if other is not None and f"%{place + 1}" in text:
                count = counts[place]
                text = text.replace(f"%{place + 1}", _written(other.form, other.start if count is None else count))
        return Label(False, text.strip(), depth)


def _level(element: Any) -> Level:
    return Level(
        _value(element.find(qn("w:numFmt"))) or "decimal",
        _value(element.find(qn("w:lvlText"))),
        _number(_value(element.find(qn("w:start"))) or "1"),
    )


def _value(element: Any) -> str:
    return "" if element is None else str(element.get(qn("w:val")) or "")


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else 0


def _written(form: str, number: int) -> str:
    if form in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 4)
        return letter if form == "lowerLetter" else letter.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < number < 4_000:
        roman = ""
        for value, sign in _ROMAN:
            while number >= value:
                roman, number = roman + sign, number - value
        return roman if form == "lowerRoman" else roman.upper()
    if form.startswith(("chinese", "taiwanese", "ideographDigital", "japaneseCounting")) and 0 <= number < 100:
        return _chinese(number)
    if form == "decimalZero":
        return f"{number:02d}"
    return str(number)


def _chinese(number: int) -> str:
    if number < 10:
        return _DIGITS[number]
    tens, ones = divmod(number, 10)
    return ("" if tens == 1 else _DIGITS[tens]) + "十" + (_DIGITS[ones] if ones else "")
