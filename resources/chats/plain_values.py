"""Reading JSON that anybody may have written: a value of another type than expected is as good as none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def as_map(value: object) -> Mapping[str, Any]:
    """An object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """A list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """A text, else an empty one."""
    return value if isinstance(value, str) else ""
