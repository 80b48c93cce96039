"""Transcripts in JSON, as Whisper and its kin write them, told from any other JSON by their form."""

from __future__ import annotations

import json
from typing import Any

from resources.readers.cues import Cue


def transcript_cues(text: str) -> list[Cue] | None:
    """The cues of a transcript as Whisper and its kin write it: `{"segments": [{"start", "end", "text"}]}`, or the list
    alone, with a `speaker` if there is one. None for any other JSON, and for what is none."""
    if '"start"' not in text or '"text"' not in text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    segments = value.get("segments") if isinstance(value, dict) else value
    if not isinstance(segments, list) or not segments:
        return None
    cues = [_segment(segment) for segment in segments]
    return [cue for cue in cues if cue is not None] if all(cues) else None


def _segment(segment: Any) -> Cue | None:
    if not isinstance(segment, dict):
        return None
    start, end, text, speaker = (segment.get(key) for key in ("start", "end", "text", "speaker"))
    if not isinstance(start, int | float) or not isinstance(text, str):
        return None
    until = float(end) if isinstance(end, int | float) else float(start)
    return Cue(
        start=float(start), end=until, lines=(text.strip(),), speaker=speaker if isinstance(speaker, str) else ""
    )
