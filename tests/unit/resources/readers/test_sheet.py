"""Excel workbooks: sheets as tables that can be understood in pieces."""

from __future__ import annotations

from datetime import date, datetime, time

import openpyxl
import pytest

from context.errors import ProjectionError
from resources.chunking import chunk_markdown
from resources.readers import sheet as sheet_reader
from tests.unit.resources.readers.files import read, saved


def test_values_as_the_sheet_shows_them_without_what_is_empty() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Umsatz 2024"
    for row in [
        ["季度报告"],
        [],
        [None, "Region", None, "Date", "Amount", "Growth", "Paid", "At"],
        [None, "North | East", None, datetime(2024, 3, 1), 0.1 + 0.2, 0.155, True, time(9, 30)],
        [],
        [None, "南方", None, datetime(2024, 3, 1, 8, 5), 1200, -0.5, False, date(2024, 1, 2)],
    ]:
        sheet.append(row)
    for row in (4, 6):
        sheet.cell(row, 6).number_format = "0.0%"
    book.create_sheet("leer")
    document = read(saved(book.save), "figures.xlsx")
    (part,) = document.parts
    assert (part.anchor, part.heading, document.title) == ("sheet=Umsatz 2024", "Umsatz 2024", "figures")
    assert part.text == (
        "季度报告\n\n"
        "|  | Region | Date | Amount | Growth | Paid | At |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "|  | North \\| East | 2024-03-01 | 0.3 | 15.5% | TRUE | 09:30:00 |\n"
        "|  | 南方 | 2024-03-01 08:05:00 | 1200 | -50% | FALSE | 2024-01-02 |"
    )


def test_every_chunk_of_a_long_sheet_says_what_its_columns_are() -> None:
    book = openpyxl.Workbook()
    book.active.append(["客户", "City", "Amount"])
    for number in range(200):
        book.active.append([f"customer {number}", "上海", number])
    chunks = chunk_markdown(read(saved(book.save), "a.xlsx").text, record_id="a")
    assert len(chunks) > 5
    assert all("| 客户 | City | Amount |" in chunk.text for chunk in chunks)
    assert sum(chunk.text.count("customer") for chunk in chunks) == 200


def test_figures_without_a_header_are_under_letters() -> None:
    book = openpyxl.Workbook()
    book.active.append([1, 2])
    book.active.append([3, 4])
    assert read(saved(book.save), "a.xlsx").text == "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"


def test_too_many_rows_and_far_cells_are_cut_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_reader, "MOST_ROWS", 10)
    book = openpyxl.Workbook()
    for number in range(20):
        book.active.append([f"row {number}"])
    document = read(saved(book.save), "a.xlsx")
    assert document.text.splitlines()[-1] == "row 9" and document.notices[0].startswith("Sheet 1 has more than 10 rows")
    far = openpyxl.Workbook()
    far.active["A1"], far.active["XFD1048576"] = "near", "far"
    document = read(saved(far.save), "a.xlsx")
    assert document.text == "near" and len(document.notices) == len(document.notices_zh) == 1


def test_an_empty_workbook_is_a_reason() -> None:
    with pytest.raises(ProjectionError, match="no text in the workbook"):
        read(saved(openpyxl.Workbook().save), "a.xlsx")
