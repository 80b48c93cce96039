"""Pictures of a measurement, where matplotlib is installed: it is no dependency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evaluation.ablation import Compared


def can_plot() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def plot_ablation(compared: Sequence[Compared], file: Path) -> None:
    """Difference of turn hit@10 of each variant, in points, with its 95 % interval."""
    figure, axes = _canvas(height=1.2 + 0.35 * len(compared))
    found = [one.differences["turn hit@10"] for one in compared]
    means = [100 * one.mean for one in found]
    errors = [[100 * (one.mean - one.low) for one in found], [100 * (one.high - one.mean) for one in found]]
    axes.barh(range(len(found)), means, xerr=errors, color="#4c72b0", ecolor="#333333")
    axes.set_yticks(range(len(found)), [one.name for one in compared])
    axes.invert_yaxis()
    axes.axvline(0, color="#333333", linewidth=0.8)
    axes.set_xlabel("turn hit@10, difference in points")
    figure.savefig(file, dpi=150, bbox_inches="tight")


def plot_latency(times: Mapping[str, Sequence[float]], file: Path) -> None:
    """Share of retrievals that took at most so many milliseconds, one line a data set."""
    figure, axes = _canvas(height=4.0)
    for name, values in times.items():
        ordered = sorted(values)
        axes.plot(ordered, [100 * place / len(ordered) for place in range(1, len(ordered) + 1)], label=name)
    axes.set_xlabel("milliseconds")
    axes.set_ylabel("% of retrievals")
    axes.legend()
    figure.savefig(file, dpi=150, bbox_inches="tight")


def _canvas(*, height: float) -> tuple[Any, Any]:
    import_module("matplotlib").use("Agg")
    pyplot = import_module("matplotlib.figure")
    figure = pyplot.Figure(figsize=(8.0, height))
    return figure, figure.subplots()
