"""L1 by rule: the structured overview of a text too long to be read whole. (L0 is `context.text.abstract_of`.)"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from context.budget import SectionShare, TokenBudget, count_tokens
from context.condense import cut
from context.text import abstract_of, conclusion_of, language_of, plain
from context.types import Language
from resources.blocks import Block, Lines, blocks_of

OVERVIEW_THRESHOLD = 5_000
"""Characters of L2 up to which no overview is made (contract, part 4.4)."""
OVERVIEW_TOKENS = 2_000
"""Tokens of an overview at most, by the counter's gate."""

_LINE = 110
_CONCLUSION = 160
_FRAME_TOKENS = 160  # title, the headings of the parts, the line on how to reach the whole text
_BUDGET = TokenBudget(
    total=OVERVIEW_TOKENS - _FRAME_TOKENS,
    sections=(
        SectionShare(name="conclusions", share=0.35),
        SectionShare(name="sections", share=0.45),
        SectionShare(name="points", share=0.20),
    ),
)
_WORDS: dict[Language, dict[str, str]] = {
    "zh": {
        "conclusions": "结论",
        "sections": "章节",
        "points": "要点",
        "more": "（另有 {count} 条未列出）",
        "whole": "全文",
        "reach": "本概览按规则生成。全文 {characters} 字符、{lines} 行；展开{address}可逐块读取原文，附行号。",
        "this": "此条目",
    },
    "en": {
        "conclusions": "Conclusions",
        "sections": "Sections",
        "points": "Key points",
        "more": "({count} more not listed)",
        "whole": "Full text",
        "reach": "Made by rule. The text has {characters} characters in {lines} lines; expand {address} to read it"
        " chunk by chunk, verbatim, with line numbers.",
        "this": "this item",
    },
}


def overview_of(title: str, text: str, *, chars: int = OVERVIEW_THRESHOLD, address: str | None = None) -> str | None:
    """L1 of a long text: its conclusions, its sections, its key points, and how to reach the whole (L2).

    Made of its own sentences, in its own language, at most 2,000 tokens.

    Args:
        chars: texts up to this length have no overview; the result is None.
        address: what to expand for the full text; without it, "this item".
    """
    if len(text) <= chars:
        return None
    words = _WORDS[language_of(text)]
    source = Lines(text)
    groups = _groups(blocks_of(source))
    bodies = [_body(source, group) for group in groups]
    parts = {
        "conclusions": _distinct(cut(plain(found), _CONCLUSION) for body in bodies if (found := conclusion_of(body))),
        "sections": list(_outline(source, groups, bodies)),
        "points": _distinct(_first_sentences(source, groups)),
    }
    given = _BUDGET.allocate({name: sum(map(_cost, lines)) for name, lines in parts.items()})
    shown = [f"# {cut(plain(title), _LINE)}"] if title.strip() else []
    for name, lines in parts.items():
        kept = _within(lines, given[name])
        if kept:
            missing = len(lines) - len(kept)
            more = [words["more"].format(count=missing)] if missing else []
            shown += ["", f"## {words[name]}", *kept, *more]
    reach = words["reach"].format(characters=len(text), lines=len(source), address=cut(address or words["this"], _LINE))
    return "\n".join([*shown, "", f"## {words['whole']}", reach]).strip()


def _groups(blocks: list[Block]) -> list[list[Block]]:
    """Every heading with the blocks directly under it; what stands before the first heading is a group too."""
    groups: list[list[Block]] = []
    for block in blocks:
        if block.level or not groups:
            groups.append([])
        groups[-1].append(block)
    return groups


def _body(source: Lines, group: list[Block]) -> str:
    return "\n".join(source.text(block.first, block.last) for block in group if not block.level and not block.rows)


def _outline(source: Lines, groups: list[list[Block]], bodies: list[str]) -> Iterator[str]:
    """One line a heading, indented by its level: its words and what it says."""
    for group, body in zip(groups, bodies, strict=True):
        heading = group[0]
        if heading.level:
            name = plain(source.text(heading.first, heading.first))
            says = f": {abstract_of('', body, limit=_LINE)}" if body.strip() else ""
            yield f"{'  ' * (heading.level - 1)}- {cut(name, _LINE)}{says}"


def _first_sentences(source: Lines, groups: list[list[Block]]) -> Iterator[str]:
    """The first sentence of every paragraph that the outline does not show already."""
    for group in groups:
        paragraphs = [block for block in group if not block.level and not block.rows]
        for block in paragraphs[1:] if group[0].level else paragraphs:
            sentence = abstract_of("", source.text(block.first, block.last), limit=_LINE)
            if any(map(str.isalnum, sentence)):
                yield sentence


def _distinct(lines: Iterable[str]) -> list[str]:
    return [f"- {line}" for line in dict.fromkeys(lines) if line]


def _cost(line: str) -> int:
    count = count_tokens(line + "\n")
    return max(count.half, count.o200k)


def _within(lines: list[str], tokens: int) -> list[str]:
    kept = []
    for line in lines:
        tokens -= _cost(line)
        if tokens < 0:
            break
        kept.append(line)
    return kept
