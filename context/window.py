"""The window over a dialogue: how much a turn's neighbours say about it."""

from __future__ import annotations

from collections.abc import Mapping

WINDOW: Mapping[int, float] = {-3: 0.125, -2: 0.25, -1: 0.5, 0: 1.0, 1: 0.25, 2: 0.125}
"""Weights of a turn's neighbours by distance (docs/retrieval.md): what was said before says more than what follows."""
