"""Times of one thing measured many times, and what may be said of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from context.errors import InvalidInputError


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0..1) of the values lie, linear between the two nearest ranks.

    Raises:
        InvalidInputError: there are no values.
    """
    if not values:
        raise InvalidInputError("Nothing was measured, so there is no percentile.")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


@dataclass(slots=True)
class Samples:
    """Milliseconds, in the order in which they were measured."""

    milliseconds: list[float] = field(default_factory=list)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add the time that the block takes. A block that fails adds nothing."""
        began = time.perf_counter()
        yield
        self.milliseconds.append((time.perf_counter() - began) * 1000)

    def add(self, milliseconds: float) -> None:
        """Add a time that was measured elsewhere."""
        self.milliseconds.append(milliseconds)

    @property
    def p50(self) -> float:
        """The median."""
        return percentile(self.milliseconds, 0.50)

    @property
    def p95(self) -> float:
        """Nineteen of twenty are quicker."""
        return percentile(self.milliseconds, 0.95)

    @property
    def mean(self) -> float:
        """All of it, shared out evenly."""
        if not self.milliseconds:
            raise InvalidInputError("Nothing was measured, so there is no mean.")
        return sum(self.milliseconds) / len(self.milliseconds)

    def between(self, first: int, last: int) -> Samples:
        """The samples from number `first` to number `last`, counted from 1, both included."""
        return Samples(self.milliseconds[first - 1 : last])
