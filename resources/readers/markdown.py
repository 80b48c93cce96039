"""Markdown that readers write: tables whose cells are plain words, and headings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from context.condense import one_line

_MOST_ROWS, _MOST_CHARACTERS = 30, 1_000
"""A table is begun again with its header after so much: a chunk has at most 1,500 characters (`resources.splitting`),
so each one then says what its columns are."""


def heading(level: int, text: str) -> str:
    """A heading of level 1 to 6."""
    return f"{'#' * min(max(level, 1), 6)} {one_line(text)}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a long one in pieces of about 1,000 characters with the header on each, an empty line between them.

    Args:
        header: as many cells as the widest row.
    """
    head = [_row(header), "|" + " --- |" * len(header)]
    pieces: list[str] = []
    lines: list[str] = []
    size = 0
    for cells in rows:
        line = _row([*cells, *[""] * (len(header) - len(cells))])
        if lines and (len(lines) >= _MOST_ROWS or size + len(line) > _MOST_CHARACTERS):
            pieces.append("\n".join([*head, *lines]))
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    if lines or not pieces:
        pieces.append("\n".join([*head, *lines]))
    return "\n\n".join(pieces)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"
