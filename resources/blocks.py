"""The blocks of a Markdown text by line: headings with their path, paragraphs, lists, tables, code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.token import Token

from context.condense import cut
from context.text import plain

_LONGEST_HEADING = 200
"""Characters; a longer "heading" is a paragraph above a rule."""
_SHOWN_HEADING = 120
_DUMP_LINES, _DUMP_LENGTH = 20_000, 5
"""More lines than this, shorter than this on average, are figures or a dump: as Markdown they take seconds."""
_ROWS = frozenset({"fence", "code_block", "table_open", "html_block"})

_parser = MarkdownIt("commonmark").enable("table").disable("reference")  # a link definition is a line like others
_parser.core.ruler.enableOnly(["normalize", "block"])  # inline markup is not needed here


@dataclass(frozen=True, slots=True)
class Block:
    """Lines first..last (0-based, inclusive, neither of them blank) of one top-level block.

    Attributes:
        heading: the path of headings it lies under, its own included, joined with ` / `.
        level: 1 to 6 for a heading, else 0.
        rows: its lines stand for themselves (code, table, HTML), so there are no sentences across them.
        starts: lines on which a block inside it begins (list items, quoted paragraphs).
    """

    first: int
    last: int
    heading: str
    level: int
    rows: bool
    starts: frozenset[int]


class Lines:
    """The lines of a text, split at `\\n` alone, and the length of any stretch of them in constant time."""

    __slots__ = ("_before", "lines")

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._before = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def __len__(self) -> int:
        return len(self.lines)

    def size(self, first: int, last: int) -> int:
        """Characters of lines first..last with the line ends between them."""
        return self._before[last + 1] - self._before[first] - 1

    def text(self, first: int, last: int) -> str:
        """Those lines verbatim, without the line end of the last (its carriage return included)."""
        return "\n".join(self.lines[first : last + 1]).removesuffix("\r")

    def blank(self, line: int) -> bool:
        return not self.lines[line].strip()


def blocks_of(source: Lines) -> list[Block]:
    """The top-level blocks in order; together they hold every line that is not blank, each once.

    A text of over 20,000 lines with fewer than 5 characters each is not read as Markdown: its runs of lines are blocks.
    """
    path: list[tuple[int, str]] = []
    heading = ""
    blocks: list[Block] = []
    covered = 0
    if len(source) > _DUMP_LINES and source.size(0, len(source) - 1) < _DUMP_LENGTH * len(source):
        return list(_gaps(source, 0, len(source), ""))
    for tokens in _top_level(_tokens(source)):
        opening = tokens[0]
        if opening.map is None:
            continue
        first, end = max(opening.map[0], covered), opening.map[1]
        blocks += _gaps(source, covered, first, heading)
        content = tokens[1].content if opening.type == "heading_open" else ""
        level = int(opening.tag[1]) if opening.type == "heading_open" and len(content) <= _LONGEST_HEADING else 0
        if level:
            path = [*(entry for entry in path if entry[0] < level), (level, cut(plain(content), _SHOWN_HEADING))]
            heading = " / ".join(name for _, name in path if name)
        starts = frozenset(token.map[0] for token in tokens if token.map and token.level and token.nesting != -1)
        while end > first and source.blank(end - 1):
            end -= 1
        while first < end and source.blank(first):
            first += 1
        if first < end:
            blocks.append(Block(first, end - 1, heading, level, opening.type in _ROWS, starts - {first}))
        covered = max(covered, opening.map[1])
    return blocks + list(_gaps(source, covered, len(source), heading))


def sections_of(blocks: list[Block]) -> Iterator[list[Block]]:
    """Blocks by heading. A heading with nothing under it but deeper headings opens the first of their sections."""
    section: list[Block] = []
    for block in blocks:
        if block.level and section and not (section[-1].level and block.level > section[-1].level):
            yield section
            section = []
        section.append(block)
    if section:
        yield section


def _tokens(source: Lines) -> list[Token]:
    """Parsed with the same lines as ours: a carriage return inside a line would count as another line end."""
    return _parser.parse("\n".join(line.rstrip("\r").replace("\r", " ") for line in source.lines))


def _top_level(tokens: list[Token]) -> Iterator[list[Token]]:
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.level == 0 and token.nesting != 1:
            yield group
            group = []


def _gaps(source: Lines, start: int, end: int, heading: str) -> Iterator[Block]:
    """What the parser gives no token for (link definitions): each run of lines that are not blank."""
    first = start
    for line in range(start, end + 1):
        if line == end or source.blank(line):
            if first < line:
                yield Block(first, line - 1, heading, 0, False, frozenset())
            first = line + 1
