"""What a reader makes of a file: its title, its text in parts that can be cited, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from context.characters import safe_end
from context.condense import cut, one_line
from context.text import clean
from context.types import Language, SourceType

LONGEST_TITLE = 200
"""Characters."""
_LONGEST_ANCHOR = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One sentence about how a file was read, for the person who gave it; it never quotes the file."""

    en: str
    zh: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of a file's text that a citation can name.

    Attributes:
        text: Markdown or plain text, line ends as `\\n` except in plain text files, which stay as they are.
        anchor: the place inside the file, like the fragment of a URL: `page=3`, `slide=2`, `sheet=Umsatz`,
            `t=00:01:30`; empty for the whole file.
        first_line: 1-based line on which `text` begins, of the file for plain text, else of the part.
        heading: what the file itself calls this stretch (a slide's title, an entry of the outline), or nothing.
    """

    text: str
    anchor: str = ""
    first_line: int = 1
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that has been read. `notices` and `notices_zh` are the same sentences in the same order."""

    title: str
    parts: tuple[Part, ...]
    source_type: SourceType
    notices: tuple[str, ...] = ()
    notices_zh: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All parts, with an empty line between them."""
        return "\n\n".join(part.text for part in self.parts)

    def notices_in(self, language: Language) -> tuple[str, ...]:
        """The notices in the reader's language."""
        return self.notices_zh if language == "zh" else self.notices


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLimits:
    """What one file may cost.

    Attributes:
        max_bytes: of the file.
        max_characters: of its text; what goes beyond is left out with a notice.
        seconds: by the clock, from the start of the child process. A recording has the transcriber's own limit.
        memory_bytes: address space of the child process. Reading pictures takes about 1.6 GB of it (0.8 GB resident).
        max_pages: pages, slides, sheets or frames; what goes beyond is left out with a notice.
        unpacked_bytes: what an Office file may declare for all its members together.
        unpacked_ratio: how often larger than the file that may be, from 10 MB on.
    """

    max_bytes: int = 200_000_000
    max_characters: int = 5_000_000
    seconds: float = 120.0
    memory_bytes: int = 2_000_000_000
    max_pages: int = 5_000
    unpacked_bytes: int = 1_000_000_000
    unpacked_ratio: float = 200.0


def assemble(
    *,
    title: str,
    parts: Iterable[Part],
    source_type: SourceType,
    limits: ReaderLimits,
    notices: Iterable[Notice] = (),
) -> Document:
    """A document that can be stored: hostile characters replaced, not more text than allowed, no empty parts.

    Args:
        title: what the file calls itself, or its name; one line of at most 200 characters is kept.
    """
    said = list(notices)
    kept: list[Part] = []
    room, replaced = limits.max_characters, 0
    for part in parts:
        cleaned = clean(part.text)
        if not cleaned.text.strip():
            continue
        if room <= 0:
            said.append(_too_long(limits, part.anchor))
            break
        text = cleaned.text[: safe_end(cleaned.text, room)]
        room -= len(text)
        replaced += cleaned.replaced
        kept.append(replace(part, text=text, anchor=_label(part.anchor), heading=_label(part.heading)))
        if len(text) < len(cleaned.text):
            said.append(_too_long(limits, part.anchor))
            break
    if replaced:
        said.append(
            Notice(
                en=f"{replaced} characters that cannot be stored were replaced by U+FFFD.",
                zh=f"{replaced} 个无法保存的字符已替换为 U+FFFD。",
            )
        )
    return Document(
        title=cut(one_line(clean(title).text), LONGEST_TITLE),
        parts=tuple(kept),
        source_type=source_type,
        notices=tuple(notice.en for notice in said),
        notices_zh=tuple(notice.zh for notice in said),
    )


def _label(text: str) -> str:
    return cut(one_line(clean(text).text), _LONGEST_ANCHOR)


def _too_long(limits: ReaderLimits, anchor: str) -> Notice:
    numbered = anchor.startswith(("page=", "slide=", "t="))  # the name of a sheet would quote the file
    place, zh = (f" (from {anchor} on)", f"（自 {anchor} 起）") if numbered else ("", "")
    return Notice(
        en=f"The text is longer than {limits.max_characters} characters; the rest{place} was left out.",
        zh=f"文本超过 {limits.max_characters} 个字符，其余部分{zh}未读入。",
    )
