"""Hotness: recent, frequent use. hotness = sigmoid(log1p(uses)) * exp(-ln 2 / half-life * age in days)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultHotnessScorer:
    """The formula of the user's architecture document, part 9.1.

    Args:
        half_life_days: after which hotness is halved.
    """

    half_life_days: float = 7.0

    def hotness(self, *, active_count: int, last_used: datetime | None, now: datetime) -> float:
        """A value in [0, 1); 0 when there is no time to measure from. A time in the future counts as now."""
        if last_used is None:
            return 0.0
        age = max(0.0, (now - last_used).total_seconds()) / _DAY
        frequency = 1.0 / (1.0 + math.exp(-math.log1p(max(0, active_count))))
        return frequency * math.exp(-math.log(2) / self.half_life_days * age)
