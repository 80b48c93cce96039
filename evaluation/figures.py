"""Figures: what a measurement says, each beside its target, as a table for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from rich.console import Console
from rich.table import Table

from evaluation.machine import Machine

Bound = Literal["at least", "at most"]

_MET = {True: "[green]yes[/green]", False: "[red]NO[/red]", None: ""}
_WIDTH = 132
"""Columns of a table that goes into a file or a pipe, which has no width of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number.

    Attributes:
        unit: `ms`, `s`, `x` (a ratio of two times of the same run), `%`, `bytes` or empty (a count or a share of 1).
        target: the number that it should reach, with `bound`; None where nothing was agreed.
        note: what a reader must know to read it right.
    """

    name: str
    value: float
    unit: str = ""
    target: float | None = None
    bound: Bound = "at most"
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if self.target is None:
            return None
        return self.value >= self.target if self.bound == "at least" else self.value <= self.target

    def to_json(self) -> dict[str, Any]:
        """Plain values; the value as it was measured, not as it is shown."""
        return {**asdict(self), "met": self.met}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Figures that belong together."""

    title: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All figures of one run.

    Attributes:
        options: how the run was asked for.
        remarks: what was not measured and why, and what was synthetic.
        details: further plain values, for programs only.
    """

    title: str
    machine: Machine
    options: Mapping[str, Any]
    sections: Sequence[Section]
    remarks: Sequence[str] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def figure(self, name: str) -> Figure:
        """One figure by its name.

        Raises:
            KeyError: there is none.
        """
        for section in self.sections:
            for figure in section.figures:
                if figure.name == name:
                    return figure
        raise KeyError(name)

    def to_json(self) -> str:
        """One JSON document."""
        plain = {
            "title": self.title,
            "machine": asdict(self.machine),
            "options": dict(self.options),
            "sections": [{"title": s.title, "figures": [f.to_json() for f in s.figures]} for s in self.sections],
            "remarks": list(self.remarks),
            "details": dict(self.details),
        }
        return json.dumps(plain, ensure_ascii=False, indent=1)

    def print_to(self, console: Console) -> None:
        """The table, the machine and the remarks."""
        table = Table(title=self.title, title_justify="left", header_style="bold")
        table.add_column("what", no_wrap=True)
        table.add_column("value", justify="right", no_wrap=True)
        table.add_column("target", justify="right", no_wrap=True)
        table.add_column("met", no_wrap=True)
        table.add_column("note", overflow="fold")
        for section in self.sections:
            table.add_section()
            table.add_row(f"[bold]{section.title}[/bold]")
            for figure in section.figures:
                value = shown(figure.value, figure.unit)
                table.add_row(figure.name, value, _target(figure), _MET[figure.met], figure.note)
        console.print(table)
        machine = self.machine
        parts = [machine.processor, f"{machine.cores} cores", machine.system, machine.python]
        parts += [f"PostgreSQL {machine.postgres}" if machine.postgres else "", machine.embedder, machine.date]
        console.print(" · ".join(part for part in [*parts, f"load {machine.load}"] if part), highlight=False)
        for remark in self.remarks:
            console.print(f"- {remark}", highlight=False, markup=False)


def console(*, errors: bool = False) -> Console:
    """Standard output, or standard error; wide enough for a report where there is no terminal."""
    found = Console(stderr=errors)
    return found if found.is_terminal else Console(stderr=errors, width=_WIDTH)


def shown(value: float, unit: str) -> str:
    """A number with its unit, with as many digits as mean something."""
    if unit in ("", "bytes") and value == int(value):
        return f"{int(value):,} {unit}".strip()
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 2
    if unit == "%":
        digits = 1
    return f"{value:,.{digits}f} {unit}".strip()


def _target(figure: Figure) -> str:
    if figure.target is None:
        return ""
    return f"{'≥' if figure.bound == 'at least' else '≤'} {shown(figure.target, figure.unit)}"
