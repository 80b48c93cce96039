"""The reading order of recognised lines: rows, columns of prose, and tables that stay in rows."""

from __future__ import annotations

from resources.readers.layout import Line, in_reading_order


def line(text: str, left: float, top: float, width: float = 400, height: float = 20) -> Line:
    return Line(text, left, top, left + width, top + height)


def test_a_slanted_row_is_one_row_and_a_gap_is_a_paragraph() -> None:
    lines = [line("right", 200, 4, 80), line("left", 0, 0, 80), line("next", 0, 30, 80), line("later", 0, 110, 80)]
    assert in_reading_order(lines) == "left right\nnext\n\nlater"


def test_columns_of_prose_are_read_one_after_the_other_below_their_heading() -> None:
    lines = [line("Title over both", 0, 0, 900)]
    for number in range(6):
        lines += [line(f"left {number}", 0, 60 + 30 * number), line(f"right {number}", 500, 58 + 30 * number)]
    lines.append(line("a line below both", 0, 300, 900))
    assert in_reading_order(lines).replace("\n\n", "\n").split("\n") == [
        "Title over both",
        *[f"left {number}" for number in range(6)],
        *[f"right {number}" for number in range(6)],
        "a line below both",
    ]


def test_a_receipt_stays_in_its_rows() -> None:
    lines = []
    for number in range(8):
        lines += [line(f"商品 {number}", 0, 30 * number, 60 + 20 * number), line(f"¥{number}.00", 500, 30 * number, 60)]
    assert in_reading_order(lines).split("\n")[3] == "商品 3 ¥3.00"


def test_nothing_is_nothing() -> None:
    assert in_reading_order([]) == ""
