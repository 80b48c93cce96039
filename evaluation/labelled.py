"""Labelled sets: JSON lines, each with what was asked or said and what should come of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from context.errors import ConfigurationError

DATA = Path(__file__).with_name("data")
_TESTS = Path(__file__).resolve().parents[1] / "tests" / "unit"

UNSEEN_INTENTS = _TESTS / "models" / "intents_unseen.jsonl"
"""Sentences that no rule and no weight was made from; they live beside the tests that guard the same figure."""


def statement_sets() -> tuple[Path, ...]:
    """The labelled statements of a checkout: those that the rules were written with, and those that they were not."""
    return tuple(sorted((_TESTS / "memory").glob("statements*.jsonl")))


def rows_of(path: Path, needed: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a set, in order.

    Args:
        needed: keys that every row must have.

    Raises:
        ConfigurationError: it is missing, is not JSON lines, or a row lacks a key; the message names the line.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        hint = "The sets of intents and statements lie in a checkout's tests/; name other files on the command line."
        raise ConfigurationError(f"The labelled set {path} cannot be read: {error.strerror}.", hint=hint) from error
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ConfigurationError(f"{path}:{number} is not JSON: {error}.") from error
        missing = [key for key in needed if not isinstance(row, dict) or key not in row]
        if missing:
            raise ConfigurationError(f"{path}:{number} lacks {', '.join(missing)}.")
        rows.append(row)
    if not rows:
        raise ConfigurationError(f"The labelled set {path} is empty.")
    return rows
