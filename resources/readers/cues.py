"""Timed lines of speech, from subtitles or from a transcriber, as parts of about a minute."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from context.condense import one_line
from resources.readers.document import Part

_PART_SECONDS = 60.0
_TOUCHING = 0.1
"""Seconds between two captions of which the second carries the first one's words on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """One caption: seconds from the start, its lines, and who speaks where the file says so."""

    start: float
    end: float
    lines: tuple[str, ...]
    speaker: str = ""


def parts_of(cues: Iterable[Cue]) -> list[Part]:
    """Parts of about a minute, each anchored at its first cue (`t=00:01:30`); a cue is one line `speaker: text`."""
    parts: list[Part] = []
    lines: list[str] = []
    began = 0.0
    for cue in without_repeats(cues):
        text = one_line(" ".join(cue.lines))
        if not text:
            continue
        if lines and cue.start - began >= _PART_SECONDS:
            parts.append(Part(text="\n".join(lines), anchor=anchor_of(began)))
            lines = []
        if not lines:
            began = cue.start
        lines.append(f"{one_line(cue.speaker)}: {text}" if cue.speaker.strip() else text)
    if lines:
        parts.append(Part(text="\n".join(lines), anchor=anchor_of(began)))
    return parts


def anchor_of(seconds: float) -> str:
    """A place in a recording: `t=00:01:30`, whole seconds, never a negative time."""
    whole = max(0, int(seconds))
    return f"t={whole // 3_600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def without_repeats(cues: Iterable[Cue]) -> list[Cue]:
    """Cues in order of time, each line once.

    Live captions roll: a cue shows the line before again above the new one, or repeats a line that grows by a word.
    Only cues that touch in time are compared, so what a speaker says twice stays twice.
    """
    kept: list[Cue] = []
    shown: tuple[str, ...] = ()
    shown_until = float("-inf")
    for cue in sorted(cues, key=lambda cue: cue.start):
        lines = tuple(line for line in (one_line(line) for line in cue.lines) if line)
        fresh = lines
        if cue.start - shown_until <= _TOUCHING:
            repeated = _overlap(shown, lines)
            fresh = lines[repeated:]
            if not repeated and kept and len(lines) == len(shown) == 1 and lines[0].startswith(f"{shown[0]} "):
                kept[-1] = replace(kept[-1], end=cue.end, lines=(*kept[-1].lines[:-1], lines[0]))
                fresh = ()
        if fresh:
            kept.append(replace(cue, lines=fresh))
        if lines:
            shown, shown_until = lines, cue.end
    return kept


def _overlap(before: tuple[str, ...], lines: tuple[str, ...]) -> int:
    """How many of the first `lines` are the last ones of `before`."""
    for length in range(min(len(before), len(lines)), 0, -1):
        if before[-length:] == lines[:length]:
            return length
    return 0
