"""Times: percentiles between ranks, and spans counted from one."""

from __future__ import annotations

import pytest

from context.errors import InvalidInputError
from evaluation.samples import Samples, percentile


def test_percentiles_lie_between_the_nearest_ranks() -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.5
    assert percentile([7.0], 0.95) == 7.0
    assert percentile([float(n) for n in range(101)], 0.95) == 95.0


def test_nothing_measured_is_an_error_and_not_a_zero() -> None:
    with pytest.raises(InvalidInputError):
        percentile([], 0.5)


def test_a_span_holds_its_first_and_its_last_sample() -> None:
    samples = Samples([float(n) for n in range(1, 51)])
    assert samples.between(1, 10).milliseconds == [float(n) for n in range(1, 11)]
    assert samples.between(41, 50).p50 == 45.5


def test_a_block_that_fails_adds_no_time() -> None:
    samples = Samples()
    with pytest.raises(RuntimeError), samples.timed():
        raise RuntimeError
    assert samples.milliseconds == []


def test_the_mean_is_all_of_it_shared_out_evenly_and_needs_something() -> None:
    assert Samples([1.0, 2.0, 6.0]).mean == 3.0
    with pytest.raises(InvalidInputError):
        _ = Samples().mean
