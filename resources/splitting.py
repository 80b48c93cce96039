"""Cut what is too long for one chunk: between lines where it can be, inside a line where it must be."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from context.characters import safe_end
from context.conclusions import conclusion_in
from context.text import sentence_spans
from resources.blocks import Block, Lines

MAX_CHUNK = 1_500
"""Characters of the longest chunk."""
AIM_LOW, AIM_HIGH = 400, 1_200
"""Characters a chunk should have: below the first it takes in its neighbour, above the second it is closed."""
MAX_OVERLAP = 150
"""Characters that two chunks of one paragraph share at most."""

_BLOCK, _SENTENCE, _ANYWHERE, _CONCLUSION = range(4)
"""What may be torn by beginning a piece with a line: nothing, a paragraph, a sentence, a concluding sentence."""
_CLAUSE_END = re.compile(r"[，,、；;：:]")


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines first..last (0-based, inclusive); `cut` is the part of the one line that was too long."""

    first: int
    last: int
    cut: str | None = None


def split_block(source: Lines, block: Block, first: int) -> Iterator[Piece]:
    """Pieces of at most 1,500 characters that hold lines first..block.last; `first` may lie before the block.

    Cuts fall between inner blocks where they can, else between sentences, and never in a sentence that concludes unless
    it is itself too long. A piece that begins inside a paragraph repeats the line before it, up to 150 characters.
    """
    tears = [_BLOCK] * (block.first - first) + _tears(source, block)
    start, repeat = first, False
    while start <= block.last:
        if source.blank(start):
            start, repeat = start + 1, False
        elif source.size(start, start) > MAX_CHUNK:
            for part in split_line(source.lines[start].removesuffix("\r")):
                yield Piece(start, start, part)
            start, repeat = start + 1, False
        else:
            begin = start - 1 if repeat else start
            end = _end_of_piece(source, tears, first, (begin, start, block.last))
            last = end
            while source.blank(last):
                last -= 1
            yield Piece(begin, last)
            start = end + 1
            repeat = (
                start <= block.last
                and tears[start - first] > _BLOCK
                and end > begin
                and not source.blank(end)
                and source.size(end, end) <= MAX_OVERLAP
                and source.size(end, start) <= MAX_CHUNK
            )


def _end_of_piece(source: Lines, tears: list[int], first: int, place: tuple[int, int, int]) -> int:
    """The last line of a piece: one after which little is torn, at a good size, as late as possible.

    `place` is the line the piece begins with, its first line that is new, and the last line there is; `tears` counts
    from line `first`.
    """
    begin, start, last = place
    if source.size(begin, last) <= MAX_CHUNK:
        return last
    best, best_rank = start, (True, True, _CONCLUSION, 0)
    for end in range(start, last):
        size = source.size(begin, end)
        if size > MAX_CHUNK:
            break
        tear = tears[end + 1 - first]
        rank = (tear == _CONCLUSION, not AIM_LOW <= size <= AIM_HIGH, tear, -size)
        if rank < best_rank:
            best, best_rank = end, rank
    return best


def _tears(source: Lines, block: Block) -> list[int]:
    """For each line of the block: what a piece that begins with it tears."""
    lines = source.lines[block.first : block.last + 1]
    if block.rows:
        return [_BLOCK] * len(lines)
    tears = [_ANYWHERE] * len(lines)
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    text = "\n".join(lines)
    previous_end = 0
    for start, end in sentence_spans(text):
        line, last = bisect_right(offsets, start) - 1, bisect_right(offsets, end - 1) - 1
        if previous_end <= offsets[line]:
            tears[line] = _SENTENCE
        if last > line and conclusion_in(" ".join(text[start:end].split())):
            tears[line + 1 : last + 1] = [_CONCLUSION] * (last - line)
        previous_end = end
    for number in range(len(lines)):
        line = block.first + number
        if number == 0 or line in block.starts or source.blank(line) or source.blank(line - 1):
            tears[number] = _BLOCK
    return tears


def split_line(line: str) -> list[str]:
    """Parts of a line of over 1,500 characters, between sentences; in a sentence that is itself too long, at its marks.

    Each part after the first begins with the last sentence (or clause) of the one before, when that has at most 150
    characters.
    """
    units = [unit for start, end in sentence_spans(line) for unit in _units(line, start, end)]
    parts: list[tuple[int, int]] = []
    begin = units[0][0] if units else 0
    for number, (start, end) in enumerate(units):
        size = start - begin
        if size > 0 and end - begin > (MAX_CHUNK if size < AIM_LOW else AIM_HIGH):
            last_start, last_end = units[number - 1]
            parts.append((begin, last_end))
            repeatable = last_start > begin and last_end - last_start <= MAX_OVERLAP and end - last_start <= MAX_CHUNK
            begin = last_start if repeatable else start
    if units:
        end = units[-1][1]
        if parts and end - begin < AIM_LOW and end - parts[-1][0] <= MAX_CHUNK:
            begin, _ = parts.pop()
        parts.append((begin, end))
    return [line[start:end] for start, end in parts]


def _units(line: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence whole; one over 1,500 characters in stretches of at most 150, cut at marks or blanks if it has any."""
    if end - start <= MAX_CHUNK:
        yield start, end
        return
    while end - start > MAX_OVERLAP:
        window = start + MAX_OVERLAP
        marks = [match.end() for match in _CLAUSE_END.finditer(line, start + MAX_OVERLAP // 3, window)]
        blank = line.rfind(" ", start + MAX_OVERLAP // 3, window)
        place = marks[-1] if marks else blank + 1 if blank > 0 else safe_end(line, window)
        yield start, place
        start = place
    yield start, end
