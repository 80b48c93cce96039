"""The YAML front matter of a Markdown note: split off safely, read for title, tags and aliases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import yaml

from context.condense import one_line

MAX_FRONT_MATTER = 64 * 1024
"""Bytes of a front matter block that are read."""
_MAX_DEPTH = 20
_MAX_NAMES = 100
_LONGEST_ALIAS = 200
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same language, some ten times as fast
_OPENING = re.compile(r"---[ \t]*\r?\n")
_COMMA = re.compile(r"[,，、;；]")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What stands before a note's body, and the body.

    Attributes:
        values: the mapping that was read; empty when there is none or it cannot be used.
        body: the text after it. When it cannot be used (see `problem`), the whole text: nothing a person wrote is lost.
        first_line: 1-based line of the source on which `body` begins.
        problem, problem_zh: why a block that looks like front matter was not read, for its author; None when all is
            well.
    """

    values: dict[str, Any]
    body: str
    first_line: int = 1
    problem: str | None = None
    problem_zh: str | None = None


class _Refusal(NamedTuple):
    """Why a block is not read, in both languages."""

    en: str
    zh: str


_TOO_LARGE = _Refusal("The front matter is larger than 64 kB.", "文首元数据超过 64 kB。")
_TOO_DEEP = _Refusal(
    f"The front matter is nested more than {_MAX_DEPTH} levels deep.", f"文首元数据嵌套超过 {_MAX_DEPTH} 层。"
)
_ALIASES = _Refusal(
    "The front matter uses YAML anchors or aliases, which are not read.", "文首元数据使用了 YAML 锚点或别名，未读取。"
)
_TAGS = _Refusal(
    "The front matter uses explicit YAML tags, which are not read.", "文首元数据使用了显式的 YAML 标签，未读取。"
)


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
        return _refused(text, _TOO_LARGE)
    refusal = _refusal(block)
    if refusal:
        return _refused(text, refusal)
    try:
        values = yaml.load(block, Loader=_LOADER)  # noqa: S506  # a safe loader
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # ValueError: a date or number that cannot be
        return _refused(text, _explained(error))
    if values is not None and not isinstance(values, dict):
        return FrontMatter(values={}, body=text)
    return FrontMatter(
        values={str(key): value for key, value in (values or {}).items()},
        body=text[closing.end() :],
        first_line=1 + text.count("\n", 0, closing.end()),
    )


def _refused(text: str, refusal: _Refusal) -> FrontMatter:
    return FrontMatter(values={}, body=text, problem=refusal.en, problem_zh=refusal.zh)


def _refusal(block: str) -> _Refusal | None:
    """Why the block must not be loaded, judged on its events alone: nothing is built, nothing expands."""
    depth = 0
    try:
        for event in yaml.parse(block, Loader=_LOADER):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                return _ALIASES
            if getattr(event, "tag", None):
                return _TAGS
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > _MAX_DEPTH:
                return _TOO_DEEP
    except yaml.YAMLError as error:
        return _TOO_DEEP if "nesting depth" in str(error) else _explained(error)  # libyaml gives up by itself
    return None


def _explained(error: Exception) -> _Refusal:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 2 if mark is not None else 0  # + 2: counted from 0, after the opening ---
    place, zh = (f" on line {line}", f"（第 {line} 行）") if line else ("", "")
    reason = getattr(error, "problem", None) or str(error).splitlines()[0]
    return _Refusal(
        f"The front matter is not valid YAML{place}: {reason}"[:300], f"文首元数据不是有效的 YAML{zh}：{reason}"[:300]
    )


def title_of(values: Mapping[str, Any]) -> str:
    """The `title` of a front matter on one line; YAML makes numbers and dates of some, which is not what was meant."""
    found = first_of(values, ("title", "标题"))
    return "" if found is None or isinstance(found, list | dict) else one_line(str(found))


def tags_of(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags of a front matter (`tags`, `tag`, `keywords` or 标签; a list, or words between commas or blanks).

    Without their #, in order, each once, at most 100.
    """
    found = _names(values, ("tags", "tag", "keywords", "标签"), blanks=True)
    tags = (one_line(tag.strip().lstrip("#")) for tag in found)
    return tuple(dict.fromkeys(tag for tag in tags if tag))[:_MAX_NAMES]


def aliases_of(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Other names of a note (`aliases`, `alias` or 别名; a list, or names between commas), in order, each once, at most
    100, none longer than 200 characters."""
    aliases = (one_line(alias) for alias in _names(values, ("aliases", "alias", "别名"), blanks=False))
    return tuple(dict.fromkeys(alias for alias in aliases if 0 < len(alias) <= _LONGEST_ALIAS))[:_MAX_NAMES]


def first_of(values: Mapping[str, Any], keys: Sequence[str]) -> object:
    """The value of the first of these keys that has one, whatever its case; else None."""
    by_name = {key.lower(): value for key, value in values.items() if value is not None}
    return next((by_name[key] for key in keys if key in by_name), None)


def _names(values: Mapping[str, Any], keys: Sequence[str], *, blanks: bool) -> list[str]:
    found: list[str] = []
    for key, value in values.items():
        if key.lower() not in keys:
            continue
        if isinstance(value, str):
            listed = blanks is False or _COMMA.search(value)
            found += _COMMA.split(value) if listed else value.split()
        elif isinstance(value, list):
            found += [str(item) for item in value if isinstance(item, str | int | float | date)]
        elif isinstance(value, int | float | date) and not isinstance(value, bool):
            found.append(str(value))  # `tags: 2027`
    return found
