"""Custom stream events that a page can show while a turn runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langgraph.config import get_stream_writer


def emit(kind: str, **values: Any) -> None:
    """Send one event to whoever listens to the `custom` stream."""
    get_stream_writer()({"type": kind, **values})


@contextmanager
def stage(name: str) -> Iterator[dict[str, Any]]:
    """Say that a stage began, and when it ended with its milliseconds and whatever was put into the yielded dict.

    A stage that fails says so, and the error goes on.
    """
    emit("stage", stage=name, state="started")
    began = time.perf_counter()
    counts: dict[str, Any] = {}
    try:
        yield counts
    except BaseException as error:
        emit("stage", stage=name, state="failed", milliseconds=_since(began), error=type(error).__name__)
        raise
    emit("stage", stage=name, state="finished", milliseconds=_since(began), **counts)


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 1)
