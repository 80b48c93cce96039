"""Where words go: the answer to standard output, everything else to standard error."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from cli.messages import tell
from context.types import Language

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PIPED_WIDTH = 160
_LINE_SECONDS = 4.0


class Bar(Protocol):
    """Says how far a long piece of work has come."""

    def reach(self, done: int, total: int | None = None, *, doing: str = "") -> None:
        """So many are done, of so many; `doing` names the one that is worked on."""
        ...


class Output:
    """The voice of one command.

    Args:
        language: of everything that is written for people.
        as_json: answers are one JSON document; else they are written for people.
    """

    def __init__(self, *, language: Language, as_json: bool = False) -> None:
        self.language = language
        self.as_json = as_json
        self.out = Console(highlight=False, markup=False, emoji=False)
        self.err = Console(stderr=True, highlight=False, markup=False, emoji=False)
        for console in (self.out, self.err):
            if not console.is_terminal:
                console.width = _PIPED_WIDTH

    def tell(self, key: str, **values: Any) -> str:
        """A message in the person's language."""
        return tell(self.language, key, **values)

    def notice(self, key: str, *, style: str = "", **values: Any) -> None:
        """A line beside the answer, on standard error."""
        self.aside(self.tell(key, **values), style=style)

    def aside(self, text: str, *, style: str = "dim") -> None:
        """Words beside the answer, as they are."""
        self.err.print(Text(harmless(text), style=style), soft_wrap=True)

    def document(self, value: Any) -> None:
        """The one JSON document of a command."""
        encoding = (sys.stdout.encoding or "").lower().replace("-", "")
        text = json.dumps(value, ensure_ascii=encoding != "utf8", indent=2, default=str, allow_nan=False)
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def answer(self, text: str, *, end: str = "\n") -> None:
        """Words that are the answer, byte for byte; on a terminal without what could command it."""
        sys.stdout.write((harmless(text) if self.out.is_terminal else text) + end)
        sys.stdout.flush()

    def show(self, renderable: RenderableType) -> None:
        """A table, a tree, a panel: part of the answer."""
        self.out.print(renderable)

    @contextmanager
    def waiting(self, key: str, **values: Any) -> Iterator[None]:
        """Say what is waited for while it lasts."""
        if self.err.is_terminal:
            with self.err.status(self.tell(key, **values)):
                yield
        else:
            self.notice(key, **values)
            yield

    @contextmanager
    def progress(self, key: str, *, total: int) -> Iterator[Bar]:
        """A bar with an estimate on a terminal; elsewhere a line every few seconds."""
        label = self.tell(key)
        if not self.err.is_terminal:
            yield _Lines(self, label, total)
            return
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self.err, transient=True) as progress:
            yield _Shown(progress, label, total)


class _Shown:
    def __init__(self, progress: Progress, label: str, total: int) -> None:
        self._progress = progress
        self._label = label
        self._task = progress.add_task(label, total=total)

    def reach(self, done: int, total: int | None = None, *, doing: str = "") -> None:
        told = _described(self._label, doing)
        self._progress.update(self._task, completed=done, total=total, description=told)


class _Lines:
    def __init__(self, out: Output, label: str, total: int) -> None:
        self._out, self._label, self._total = out, label, total
        self._began = self._said = time.monotonic()

    def reach(self, done: int, total: int | None = None, *, doing: str = "") -> None:
        self._total = total or self._total
        now = time.monotonic()
        if now - self._said < _LINE_SECONDS or not done:
            return
        self._said = now
        left = (now - self._began) / done * max(0, self._total - done)
        told = _described(self._label, doing)
        self._out.notice("progress", what=told, done=done, total=self._total, seconds=round(left))


def _described(label: str, doing: str) -> str:
    return f"{label} {harmless(one_line(doing, 40))}" if doing else label


def harmless(text: str) -> str:
    """Text without control characters: a note must not be able to move a cursor or set a window's title."""
    return _CONTROLS.sub("\ufffd", text.replace("\r\n", "\n"))


def table(*columns: str, rows: Sequence[Sequence[object]]) -> Table:
    """A plain table; the first column is never shortened, since it holds what other commands take."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        made.add_column(column, no_wrap=place == 0, overflow="fold")
    for row in rows:
        made.add_row(*[Text(harmless("" if cell is None else str(cell))) for cell in row])
    return made


def one_line(text: str, limit: int = 100) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
