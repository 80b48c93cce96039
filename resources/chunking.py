"""Cut a note into verbatim chunks: on sections, then blocks, then lines, and inside a line only when it is too long.

Markdown is read for its block structure alone; text without any is one section of paragraphs.
"""

from __future__ import annotations

import hashlib

from context.derived import Chunk
from resources.blocks import Block, Lines, blocks_of, sections_of
from resources.splitting import AIM_HIGH, AIM_LOW, MAX_CHUNK, Piece, split_block


def chunk_markdown(text: str, *, record_id: bytes | str, first_line: int = 1) -> list[Chunk]:
    """The chunks of a Markdown or plain text, in order; together they hold every line that is not blank.

    A chunk is its source lines, joined by the line ends they had; only a single line over 1,500 characters is itself
    cut, between sentences where it has any. A chunk lies under one heading; small neighbours under the same heading are
    joined. A sentence that states a conclusion is not cut (unless it alone is over 1,500 characters). Where a paragraph
    had to be cut, the next chunk begins with the last line or sentence of the one before, up to 150 characters.

    Args:
        record_id: what the text belongs to; part of every chunk's identity.
        first_line: line of the source on which `text` begins.
    """
    source = Lines(text)
    found = [
        (section[-1].heading, piece, source.text(piece.first, piece.last) if piece.cut is None else piece.cut)
        for section in sections_of(blocks_of(source))
        for piece in _packed(source, section)
    ]
    record = record_id.encode("utf-8", "surrogatepass") if isinstance(record_id, str) else record_id
    return [
        Chunk(
            chunk_id=chunk_identity(record, body, ordinal),
            text=body,
            first_line=first_line + piece.first,
            last_line=first_line + piece.last,
            heading=heading,
            ordinal=ordinal,
            count=len(found),
        )
        for ordinal, (heading, piece, body) in enumerate(found)
    ]


def chunk_identity(record: bytes, text: str, ordinal: int) -> bytes:
    """SHA-256 of: record id, SHA-256 of the text (32 bytes), ordinal (4 bytes, big endian). 32 bytes."""
    content = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return hashlib.sha256(record + content + ordinal.to_bytes(4, "big")).digest()


def _packed(source: Lines, section: list[Block]) -> list[Piece]:
    """Join neighbouring blocks of a section up to the aimed size; cut those that are too long."""
    pieces: list[Piece] = []
    for block in section:
        previous = pieces[-1] if pieces else None
        small = previous is not None and previous.cut is None and source.size(previous.first, previous.last) < AIM_LOW
        if source.size(block.first, block.last) > MAX_CHUNK:
            first = pieces.pop().first if small else block.first  # a short introduction, or the heading itself
            pieces += split_block(source, block, first)
        elif previous is not None and _joins(source, previous, block.last, MAX_CHUNK if small else AIM_HIGH):
            pieces[-1] = Piece(previous.first, block.last)
        else:
            pieces.append(Piece(block.first, block.last))
    if len(pieces) > 1:
        last = pieces[-1]
        tiny = last.cut is None and source.size(last.first, last.last) < AIM_LOW
        if tiny and _joins(source, pieces[-2], last.last, MAX_CHUNK):
            pieces[-2:] = [Piece(pieces[-2].first, last.last)]
    return pieces


def _joins(source: Lines, previous: Piece, last: int, limit: int) -> bool:
    return previous.cut is None and source.size(previous.first, last) <= limit
