"""L0 and L1 of a container by rule: what is in it, the newest first, told by its children's own abstracts. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from context.budget import count_tokens
from context.conclusions import conclusion_in
from context.condense import condense, cut, one_line
from context.text import ABSTRACT_LIMIT, language_of
from context.types import Language
from prompts.fencing import visible
from resources.levels import OVERVIEW_TOKENS

MOST_CHILDREN = 200
"""Children that are read for a container's texts; the rest are counted."""
_NAMED = 12
_NAME = 40
_TOLD = 80
"""Characters of one child in the abstract: with a name of 40 and a count there is always room for one."""
_TITLE = 80
_LINE = 160
_READ = 1_000
_AFTER_TITLE = re.compile(r"\s?[·:：—]\s?|\Z")
_STOPS = ".。;；"
_BLOCK_MARKS = re.compile(r"(?:[#>]+\s*|[-*+]\s+|\d{1,9}[.)]\s+)+(?=\S)")
_CODE_FENCE = re.compile(r"[`~]{3,}")
_WORDS: dict[Language, dict[str, str]] = {
    "zh": {
        "one": "{name}（{count} 项）",
        "many": "{name}（{count} 项）",
        "join": "；",
        "colon": "：",
        "more": "（另有 {count} 项未列出）",
        "in one": "共 {count} 项。",
        "in many": "共 {count} 项，新的在前。",
        "untitled": "（无标题）",
    },
    "en": {
        "one": "{name} ({count} item)",
        "many": "{name} ({count} items)",
        "join": "; ",
        "colon": ": ",
        "more": "({count} more not listed)",
        "in one": "{count} item.",
        "in many": "{count} items, the newest first.",
        "untitled": "(untitled)",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """What a container may tell of one thing in it."""

    title: str
    abstract: str
    happened_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryTexts:
    """A container's abstract (at most 140 characters) and overview (at most 2,000 tokens)."""

    abstract: str
    overview: str | None


def directory_texts(name: str, children: Sequence[Child], *, count: int) -> DirectoryTexts:
    """Texts of a container.

    The abstract names it, says how much is in it and goes on with conclusions of its newest children, then with their
    titles; the newest conclusion is always there. The overview lists the children, one line each, and says how many it
    leaves out. In the language of most of them.

    Args:
        children: the newest first, at most `MOST_CHILDREN`.
        count: how many there are in all.
    """
    name = _readable(name) or "…"
    if not children:
        return DirectoryTexts(abstract=cut(name, ABSTRACT_LIMIT), overview=None)
    plain = [_plain(child) for child in children]
    words = _WORDS[_language(name, plain)]
    return DirectoryTexts(
        abstract=_abstract(name, plain[:_NAMED], count, words), overview=_overview(name, plain, count, words)
    )


def _abstract(name: str, newest: Sequence[Child], count: int, words: dict[str, str]) -> str:
    head = words["one" if count == 1 else "many"].format(name=cut(name, _NAME), count=count)
    said = [_conclusion(child) or child.title or child.abstract for child in newest]
    said.sort(key=lambda line: conclusion_in(line) is None)
    told = head
    for line in dict.fromkeys(_condensed(line, _TOLD) for line in said if line):
        longer = f"{head}{words['colon']}{line}" if told == head else f"{told.rstrip(_STOPS)}{words['join']}{line}"
        if len(longer) <= ABSTRACT_LIMIT:
            told = longer
    return cut(told, ABSTRACT_LIMIT)


def _overview(name: str, children: Sequence[Child], count: int, words: dict[str, str]) -> str:
    head = f"# {cut(name, _LINE)}\n{words['in one' if count == 1 else 'in many'].format(count=count)}\n"
    lines = [_line(child, words["untitled"]) for child in children]
    left = OVERVIEW_TOKENS - _cost(head) - _cost(words["more"].format(count=count))
    shown = 0
    while shown < len(lines) and (left := left - _cost(lines[shown])) >= 0:
        shown += 1
    while True:
        more = [words["more"].format(count=count - shown)] if count > shown else []
        text = "\n".join([head, *lines[:shown], *more])
        if shown == 0 or count_tokens(text).gate <= OVERVIEW_TOKENS:  # the sum of parts is an estimate of the whole
            return text
        shown -= 1


def _conclusion(child: Child) -> str:
    return next((text for text in (child.abstract, child.title) if conclusion_in(text)), "")


def _line(child: Child, untitled: str) -> str:
    day = f" ({child.happened_at:%Y-%m-%d})" if child.happened_at else ""
    says = _condensed(child.abstract, _LINE)
    if not child.title:
        return f"- {says or untitled}{day}"
    if says.startswith((f"{child.title} (", f"{child.title}（")):  # a container, whose text begins with its name
        return f"- {says}{day}"
    return f"- {child.title}{day}: {says}" if says else f"- {child.title}{day}"


def _plain(child: Child) -> Child:
    """A child as a list can show it: on one line, without what nobody sees, its abstract without its title."""
    whole = _readable(child.title)
    abstract = _readable(child.abstract)
    if whole and abstract.startswith(whole) and (rest := _AFTER_TITLE.match(abstract, len(whole))):
        abstract = abstract[rest.end() :]
    return Child(title=cut(whole, _TITLE), abstract=abstract, happened_at=child.happened_at)


def _readable(text: str) -> str:
    """One line of what a person sees, that begins and ends no block of Markdown."""
    line = _CODE_FENCE.sub("", one_line(visible(text[:_READ])))
    marks = _BLOCK_MARKS.match(line)
    return one_line(line[marks.end() :] if marks else line)


def _condensed(line: str, limit: int) -> str:
    found = conclusion_in(line)
    return condense(line, limit, keep=(found.start, found.end) if found else None) if line else ""


def _language(name: str, children: Sequence[Child]) -> Language:
    """What most children are written in, one vote each; of a tie, what the name is written in."""
    votes = Counter(_spoken(f"{child.title}\n{child.abstract}") for child in children)
    if votes["zh"] == votes["en"]:
        return language_of(name)
    return "zh" if votes["zh"] > votes["en"] else "en"


def _spoken(text: str) -> Language | None:
    """The language of a text; None of one without words."""
    found = language_of(text)
    return found if language_of(text, default="zh") == found else None


def _cost(line: str) -> int:
    count = count_tokens(line + "\n")
    return max(count.half, count.o200k)
