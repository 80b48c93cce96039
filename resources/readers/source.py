"""What a reader is given: the bytes of a file, its name, and how much it may cost."""

from __future__ import annotations

import time
from dataclasses import dataclass

from context.errors import ProjectionError
from resources.readers.document import ReaderLimits
from resources.readers.registry import stem_of, suffix_of

_ORDINARY = ReaderLimits()
_LAST_SHARE = 0.75
"""Of the seconds: after that nothing new is begun, so that what was read is handed over before the deadline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file in memory.

    Attributes:
        began: `time.monotonic()` when its reading began.
    """

    raw: bytes
    name: str
    began: float
    mime: str = ""
    limits: ReaderLimits = _ORDINARY

    @property
    def stem(self) -> str:
        """The title of a file that has none."""
        return stem_of(self.name)

    @property
    def suffix(self) -> str:
        """In lower case, with its dot."""
        return suffix_of(self.name)

    def out_of_time(self) -> bool:
        """Whether a reader that works piece by piece should stop and say so."""
        return time.monotonic() - self.began > _LAST_SHARE * self.limits.seconds


def damaged(label: str, zh: str, cause: str = "") -> ProjectionError:
    """The reason for a file that its library cannot make sense of.

    Args:
        label, zh: what it should be (`a PDF`).
        cause: the name of the library's error, for the one who looks into it; never its words, which may quote.
    """
    told, told_zh = (f" ({cause})", f"（{cause}）") if cause else ("", "")
    return ProjectionError(
        f"The file is damaged, or it is not {label}: it cannot be read{told}.",
        zh=f"文件已损坏，或者不是{' ' if zh[:1].isascii() else ''}{zh}，无法读取{told_zh}。",
    )


def locked() -> ProjectionError:
    """The reason for a file that is encrypted."""
    return ProjectionError(
        "The file needs a password.",
        hint="Save it without one and add it again.",
        zh="文件需要密码；请去掉密码保存后再添加。",
    )


def without_text(label: str, zh: str) -> ProjectionError:
    """The reason for a file that was read and holds no words (`There is no text in the picture.`)."""
    return ProjectionError(f"There is no text in the {label}.", zh=f"{zh}里没有文字。")
