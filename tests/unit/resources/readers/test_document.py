"""A document as readers put it together: storable, within its limit, in both languages."""

from __future__ import annotations

from context.types import SourceType
from resources.readers.document import Document, Notice, Part, ReaderLimits, assemble
from resources.readers.wire import decode, encode


def made(*parts: Part, characters: int = 100, title: str = "T") -> Document:
    limits = ReaderLimits(max_characters=characters)
    return assemble(title=title, parts=parts, source_type=SourceType.PDF_TEXT, limits=limits)


def test_text_beyond_the_limit_is_left_out_and_said() -> None:
    document = made(Part(text="x" * 8, anchor="page=1"), Part(text="你好世界", anchor="page=2"), characters=10)
    assert document.text == "x" * 8 + "\n\n你好"
    assert "page=2" in document.notices[0] and "10 characters" in document.notices[0]
    assert document.notices_in("zh") == ("文本超过 10 个字符，其余部分（自 page=2 起）未读入。",)
    exactly = made(Part(text="x" * 10, anchor="page=1"), Part(text=" \n", anchor="page=2"), characters=10)
    assert exactly.notices == ()


def test_notices_name_no_sheet_because_that_would_quote_the_file() -> None:
    document = made(Part(text="x" * 20, anchor="sheet=Salaries"), characters=10)
    assert len(document.notices) == 1 and "Salaries" not in document.notices[0] + document.notices_zh[0]


def test_hostile_characters_are_replaced_and_counted() -> None:
    document = made(Part(text="a\x00b\ud800", heading="h\x00"), title="  two\n lines\x00 ")
    assert document.text == "a\ufffdb\ufffd" and document.parts[0].heading == "h\ufffd"
    assert document.title == "two lines\ufffd" and document.notices[0].startswith("2 characters")


def test_a_cut_keeps_a_character_whole() -> None:
    family = "👨‍👩‍👧"
    assert made(Part(text="ab" + family), characters=4).text == "ab"


def test_a_document_survives_the_way_between_processes() -> None:
    notice = Notice(en="Said.", zh="说了。")
    document = assemble(
        title="标题",
        parts=[Part(text='"\u2028\x07 text', anchor="page=3", first_line=2, heading="h")],
        source_type=SourceType.OCR_TEXT,
        limits=ReaderLimits(),
        notices=[notice],
    )
    assert decode(encode(document)) == document
