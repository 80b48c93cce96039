"""A deterministic embedder without a model: texts that share terms lie close, all others are nearly orthogonal."""

from __future__ import annotations

import hashlib
import re

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")


def terms(text: str) -> list[str]:
    """Lower-case words of Latin script; single characters and pairs of neighbours of Chinese."""
    found: list[str] = []
    for run in _WORD.findall(text.lower()):
        if run[0] < "\u3400":
            found.append(run)
        else:
            found.extend(run)
            found.extend(run[i : i + 2] for i in range(len(run) - 1))
    return found


def hashed_vector(text: str, dimension: int) -> NDArray[np.float32]:
    """The signed term-hash vector of `text`, unit length; a text without terms is hashed whole.

    Feature hashing after Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009).
    """
    vector = np.zeros(dimension, dtype=np.float64)
    for term in terms(text) or [text]:
        digest = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=9).digest()
        vector[int.from_bytes(digest[:8], "big") % dimension] += 1.0 if digest[8] & 1 else -1.0
    length = float(np.linalg.norm(vector))
    if length == 0.0:  # two terms fell on one place with opposite signs
        vector[0] = length = 1.0
    return (vector / length).astype(np.float32)
