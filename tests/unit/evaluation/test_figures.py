"""Figures: a target is met or it is not, and the table says so beside the number."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from rich.console import Console

from evaluation.figures import Figure, Report, Section, shown
from evaluation.machine import describe_machine


def report(*figures: Figure) -> Report:
    machine = describe_machine(postgres="18.4")
    return Report(
        title="t", machine=machine, options={}, sections=[Section(title="s", figures=figures)], remarks=["said [so]"]
    )


@pytest.mark.parametrize(
    ("value", "bound", "met"), [(3.0, "at most", True), (3.1, "at most", False), (2.9, "at least", False)]
)
def test_a_target_has_a_direction(value: float, bound: str, met: bool) -> None:
    figure = Figure(name="f", value=value, target=3.0, bound="at least" if bound == "at least" else "at most")
    assert figure.met is met
    assert Figure(name="f", value=value).met is None


def test_the_table_shows_what_is_missed_and_keeps_brackets_of_remarks() -> None:
    page = StringIO()
    report(Figure(name="slow", value=71.25, unit="ms", target=60)).print_to(Console(file=page, width=120))
    row = next(line for line in page.getvalue().splitlines() if "slow" in line)
    assert "71.2 ms" in row
    assert "≤ 60.0 ms" in row
    assert "NO" in row
    assert "said [so]" in page.getvalue()


def test_json_holds_values_as_measured_with_the_machine() -> None:
    found = json.loads(report(Figure(name="f", value=1.23456789, unit="x", target=3)).to_json())
    (figure,) = found["sections"][0]["figures"]
    assert (figure["value"], figure["met"]) == (1.23456789, True)
    assert found["machine"]["cores"] >= 1
    assert found["machine"]["postgres"] == "18.4"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.0, "s", "0.00 s"), (49_909, "bytes", "49,909 bytes"), (94.13, "%", "94.1 %"), (1234.5, "ms", "1,234 ms")],
)
def test_numbers_have_as_many_digits_as_mean_something(value: float, unit: str, text: str) -> None:
    assert shown(value, unit) == text
