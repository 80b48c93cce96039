"""One SKILL.md: from bytes to its checked fields and its body (open Agent Skills format).

The front matter is read as strings, lists and maps only. YAML's clever parts are refused, not disarmed: aliases (the
ones bombs are built from), explicit tags, keys given twice, deep nesting. So `version: 1.10` stays `1.10`, and
`scene: no` stays `no`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from context.errors import InvalidInputError

MAX_BYTES = 256 * 1024
"""Size cap of one file of a skill, SKILL.md included, in bytes."""
MAX_FRONT_MATTER = 16 * 1024
"""Size cap of the front matter, in characters."""
MAX_DESCRIPTION = 1024
"""Length cap of a description, in characters: the open format's own number. It stands in the prompt every turn."""
MAX_DEPTH = 4
"""Nesting of the front matter; ours needs three (document, metadata, a list in it)."""

_NAME = re.compile(r"(?=.{1,64}\Z)[a-z0-9]+(?:-[a-z0-9]+)*")
_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_TOOL = re.compile(r"[^\s,(]+(?:\([^)]{0,200}\))?")  # a tool may carry a pattern with spaces: Bash(git log:*)
_PLAIN_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))

PARTS: dict[str, tuple[str, ...]] = {
    "en": ("Role", "Strategy", "Prompt template", "Constraints", "Examples"),
    "zh": ("角色", "策略", "提示模板", "约束", "示例"),
}
"""The headings that the body of a whole skill must hold, in each of its languages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSkill:
    """What one SKILL.md says. An empty field was not given; an overlay then inherits it.

    Attributes:
        digest: sha256 of the file's bytes, hex.
        body: the Markdown below the front matter, newlines normalised to LF.
    """

    name: str
    digest: str
    body: str
    description: str = ""
    allowed_tools: tuple[str, ...] = ()
    scenes: tuple[str, ...] = ()
    kind: str = ""
    version: str = ""
    languages: tuple[str, ...] = ()


class _FrontMatterLoader(yaml.BaseLoader):
    """YAML without types, aliases, tags, doubled keys and deep nesting."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise InvalidInputError("The front matter uses a YAML alias.")
        if self.depth >= MAX_DEPTH:
            raise InvalidInputError(f"The front matter is nested deeper than {MAX_DEPTH} levels.")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        if node is not None and node.tag not in _PLAIN_TAGS:
            raise InvalidInputError(f"The front matter uses a YAML tag: {node.tag[:80]}.")
        if isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            if len(set(keys)) < len(node.value):
                raise InvalidInputError("The front matter gives a key twice, or a key that is not a word.")
        return node


def parse_skill(data: bytes) -> ParsedSkill:
    """Read a SKILL.md.

    Raises:
        InvalidInputError: the file cannot be used; the message is the reason that an operator is shown.
    """
    if len(data) > MAX_BYTES:
        raise InvalidInputError(f"SKILL.md is larger than {MAX_BYTES // 1024} kB.")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise InvalidInputError("SKILL.md is not UTF-8.") from None
    head, body = _split(text)
    fields = _front_matter(head)
    name = _word(fields, "name")
    if not _NAME.match(name):
        raise InvalidInputError(
            f"Its name {name[:80]!r} is not 1 to 64 lower-case letters, digits and single hyphens between them."
        )
    description = " ".join(_word(fields, "description").split())
    if len(description) > MAX_DESCRIPTION:
        raise InvalidInputError(f"Its description is longer than {MAX_DESCRIPTION} characters.")
    metadata = fields.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise InvalidInputError("`metadata` in the front matter must be a map.")
    return ParsedSkill(
        name=name,
        digest=hashlib.sha256(data).hexdigest(),
        body=body.strip("\n"),
        description=description,
        allowed_tools=_words(fields, "allowed-tools"),
        scenes=tuple(scene.casefold() for scene in _words(metadata, "scene")),
        kind=_word(metadata, "kind"),
        version=_word(metadata, "version"),
        languages=_words(metadata, "languages"),
    )


def missing_parts(body: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The headings that a whole skill lacks, as `language: heading`; empty when nothing is missing.

    Overlays only refine and need none. A language we know no headings for is not checked.
    """
    headings = {line.lstrip("#").strip().casefold() for line in body.splitlines() if line.startswith("#")}
    return tuple(
        f"{language}: {part}"
        for language in languages
        for part in PARTS.get(language, ())
        if part.casefold() not in headings
    )


def _split(text: str) -> tuple[str, str]:
    """Front matter and body."""
    opening = _FENCE.match(text)
    if opening is None:
        raise InvalidInputError("SKILL.md has no front matter: its first line must be `---`.")
    closing = _FENCE.search(text, opening.end())
    if closing is None:
        raise InvalidInputError("The front matter is not closed by a line `---`.")
    head = text[opening.end() : closing.start()]
    if len(head) > MAX_FRONT_MATTER:
        raise InvalidInputError(f"The front matter is larger than {MAX_FRONT_MATTER // 1024} kB.")
    return head, text[closing.end() :]


def _front_matter(head: str) -> Mapping[str, object]:
    try:
        loader = _FrontMatterLoader(head)
        fields = loader.get_single_data()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", "") or "it cannot be read"
        raise InvalidInputError(f"The front matter is not YAML{where}: {problem}.") from None
    if not isinstance(fields, dict):
        raise InvalidInputError("The front matter must be a map of fields.")
    return fields


def _word(fields: Mapping[str, object], key: str) -> str:
    value = fields.get(key, "")
    if not isinstance(value, str):
        raise InvalidInputError(f"`{key}` in the front matter must be a text.")
    return value.strip()


def _words(fields: Mapping[str, object], key: str) -> tuple[str, ...]:
    """A list, or a text separated by spaces or commas (the open format knows only the latter)."""
    value = fields.get(key, "")
    if isinstance(value, str):
        return tuple(dict.fromkeys(_TOOL.findall(value)))
    if isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value):
        return tuple(dict.fromkeys(item.strip() for item in value))
    raise InvalidInputError(f"`{key}` in the front matter must be a list of words.")
