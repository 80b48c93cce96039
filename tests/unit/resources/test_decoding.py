"""From bytes to text: every encoding people's notes come in, and what is no text."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.errors import ProjectionError
from resources.decoding import decode

NOTES = [
    "你好",
    "会议纪要",
    "标题\n\n第一段内容比较短。",
    "决定采用 PostgreSQL 作为主库。",
    "今天天气很好，我们去公园散步。\r\n" * 40,
]


@pytest.mark.parametrize("text", NOTES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030"])
def test_chinese_notes_are_read_whatever_they_were_saved_as(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == (text, encoding)


def test_big_endian_utf16_with_its_mark() -> None:
    assert decode(codecs.BOM_UTF16_BE + "你好\r\n".encode("utf-16-be")) == ("你好\r\n", "utf-16")


def test_other_old_encodings_are_guessed() -> None:
    text = "Ceci est une note écrite à Genève, où l'été dernier nous avons décidé de déménager. " * 3
    assert decode(text.encode("cp1252"))[0] == text
    korean = "오늘 회의에서 데이터베이스를 옮기기로 결정했습니다. 다음 주에 다시 이야기합시다. " * 5
    assert decode(korean.encode("euc_kr"))[0] == korean


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=200))
def test_utf8_text_comes_back_without_its_mark(text: str) -> None:
    text = text.lstrip("\ufeff")
    for raw in (text.encode("utf-8"), text.encode("utf-8-sig")):
        assert decode(raw)[0] == text


def test_a_stray_nul_is_left_for_cleaning() -> None:
    assert decode(b"one \x00 nul")[0] == "one \x00 nul"


@pytest.mark.parametrize(
    "raw",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
        b"PK\x03\x04" + bytes(200),
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(range(256)) * 4,
        b"ustar" + b"\x00" * 500 + b"text",
        codecs.BOM_UTF16_LE + b"a",
        codecs.BOM_UTF8 + b"\xff\xfe",
    ],
    ids=["png", "zip", "pdf", "tar", "half utf-16", "broken utf-8"],
)
def test_what_is_no_text_is_refused(raw: bytes) -> None:
    with pytest.raises(ProjectionError):
        decode(raw)


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_refused(raw: bytes) -> None:
    try:
        text, encoding = decode(raw)
    except ProjectionError:
        return
    assert not text.startswith("\ufeff") or raw.startswith(codecs.BOM_UTF8 * 2) or encoding != "utf-8"
