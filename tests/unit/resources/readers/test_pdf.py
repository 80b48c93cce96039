"""PDF files, written byte by byte: text by the page, outline, locks, damage, and pages that are pictures."""

from __future__ import annotations

import pytest

from context.errors import ProjectionError
from context.types import SourceType
from resources.readers import ocr
from tests.unit.resources.readers.files import on_a_page, picture, read
from tests.unit.resources.readers.pdf_files import Page, pdf

SCAN = Page(picture=on_a_page(picture("中山王田", "Budget 2024")))


def test_one_part_a_page_under_its_outline() -> None:
    pages = [
        Page(["The com-", "mittee met; it was a well-known decision of the", "office (really)."]),
        Page(["决定采用数据库，主库为。"]),
        Page(),
        Page(["Fourth."]),
    ]
    document = read(pdf(pages, title="年度 Report", outline=[("Start", 0), ("决定", 1)]), "a.pdf")
    assert document.title == "年度 Report" and document.source_type is SourceType.PDF_TEXT and not document.notices
    assert [(part.anchor, part.heading, part.text) for part in document.parts] == [
        ("page=1", "Start", "The com-\nmittee met; it was a well-known decision of the\noffice (really)."),
        ("page=2", "决定", "决定采用数据库，主库为。"),
        ("page=4", "决定", "Fourth."),
    ]


def test_columns_are_read_one_after_the_other() -> None:
    page = Page(columns=[(40, ["left one", "left two"]), (320, ["right one", "right two"])])
    assert read(pdf([page]), "two.pdf").text == "left one\nleft two\nright one\nright two"


def test_a_landscape_page_keeps_its_lines() -> None:
    lines = [f"line {number} of the page" for number in range(4)]
    assert read(pdf([Page(lines, turned=True)]), "wide.pdf").text == "\n".join(lines)


def test_without_a_title_it_has_the_name_of_the_file() -> None:
    assert read(pdf([Page(["words"])]), "folder/2024 计划.pdf").title == "2024 计划"


def test_a_password_is_asked_for_and_an_empty_one_is_none() -> None:
    with pytest.raises(ProjectionError, match="password") as caught:
        read(pdf([Page(["secret"])], password="hunter2"), "a.pdf")
    assert "密码" in (caught.value.zh or "") and "without" in (caught.value.hint or "")
    assert read(pdf([Page(["open words"])], password=""), "a.pdf").text == "open words"


@pytest.mark.parametrize("share", [0.05, 0.5, 0.8])
def test_a_truncated_file_is_a_reason_that_quotes_nothing(share: float) -> None:
    whole = pdf([Page(["secret words"])])
    with pytest.raises(ProjectionError, match="damaged") as caught:
        read(whole[: int(len(whole) * share)], "a.pdf")
    assert "损坏" in (caught.value.zh or "") and "secret" not in caught.value.message


def test_more_pages_than_allowed_are_told() -> None:
    document = read(pdf([Page([f"page {n}"]) for n in range(4)]), "a.pdf", max_pages=3)
    assert len(document.parts) == 3 and document.notices == ("Only the first 3 of 4 pages were read.",)


def test_scanned_pages_are_read_from_their_picture() -> None:
    stamped = Page(["p. 2"], picture=SCAN.picture)
    document = read(pdf([Page(["A page of words that has a text layer."]), stamped]), "a.pdf")
    assert document.source_type is SourceType.PDF_TEXT and not document.notices
    assert document.parts[1].anchor == "page=2" and "中山王田" in document.parts[1].text
    assert "Budget 2024" in document.parts[1].text


def test_a_file_of_scans_is_recognised_text() -> None:
    assert read(pdf([SCAN]), "scan.pdf").source_type is SourceType.OCR_TEXT


def test_scans_are_named_where_nothing_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "find_spec", lambda name: None)
    document = read(pdf([Page(["words"]), SCAN, SCAN, Page(["more"]), SCAN]), "a.pdf")
    assert [part.anchor for part in document.parts] == ["page=1", "page=4"]
    (notice,) = document.notices
    assert "Pages 2-3, 5" in notice and "pip install 'pocketmind[ocr]'" in notice
    assert "2-3, 5" in document.notices_zh[0]
    with pytest.raises(ProjectionError, match="not installed") as caught:
        read(pdf([SCAN]), "a.pdf")
    assert "pocketmind[ocr]" in (caught.value.hint or "") and "pocketmind[ocr]" in (caught.value.zh or "")


def test_time_that_runs_out_leaves_scans_out_and_says_so() -> None:
    document = read(pdf([Page(["words"]), SCAN]), "a.pdf", seconds=0.0)
    assert document.text == "words" and "Pages 2 are pictures" in document.notices[0]


def test_an_empty_file_of_pages_is_a_reason() -> None:
    with pytest.raises(ProjectionError, match="no text in the PDF"):
        read(pdf([Page(), Page()]), "a.pdf")
