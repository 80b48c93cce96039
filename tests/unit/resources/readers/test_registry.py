"""Which reader takes which file, by name, media type and first bytes."""

from __future__ import annotations

import pytest

from context.types import SourceType
from resources.readers.registry import SUFFIXES, mime_of, recognise, source_type_of


@pytest.mark.parametrize(
    ("name", "mime", "becomes"),
    [
        ("年度报告.PDF", "", SourceType.PDF_TEXT),
        ("a/b.c/page.htm", "", SourceType.WEB_CLIP),
        ("Scan.JPEG", "", SourceType.OCR_TEXT),
        ("talk.vtt", "", SourceType.AUDIO_TRANSCRIPT),
        ("会议.m4a", "", SourceType.AUDIO_TRANSCRIPT),
        ("plan.pptx", "", SourceType.MARKDOWN_IMPORT),
        ("main.rs", "", SourceType.MARKDOWN_IMPORT),
        ("old.doc", "", SourceType.MARKDOWN_IMPORT),
        ("page", "text/html; charset=gbk", SourceType.WEB_CLIP),
        ("notes", "text/plain", SourceType.MARKDOWN_IMPORT),
        ("photo", "image/png", SourceType.OCR_TEXT),
        ("program.exe", "", None),
        ("README", "application/octet-stream", None),
    ],
)
def test_what_a_file_becomes(name: str, mime: str, becomes: SourceType | None) -> None:
    assert source_type_of(name, mime) is becomes


def test_every_suffix_has_a_reader_and_a_media_type() -> None:
    for suffix in SUFFIXES:
        assert suffix.startswith(".") and suffix == suffix.lower()
        assert source_type_of(f"file{suffix}") is not None and "/" in mime_of(f"file{suffix}")
    assert mime_of("a.pdf") == "application/pdf" and mime_of("unknown.xyz") == "application/octet-stream"


@pytest.mark.parametrize(
    ("name", "head", "reader"),
    [
        ("report.docx", b"%PDF-1.7\n", "pdf"),
        ("report.pdf", b"junk before\n%PDF-1.4", "pdf"),
        ("photo.txt", b"\x89PNG\r\n\x1a\n\x00\x00", "image"),
        ("photo.png", b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image"),
        ("sheet.xlsx", b"PK\x03\x04rest", "sheet"),
        ("archive.bin", b"PK\x03\x04rest", "word"),
        ("locked.docx", bytes.fromhex("D0CF11E0A1B11AE1"), "legacy"),
        ("report.pdf", b"\xef\xbb\xbf <!DOCTYPE html><title>Sign in</title>", "html"),
        ("page.md", b"<html> is how a page begins", "plain"),
        ("note.txt", b"%PDF is written in the middle", "plain"),
        ("song.wav", b"RIFF\x10\x00\x00\x00WAVEfmt ", "audio"),
    ],
)
def test_first_bytes_go_before_the_name(name: str, head: bytes, reader: str) -> None:
    format = recognise(name, "", head)
    assert format is not None and format.reader == reader
