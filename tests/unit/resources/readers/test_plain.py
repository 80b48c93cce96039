"""Plain text files as they stand, whatever they were saved as."""

from __future__ import annotations

import json

import pytest

from context.errors import ProjectionError
from context.types import SourceType
from tests.unit.resources.readers.files import read


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_text_is_verbatim_without_its_mark(encoding: str) -> None:
    text = "决定采用 PostgreSQL 作为主库。\r\n\tindented  \r\n"
    document = read(text.encode(encoding), "会议.txt")
    (part,) = document.parts
    assert (part.text, part.anchor, part.first_line) == (text, "", 1)
    assert document.title == "会议" and document.source_type is SourceType.MARKDOWN_IMPORT


def test_markdown_is_called_by_its_heading_and_code_by_its_name() -> None:
    assert read(b"intro\n\n# The **plan**\n", "a.md").title == "The plan"
    assert read(b"# a comment\nprint(1)\n", "tool.py").title == "tool"


def test_a_transcript_in_json_is_told_by_its_form() -> None:
    segments = [
        {"start": 0.0, "end": 2.5, "text": " 大家好。", "speaker": "Ann"},
        {"start": 75, "end": 80, "text": " Goodbye."},
    ]
    document = read(json.dumps({"text": "…", "segments": segments}).encode(), "talk.json")
    assert document.source_type is SourceType.AUDIO_TRANSCRIPT
    assert [(part.anchor, part.text) for part in document.parts] == [
        ("t=00:00:00", "Ann: 大家好。"),
        ("t=00:01:15", "Goodbye."),
    ]
    other = json.dumps({"segments": [{"start": "north", "text": "a road"}]})
    assert read(other.encode(), "roads.json").text == other


@pytest.mark.parametrize("raw", [b"\x00\x01\x02\xff" * 100, b" \r\n\t"], ids=["binary", "blank"])
def test_what_holds_no_text_is_refused_in_both_languages(raw: bytes) -> None:
    with pytest.raises(ProjectionError) as caught:
        read(raw, "a.txt")
    assert caught.value.zh
