"""What an embedder gives, checked one by one: a vector of unit length, or why it is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""One unit vector, shape (dimension,)."""

_SHORTEST = 1e-12
"""A vector below this length has no direction."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a text has no vector; never in the text's own words.

    Attributes:
        foreign: what came cannot be a vector of this embedder at all: another dimension, or no numbers.
    """

    reason: str
    foreign: bool = False


def validate_vectors(vectors: Sequence[Sequence[float] | None], dimension: int) -> list[Vector | Refused]:
    """Unit vectors, and for whatever is none the reason: another dimension, no numbers, NaN, infinite, zero, null.

    Args:
        vectors: as the embedder gave them.
        dimension: what the identity says.
    """
    return [_checked(vector, dimension) for vector in vectors]


def _checked(vector: Sequence[float] | None, dimension: int) -> Vector | Refused:
    if vector is None:
        return Refused("The embedder gave no vector.")
    if len(vector) != dimension:
        return Refused(
            f"The embedder gave a vector of {len(vector)} numbers where {dimension} were agreed.", foreign=True
        )
    try:
        numbers = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError):
        return Refused("The embedder gave a vector that does not consist of numbers.", foreign=True)
    with np.errstate(over="ignore"):
        length = float(np.linalg.norm(numbers))
    if not np.isfinite(length):
        return Refused("The embedder gave a vector that is not finite.")
    if length <= _SHORTEST:
        return Refused("The embedder gave a vector without a direction (zero).")
    return (numbers / length).astype(np.float32)
