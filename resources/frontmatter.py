"""The YAML front matter of a Markdown note: split off safely, read for tags."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

MAX_FRONT_MATTER = 64 * 1024
"""Bytes of a front matter block that are read."""
_MAX_DEPTH = 20
_MAX_TAGS = 100
_OPENING = re.compile(r"---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What stands before a note's body, and the body.

    Attributes:
        values: the mapping that was read; empty when there is none or it cannot be used.
        body: the text after it. When it cannot be used (see `problem`), the whole text: nothing a person wrote is lost.
        first_line: 1-based line of the source on which `body` begins.
        problem: why a block that looks like front matter was not read, for its author; None when all is well.
    """

    values: dict[str, Any]
    body: str
    first_line: int = 1
    problem: str | None = None


def split_front_matter(text: str) -> FrontMatter:
    """Split YAML front matter (`---` on the first line to `---` or `...`) from the body. Never raises.

    Refused with a `problem`: broken YAML, more than 64 kB, anchors and aliases (their expansion can be exponential),
    explicit tags, nesting over 20 levels. A block that is not a mapping is prose between two rules: body, no problem.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter(values={}, body=text)
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return FrontMatter(values={}, body=text)
    block = text[opening.end() : closing.start()]
    if len(block.encode("utf-8", errors="replace")) > MAX_FRONT_MATTER:
        return FrontMatter(values={}, body=text, problem="The front matter is larger than 64 kB.")
    problem = _refusal(block)
    if problem:
        return FrontMatter(values={}, body=text, problem=problem)
    try:
        values = yaml.safe_load(block)
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # ValueError: a date or number that cannot be
        return FrontMatter(values={}, body=text, problem=_explained(error))
    if values is not None and not isinstance(values, dict):
        return FrontMatter(values={}, body=text)
    return FrontMatter(
        values={str(key): value for key, value in (values or {}).items()},
        body=text[closing.end() :],
        first_line=1 + text.count("\n", 0, closing.end()),
    )


def _refusal(block: str) -> str | None:
    """Why the block must not be loaded, judged on its events alone: nothing is built, nothing expands."""
    depth = 0
    try:
        for event in yaml.parse(block, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                return "The front matter uses YAML anchors or aliases, which are not read."
            if getattr(event, "tag", None):
                return "The front matter uses explicit YAML tags, which are not read."
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > _MAX_DEPTH:
                return f"The front matter is nested more than {_MAX_DEPTH} levels deep."
    except yaml.YAMLError as error:
        return _explained(error)
    return None


def _explained(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    place = f" on line {mark.line + 2}" if mark is not None else ""  # + 2: counted from 0, after the opening ---
    reason = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"The front matter is not valid YAML{place}: {reason}"[:300]


def tags_of(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags of a front matter (`tags`, `tag` or `keywords`; a list, or words between commas or blanks), without #.

    In order, each once, at most 100.
    """
    found: list[str] = []
    for key, value in values.items():
        if key.lower() in ("tags", "tag", "keywords"):
            if isinstance(value, str):
                separator = r"[,，、;；]" if re.search(r"[,，、;；]", value) else r"\s+"
                found += re.split(separator, value)
            elif isinstance(value, list):
                found += [str(item) for item in value if isinstance(item, (str, int, float))]
    tags = (" ".join(tag.strip().lstrip("#").split()) for tag in found)
    return tuple(dict.fromkeys(tag for tag in tags if tag))[:_MAX_TAGS]
