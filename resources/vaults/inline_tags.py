"""The `#tags` in a note's text. Code, headings, comments, links and colours in markup hold none. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_TAGS = 100
_LONGEST = 100
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_COMMENT = re.compile("<!--|%%")
_ENDS = {"<!--": "-->", "%%": "%%"}
# Inside of these a # means something else. Each alternative ends at the character that it begins with, so a line is
# read once however it is made.
_FOREIGN = re.compile(r"`[^`]*`|\]\([^()]*\)|\[\[[^\[\]]*\]\]|https?://\S+|<[^<>]*>")
# Before a tag: nothing, a blank, or a mark that opens or ends a phrase. In it: what Obsidian takes, in any script.
_TAG = re.compile(
    r"(?<![^\s(\[（【「『《“，。、；：！？—…])#([^\s#,.;:!?\"'`()\[\]{}<>|\\@$%^&*+=~，。、；：！？…“”‘’（）【】「」『』《》·]+)"
)


def inline_tags(body: str) -> tuple[str, ...]:
    """The tags in a text without their `#`, in order, each once whatever its case, at most 100.

    A tag has at least one character that is no digit (`#1` is a number), may be nested (`a/b`), and is at most 100
    characters long.
    """
    if "#" not in body:
        return ()
    found: dict[str, str] = {}
    for line in _prose(body):
        for match in _TAG.finditer(_FOREIGN.sub(" ", line)):
            tag = match[1].strip("/-")
            if len(tag) <= _LONGEST and any(character.isalpha() or character > "\u2000" for character in tag):
                found.setdefault(tag.casefold(), tag)
        if len(found) >= MOST_TAGS:
            break
    return tuple(found.values())[:MOST_TAGS]


def _prose(body: str) -> Iterator[str]:
    """The lines in which a tag can stand, without what is commented out."""
    fence = comment = ""
    after_blank, in_code, in_list = True, False, False
    for line in body.splitlines():
        if not comment and (mark := _FENCE.match(line)):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence, after_blank = "", True
            continue
        if fence:
            continue
        bare = line.strip()
        indented = bool(bare) and line.startswith(("    ", "\t"))
        if bare:
            in_code = indented and not in_list and (after_blank or in_code)
            in_list = bool(_ITEM.match(line)) if not indented else in_list
        after_blank = not bare
        told, comment = _uncommented(line, comment)
        if "#" in told and not in_code and not _HEADING.match(told):
            yield told


def _uncommented(line: str, comment: str) -> tuple[str, str]:
    """A line without comments, and the mark that ends the comment in which it leaves off."""
    if not comment and "<!--" not in line and "%%" not in line:
        return line, ""
    told: list[str] = []
    place = 0
    while place < len(line):
        if comment:
            end = line.find(comment, place)
            if end < 0:
                return "".join(told), comment
            place, comment = end + len(comment), ""
            continue
        opened = _COMMENT.search(line, place)
        if opened is None:
            told.append(line[place:])
            break
        told.append(line[place : opened.start()] + " ")
        place, comment = opened.end(), _ENDS[opened[0]]
    return "".join(told), comment
