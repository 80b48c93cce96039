"""Excel workbooks: one part a sheet, its rows as Markdown tables that carry their header again and again."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from context.condense import one_line
from context.types import SourceType
from resources.readers import markdown
from resources.readers.document import Document, Notice, Part, assemble
from resources.readers.source import Source, damaged, without_text

MOST_ROWS = 50_000
"""Rows with a value that are read of a sheet: what lies beyond is a database, not a document."""
_LAST_ROW = 4 * MOST_ROWS
"""Empty rows count too here: a single value in row 1,048,576 must not cost a million rows."""
_MOST_COLUMNS = 256
_HEADER_WITHIN = 10
"""Rows that may stand above the header: a title, a date, a note."""


def read(source: Source) -> Document:
    """One part a sheet that holds anything, anchored `sheet=<name>`; values as they were last calculated.

    Dates are ISO 8601, percentages are written as percentages, rows and columns without a value are dropped. Rows above
    the header stand above the table.

    Raises:
        ProjectionError: damaged, or without a value.
    """
    try:
        book = load_workbook(io.BytesIO(source.raw), read_only=True, data_only=True, keep_links=False)
    except Exception as error:  # openpyxl lets through what its many parsers raise
        raise damaged("an Excel workbook", "Excel 工作簿", type(error).__name__) from error
    parts: list[Part] = []
    notices: list[Notice] = []
    for number, sheet in enumerate(book.worksheets, start=1):
        if number > source.limits.max_pages or source.out_of_time():
            notices.append(_sheets_left_out(number, len(book.worksheets)))
            break
        rows, cut = _rows(sheet)
        if cut:
            notices.append(_cut(number))
        if rows:
            parts.append(Part(text=_written(rows), anchor=f"sheet={sheet.title}", heading=sheet.title))
    title = one_line(str(book.properties.title or "")) or source.stem
    if not parts:
        raise without_text("workbook", "工作簿")
    return assemble(
        title=title, parts=parts, source_type=SourceType.MARKDOWN_IMPORT, limits=source.limits, notices=notices
    )


def _rows(sheet: Any) -> tuple[list[list[str]], bool]:
    """The rows that hold a value, without the columns that hold none, and whether some were left out."""
    sheet.reset_dimensions()  # what a file declares may be a million empty rows
    rows: list[list[str]] = []
    cut = False
    for number, cells in enumerate(sheet.iter_rows(max_row=_LAST_ROW + 1)):
        if number == _LAST_ROW:
            cut = True
            break
        cut = cut or len(cells) > _MOST_COLUMNS
        row = [_value(cell) for cell in cells[:_MOST_COLUMNS]]
        if not any(row):
            continue
        if len(rows) == MOST_ROWS:
            cut = True
            break
        rows.append(row)
    width = max((len(row) for row in rows), default=0)
    filled = [place for place in range(width) if any(place < len(row) and row[place] for row in rows)]
    return [[row[place] if place < len(row) else "" for place in filled] for row in rows], cut


def _written(rows: Sequence[Sequence[str]]) -> str:
    """The rows of a sheet: what stands above the header as lines, the rest as a table."""
    place = _header_of(rows)
    if place is None:
        if len(rows[0]) == 1:
            return "\n".join(row[0] for row in rows)
        return markdown.table([get_column_letter(number + 1) for number in range(len(rows[0]))], rows)
    above = "\n".join(" ".join(filter(None, row)) for row in rows[:place])
    table = markdown.table(rows[place], rows[place + 1 :])
    return f"{above}\n\n{table}" if above else table


def _header_of(rows: Sequence[Sequence[str]]) -> int | None:
    """The row that names the columns: the first that is filled for the most part, with words that differ."""
    width = len(rows[0])
    for place, row in enumerate(itertools.islice(rows, _HEADER_WITHIN)):
        filled = [cell for cell in row if cell]
        if len(filled) >= max(2, (width + 1) // 2):
            words = all(not _is_figure(cell) for cell in filled) and len(set(filled)) == len(filled)
            return place if words and place + 1 < len(rows) else None
    return None


def _is_figure(text: str) -> bool:
    return text[:1] in "0123456789-+" and any(c.isdigit() for c in text) and not any(c.isalpha() for c in text)


def _value(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, int | float):
        return _figure(value, str(cell.number_format or ""))
    return one_line(str(value))


def _figure(value: float, form: str) -> str:
    """A number with 12 digits at most (a sheet's 0.1 + 0.2 is 0.3), with `%` where the sheet shows it so."""
    if form.rstrip("_) ").endswith("%"):
        return f"{value * 100:.10g}%"
    if isinstance(value, int):
        return str(value)
    return f"{value:.12g}" if abs(value) < 1e12 else repr(value)


def _cut(number: int) -> Notice:
    return Notice(
        en=f"Sheet {number} has more than {MOST_ROWS} rows or {_MOST_COLUMNS} columns; the rest was left out.",
        zh=f"第 {number} 个工作表超过 {MOST_ROWS} 行或 {_MOST_COLUMNS} 列，其余部分未读入。",
    )


def _sheets_left_out(number: int, count: int) -> Notice:
    return Notice(
        en=f"Sheets {number} to {count} were left out: they are too many, or time was up.",
        zh=f"第 {number} 至 {count} 个工作表未读入：数量过多，或时间已到。",
    )
