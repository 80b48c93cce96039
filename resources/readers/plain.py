"""Plain text files (notes, tables, code) as they stand, decoded; a transcript in JSON is told by its form."""

from __future__ import annotations

from context.errors import ProjectionError
from context.types import SourceType
from resources.readers.cues import parts_of
from resources.readers.document import Document, Part, assemble
from resources.readers.encoding import decoded
from resources.readers.source import Source
from resources.readers.transcripts import transcript_cues
from resources.vaults.markdown import first_heading

_MARKDOWN = frozenset({".md", ".markdown"})


def read(source: Source) -> Document:
    """One part: the text of the file, verbatim but for its byte order mark.

    Raises:
        ProjectionError: it is no text, or it holds nothing.
    """
    text = decoded(source.raw)
    if not text.strip():
        raise ProjectionError("The file holds no text.", zh="文件里没有文字。")
    cues = transcript_cues(text) if source.suffix == ".json" else None
    if cues:
        return assemble(
            title=source.stem,
            parts=parts_of(cues),
            source_type=SourceType.AUDIO_TRANSCRIPT,
            limits=source.limits,
        )
    title = first_heading(text) if source.suffix in _MARKDOWN else ""
    return assemble(
        title=title or source.stem,
        parts=[Part(text=text)],
        source_type=SourceType.MARKDOWN_IMPORT,
        limits=source.limits,
    )
