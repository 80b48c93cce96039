"""JSON as it goes into the database: Chinese stays Chinese, and only plain values are taken."""

from __future__ import annotations

import json
from typing import Any


def dump_json(value: Any) -> str:
    """`value` as compact JSON.

    Raises:
        TypeError: it holds something that is not plain JSON.
        ValueError: it holds NaN or an infinity, which JSON does not know.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
