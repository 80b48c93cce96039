"""Fences: how text that a person, a file or a memory wrote stands in a prompt as data.

A fence is a mark made up for one answer. Data stands between `<<mark label` and `mark>>`, or, where many short texts
share one fence, on lines that begin with `| `. Whoever wrote the data cannot know the mark, and `neutralise` takes it
out should it be there after all, so that no text can close its fence or open another.

`neutralise` is what a text goes through on its way into a prompt (what is stored stays as it was written):

- Invisible characters are removed: control characters, zero-width and bidirectional controls, Unicode tag characters,
  fillers, stacked variation selectors. A person cannot see them, a model reads them. Removed, not shown, because a
  prompt has a budget and one hidden character would become eight. Joiners stay where a script or an emoji needs them;
  of the flags made of tag characters only the black flag stays. Other line ends become LF, surrogates U+FFFD.
- The mark becomes `(mark)`, whatever its case and also in full-width characters.
- What looks like ours gets a backslash before it: `[Tier-0]`, a marker of a degraded leg, `[3]` at the beginning of a
  line; and so do the control words of chat templates: `<|im_start|>`, `[INST]`, `<<SYS>>`.

Doing it twice changes nothing. Each backslash is one character; nothing else makes a text longer.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from functools import lru_cache

from context.errors import ConfigurationError

MINIMUM_SECRET = 16
"""Bytes of the secret that fences are made from."""

_MARK = re.compile(r"[0-9a-z]{8,64}\Z")
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_STACKED = re.compile(f"(?:^|(?<=[\\s\u200c\u200d{_SELECTOR}]))[{_SELECTOR}]+")
_JOINED = "\u0600-\u0dff\u2640\u2642\u2600-\u27bf\ufe0f\U0001f000-\U0001faff"
_JOINERS = re.compile(f"(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])")

_OURS = re.compile(
    r"(?<!\\)(?:"
    r"[\[［【](?=\s{0,3}tier[\s_–—－-]{0,3}[0-9０-９]\s{0,3}[\]］】])"
    r"|[\[［【](?=[^\[\]［］【】\n]{0,80}(?:已降级|degraded)[^\[\]［］【】\n]{0,80}[\]］】])"
    r"|\[(?=/?INST\])"
    r"|<(?=<SYS>>|[|｜][^|｜<>\n]{1,40}[|｜]>)"
    r")",
    re.IGNORECASE,
)
_NUMBERED_LINE = re.compile(r"(?m)^([ \t]*)([\[［【])(?=\d{1,3}[\]］】])")


def new_fence(secret: bytes, trace_id: str) -> str:
    """The mark of one answer: 16 hex digits of HMAC-SHA256(secret, trace id).

    The same answer renders to the same bytes again, and nobody without the secret can tell the mark beforehand.

    Raises:
        ConfigurationError: the secret is shorter than 16 bytes.
    """
    if len(secret) < MINIMUM_SECRET:
        raise ConfigurationError(f"The secret for fences needs at least {MINIMUM_SECRET} bytes.")
    return hmac.new(secret, b"fence:" + trace_id.encode(), hashlib.sha256).hexdigest()[:16]


def visible(text: str) -> str:
    """The text without the characters that only a model would see."""
    text = _LINE_ENDS.sub("\n", text)
    text = _SURROGATES.sub("\ufffd", text)
    text = _INVISIBLE.sub("", text)
    text = _STACKED.sub("", text)
    return _JOINERS.sub("", text)


def neutralise(text: str, fence: str) -> str:
    """The text with nothing in it that could be taken for a part of the prompt; see the head of this module."""
    text = _forbidden(fence).sub("(mark)", visible(text))
    text = _OURS.sub(lambda found: "\\" + found.group(), text)
    return _NUMBERED_LINE.sub(r"\1\\\2", text)


def fence_text(text: str, fence: str, label: str = "", number: int | None = None) -> str:
    """A block of data between the two marks of this answer.

    Args:
        text: as it was written.
        fence: from `new_fence`.
        label: what the data is: tier, layer, status, source, date. One line; written by us around titles that are
            not ours, therefore neutralised like the text.
        number: what a citation of it says, `[number]`.
    """
    citation = "" if number is None else f"[{number:d}] "
    head = f"<<{fence} {citation}{data_line(label, fence)}".rstrip()
    return f"{head}\n{neutralise(text, fence)}\n{fence}>>"


def data_line(text: str, fence: str) -> str:
    """Data that must not leave its line: a title, a line of the catalogue."""
    return neutralise(one_line(text), fence)


def quote_lines(text: str, fence: str) -> str:
    """Data with `| ` before each of its lines, so that it cannot write a line of its own inside a shared fence."""
    return "\n".join(f"| {line}" if line else "|" for line in neutralise(text, fence).split("\n"))


def one_line(text: str) -> str:
    """An operator's or our own words: invisible characters out, on one line, nothing escaped."""
    return " ".join(part.strip() for part in visible(text).split("\n") if part.strip())


@lru_cache(maxsize=256)
def _forbidden(fence: str) -> re.Pattern[str]:
    """The mark in either case and in full-width characters.

    Raises:
        ConfigurationError: it is not 8 to 64 lower-case letters and digits.
    """
    if not _MARK.match(fence):
        raise ConfigurationError(f"Not a fence: {fence[:80]!r}.", hint="Make it with new_fence.")
    return re.compile("".join(f"[{c}{c.upper()}{_wide(c)}{_wide(c.upper())}]" for c in fence))


def _wide(character: str) -> str:
    return chr(ord(character) + 0xFEE0)
