"""Recordings: sent to a transcriber, and its segments by the minute."""

from __future__ import annotations

import asyncio
from pathlib import Path

from context.errors import ProjectionError
from context.types import SourceType
from models.transcription import Transcriber
from resources.readers.cues import Cue, parts_of
from resources.readers.document import Document, Part, ReaderLimits, assemble
from resources.readers.registry import mime_of, stem_of, suffix_of

_SUFFIX_OF = {
    "audio/mpeg": ".mp3",
    "audio/mp4": ".m4a",
    "audio/wav": ".wav",
    "audio/ogg": ".ogg",
    "audio/flac": ".flac",
    "audio/webm": ".webm",
    "video/webm": ".webm",
    "video/mp4": ".mp4",
}


async def read_recording(
    path: Path, *, name: str, mime: str, limits: ReaderLimits, transcriber: Transcriber | None, language: str
) -> Document:
    """Parts of about a minute where the endpoint tells times, else one part.

    The endpoint never learns the file's name, only its kind.

    Raises:
        ProjectionError: there is no transcriber, the file cannot be read, or nothing is said in it.
        ModelError, ConfigurationError: see `Transcriber.transcribe`.
    """
    if transcriber is None:
        raise ProjectionError(
            "Recordings cannot be read: no model for transcription is configured.",
            hint="Set POCKETMIND_TRANSCRIPTION_MODEL, and OPENAI_BASE_URL or OPENAI_API_KEY for its endpoint.",
            zh="无法读取录音：未配置语音转写模型，请设置 POCKETMIND_TRANSCRIPTION_MODEL 以及 OPENAI_BASE_URL"
            " 或 OPENAI_API_KEY。",
        )
    try:
        audio = await asyncio.to_thread(path.read_bytes)
    except OSError as error:
        raise ProjectionError(f"The file cannot be read: {error.strerror}.", zh="文件无法读取。") from error
    suffix = suffix_of(name) or _SUFFIX_OF.get(mime.partition(";")[0].strip().lower(), ".mp3")
    transcript = await transcriber.transcribe(
        audio, name=f"recording{suffix}", mime=mime_of(f"recording{suffix}"), language=language
    )
    cues = [
        Cue(start=segment.start, end=segment.end, lines=(segment.text,), speaker=segment.speaker)
        for segment in transcript.segments
    ]
    parts = parts_of(cues) or ([Part(text=transcript.text.strip())] if transcript.text.strip() else [])
    if not parts:
        raise ProjectionError("Nothing is said in the recording.", zh="录音里没有人说话。")
    return assemble(title=stem_of(name), parts=parts, source_type=SourceType.AUDIO_TRANSCRIPT, limits=limits)
