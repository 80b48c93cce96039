"""From the lines that recognition finds on a picture to text in the order in which people read it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from context.characters import HAN

_SAME_ROW = 0.5
"""Share of the lower of two lines that must overlap for both to stand in one row."""
_HAN = re.compile(f"[{HAN}]")
_COLUMN_LINES = 4
_COLUMN_FILL = 0.6
_PARAGRAPH_GAP = 1.2
"""Heights of a line between two rows that make a new paragraph."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of words and its box in pixels, y growing downwards."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def width(self) -> float:
        return self.right - self.left


def in_reading_order(lines: Sequence[Line]) -> str:
    """Rows from the top, in each from the left; columns of running text one after the other.

    Side by side means columns only where both sides hold at least four lines that mostly fill their side: the cells of
    a table or a receipt stay in their rows.
    """
    if not lines:
        return ""
    gutter = _gutter(lines)
    if gutter is None:
        return _rows(lines)
    above = min(line.top for line in lines if line.right <= gutter or line.left >= gutter)
    across = [line for line in lines if line.left < gutter < line.right]
    head = [line for line in across if line.bottom <= above + line.height * _SAME_ROW]
    foot = [line for line in across if line not in head]
    left = [line for line in lines if line.right <= gutter]
    right = [line for line in lines if line.left >= gutter]
    return "\n\n".join(filter(None, (_rows(head), in_reading_order(left), in_reading_order(right), _rows(foot))))


def _gutter(lines: Sequence[Line]) -> float | None:
    """The x between two columns, crossed by nothing but headings above them and lines below; None without columns."""
    edges = sorted({line.right for line in lines})
    best: tuple[float, float] | None = None
    for edge in edges[:-1]:
        left = [line for line in lines if line.right <= edge]
        right = [line for line in lines if line.left > edge]
        if len(left) < _COLUMN_LINES or len(right) < _COLUMN_LINES:
            continue
        start = min(line.left for line in right)
        across = [line for line in lines if line.left <= edge < line.right]
        top = max(min(line.top for line in left), min(line.top for line in right))
        bottom = min(max(line.bottom for line in left), max(line.bottom for line in right))
        between = [line for line in across if line.bottom > top and line.top < bottom]
        if not between and _fills(left) and _fills(right) and (best is None or start - edge > best[0]):
            best = (start - edge, (start + edge) / 2)
    return None if best is None else best[1]


def _fills(lines: Sequence[Line]) -> bool:
    """Whether lines are running text: most of them reach over most of their column, and are long, not figures."""
    width = max(line.right for line in lines) - min(line.left for line in lines)
    typical = median(line.width for line in lines)
    return typical >= _COLUMN_FILL * width and typical >= 8 * median(line.height for line in lines)


def _rows(lines: Sequence[Line]) -> str:
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.top + line.bottom) / 2):
        if rows and _share_a_row(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    text: list[str] = []
    bottom = None
    for row in rows:
        top, height = min(line.top for line in row), median(line.height for line in row)
        if bottom is not None and top - bottom > _PARAGRAPH_GAP * height:
            text.append("")
        text.append(_joined(sorted(row, key=lambda line: line.left)))
        bottom = max(line.bottom for line in row)
    return "\n".join(text)


def _joined(row: Sequence[Line]) -> str:
    """The lines of one row with a blank between them, but for Chinese that recognition cut between two characters."""
    text = row[0].text
    for before, line in pairwise(row):
        near = line.left - before.right < min(before.height, line.height)
        together = near and _HAN.match(before.text[-1]) and _HAN.match(line.text[0])
        text += line.text if together else f" {line.text}"
    return text


def _share_a_row(one: Line, other: Line) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared >= _SAME_ROW * min(one.height, other.height)
