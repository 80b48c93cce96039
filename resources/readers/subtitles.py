"""Subtitles (SRT, WebVTT, LRC): who says what, by the minute.

Read here and not by pysubs2, which drops WebVTT's voice tags, joins comments and cue names to the words before them,
and does not tell which cues are broken.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace

from context.errors import ProjectionError
from context.types import SourceType
from resources.readers.cues import Cue, parts_of
from resources.readers.document import Document, Notice, assemble
from resources.readers.encoding import decoded
from resources.readers.source import Source

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,:](\d{1,3}))?"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s|\Z)")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<\d[\d:.]*>|\{\\[^{}]*\}")
_NO_CUE = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)(?:\s|\Z)")
_LYRIC = re.compile(r"((?:\[\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?\])+)(.*)")
_STAMP = re.compile(r"\[(\d{1,3}):(\d{1,2})(?:[.:](\d{1,3}))?\]")
_LYRIC_TITLE = re.compile(r"\[ti:([^\]]+)\]", re.IGNORECASE)
_LAST_LYRIC = 5.0
_NAMED_LINES = 10


def read(source: Source) -> Document:
    """Parts of about a minute. What is no cue is passed over; broken cues are told with their lines.

    Raises:
        ProjectionError: it is no text, or there is no cue in it.
    """
    text = decoded(source.raw).replace("\r\n", "\n").replace("\r", "\n")
    title = source.stem
    broken: list[int] = []
    if source.suffix == ".lrc":
        found = _LYRIC_TITLE.search(text)
        title = found[1] if found else title
        cues = _lyrics(text)
    else:
        cues, broken = _captions(text)
    parts = parts_of(cues)
    if not parts:
        raise ProjectionError("There are no subtitles in the file.", zh="文件里没有字幕。")
    return assemble(
        title=title,
        parts=parts,
        source_type=SourceType.AUDIO_TRANSCRIPT,
        limits=source.limits,
        notices=[_broken(broken)] if broken else [],
    )


# --- SRT and WebVTT -------------------------------------------------------------------------------------------------


def _captions(text: str) -> tuple[list[Cue], list[int]]:
    """The cues of an SRT or WebVTT text, and the lines (from 1) on which a broken one begins."""
    cues: list[Cue] = []
    broken: list[int] = []
    after_cue = False
    for number, block in _blocks(text):
        if _NO_CUE.match(block[0]):
            after_cue = False
            continue
        timed = next((place for place, line in enumerate(block[:2]) if "-->" in line), None)
        if timed is None:
            if after_cue and not block[0].strip().isdigit():  # an empty line inside the words of a cue
                cues[-1] = replace(cues[-1], lines=(*cues[-1].lines, *(_bare(line) for line in block)))
            elif len(block) > 1 or not block[0].strip().isdigit():
                broken.append(number)
            continue
        match = _TIMING.match(block[timed])
        after_cue = match is not None
        if match is None:
            broken.append(number + timed)
            continue
        start, end = _seconds(*match.groups()[:4]), _seconds(*match.groups()[4:])
        spoken = _by_speaker(block[timed + 1 :]) or [("", ())]
        cues += [Cue(start=start, end=end, lines=lines, speaker=speaker) for speaker, lines in spoken]
    return cues, broken


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines that are not blank, each with the number of its first line; a timing line always opens one."""
    block: list[str] = []
    first = 1
    lines = text.split("\n")
    for number, line in enumerate([*lines, ""], start=1):
        following = lines[number] if number < len(lines) else ""
        opens = line.strip().isdigit() and "-->" in following
        again = "-->" in line and any("-->" in before for before in block)
        if block and (not line.strip() or opens or again):
            yield first, block
            block = []
        if line.strip():
            first = first if block else number
            block.append(line)


def _by_speaker(lines: list[str]) -> list[tuple[str, tuple[str, ...]]]:
    """The lines of one cue under the voice that says them; a line without a voice tag goes on with the one before."""
    spoken: list[tuple[str, tuple[str, ...]]] = []
    for line in lines:
        voice = _VOICE.search(line)
        if voice or not spoken:
            spoken.append((html.unescape(voice[1]).strip() if voice else "", (_bare(line),)))
        else:
            speaker, said = spoken[-1]
            spoken[-1] = (speaker, (*said, _bare(line)))
    return spoken


def _bare(line: str) -> str:
    return html.unescape(_TAG.sub("", line)).strip()


def _seconds(hours: str | None, minutes: str, seconds: str, fraction: str | None) -> float:
    return 3_600 * int(hours or 0) + 60 * int(minutes) + int(seconds) + float(f"0.{fraction or 0}")


def _broken(lines: list[int]) -> Notice:
    named = ", ".join(str(line) for line in lines[:_NAMED_LINES]) + (", …" if len(lines) > _NAMED_LINES else "")
    return Notice(
        en=f"{len(lines)} of the subtitles could not be read (at line {named}).",
        zh=f"有 {len(lines)} 条字幕无法读取（第 {named} 行）。",
    )


# --- LRC ------------------------------------------------------------------------------------------------------------


def _lyrics(text: str) -> list[Cue]:
    sung: list[tuple[float, str]] = []
    for line in text.split("\n"):
        match = _LYRIC.match(line.strip())
        if match and match[2].strip():
            sung += [(_seconds(None, *stamp), match[2].strip()) for stamp in _STAMP.findall(match[1])]
    sung.sort(key=lambda entry: entry[0])
    ends = [start for start, _ in sung[1:]] + [sung[-1][0] + _LAST_LYRIC] if sung else []
    return [Cue(start=start, end=end, lines=(line,)) for (start, line), end in zip(sung, ends, strict=True)]
