"""Sentences that can be quoted out of stored text: verbatim, without Markdown marks, and unable to do anything."""

from __future__ import annotations

import re

from context.condense import cut
from context.text import sentences

LONGEST_QUOTE = 280
"""Characters of a quoted sentence; what is longer is cut at a word or clause and ends with `…`."""

_IN_PARENTHESES = r"\((?:[^()\n]|\([^()\n]*\)){0,2000}\)"
_IMAGE = re.compile(
    rf"!\[\[[^\[\]\n]{{0,500}}\]\]|!\[[^\[\]\n]{{0,500}}\](?:{_IN_PARENTHESES}|\[[^\[\]\n]{{0,200}}\])?"
)
_LINK = re.compile(rf"(?<!!)\[([^\[\]\n]{{1,500}})\](?:{_IN_PARENTHESES}|\[(?!\d{{1,3}}\])[^\[\]\n]{{0,200}}\])")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|\n]{1,300}\|)?([^\[\]|\n]{1,300})\]\]")
_DEFINITION = re.compile(r"(?m)^[ \t]{0,3}\[[^\[\]\n]{1,200}\]:[ \t]*\S.*$")
_AUTOLINK = re.compile(r"<((?:https?|ftp|mailto):[^<>\s]{1,2000})>")
_ACTIVE_TAG = re.compile(
    r"(?i)</?(?:img|script|iframe|style|link|object|embed|svg|video|audio|form|input|button|meta|base|source|picture)\b"
    r"[^<>]{0,2000}>|<a\s[^<>]{0,2000}>|</a>"
)
_CITATION = re.compile(r"(?<![A-Za-z0-9_\])])\[(\d{1,4})\]")
"""Looks like one of our citations; `items[3]` is code and stays."""
_PASSES = 4
"""Removing an inner image can complete an outer one; deeper nesting than this does not render."""

_MARKS = re.compile(
    r"(?:[ \t]*(?:>|#{1,6}(?=\s)|[-*+•·](?=\s)|\d{1,3}[.)](?=\s)|\d{1,3}、|[（(]\d{1,3}[）)]|\[[ xX]\](?=\s)))*[ \t]*"
)
_EMPHASIS = re.compile(r"\*\*|__(?=\S)|(?<=\S)__|~~")
_TABLE_EDGE = re.compile(r"^\||\|$")
_ASKING = re.compile(r"[?？][\s)）”’\"'」』]*$|[吗呢][。.!！\s]*$")
_HEADING = re.compile(r"[ \t]*#{1,6}\s")


def inert(text: str) -> str:
    """`text` as words only: images go, links keep their words, active tags go, and `[3]` becomes `(3)`.

    A stored text may try to load something, to send the reader somewhere or to forge one of our citations; quoted in
    an answer it can do none of it. Everything else stays character by character.
    """
    for _ in range(_PASSES):
        bare = _LINK.sub(r"\1", _IMAGE.sub("", _DEFINITION.sub("", text)))
        if bare == text:
            break
        text = bare
    text = _AUTOLINK.sub(r"\1", _WIKI_LINK.sub(r"\1", text))
    return _CITATION.sub(r"(\1)", _ACTIVE_TAG.sub("", text))


def quotable(text: str) -> list[str]:
    """The sentences of `text` that tell something, each one line, made inert; headings and questions are left out."""
    found = []
    for raw in sentences(inert(text)):
        sentence = quote(raw)
        if sentence and not _HEADING.match(raw) and not _ASKING.search(sentence):
            found.append(sentence)
    return found


def quote(text: str) -> str:
    """One line of `text` without list, heading and emphasis marks, cut at `LONGEST_QUOTE`; empty when it has no words.

    Only marks and blanks are removed, so names, numbers and dates stand as they were stored.
    """
    line = " ".join(_EMPHASIS.sub("", _MARKS.sub("", text, count=1)).split())
    line = _TABLE_EDGE.sub("", line).strip()
    return cut(line, LONGEST_QUOTE) if any(character.isalnum() for character in line) else ""
