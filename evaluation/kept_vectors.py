"""Vectors of passages kept in a file between runs: making them is most of a measurement's time."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import TracebackType
from zipfile import BadZipFile

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from context.errors import ConfigurationError
from models.embedders import EmbedderHandle

_DIGEST = 16


class KeptVectors(Embeddings):
    """An embedder that asks another one only for passages it has not seen. Questions are always embedded anew.

    Use it as a context manager: what is new is written at the end.

    Args:
        folder: where the file is kept, one an engine; None keeps nothing.

    Raises:
        ConfigurationError: the file is no file of ours.
    """

    def __init__(self, handle: EmbedderHandle, folder: Path | None) -> None:
        self._inner = handle.embeddings
        name = hashlib.sha256(str(handle.identity).encode()).hexdigest()[:12]
        self._file = folder / f"evaluation-vectors-{name}.npz" if folder else None
        self._known: dict[bytes, NDArray[np.float32]] = {}
        self.made = 0
        if self._file is not None and self._file.exists():
            try:
                with np.load(self._file, allow_pickle=False) as kept:
                    self._known = {
                        row.tobytes(): vector for row, vector in zip(kept["text"], kept["vector"], strict=True)
                    }
            except (BadZipFile, KeyError, ValueError, OSError) as error:
                hint = "Delete it; its vectors are made again."
                raise ConfigurationError(f"{self._file} cannot be read: {error}.", hint=hint) from error

    def __enter__(self) -> KeptVectors:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is None or not self.made:
            return
        text = np.frombuffer(b"".join(self._known), dtype=np.uint8).reshape(-1, _DIGEST)
        fresh = self._file.with_suffix(".new.npz")
        np.savez(fresh, text=text, vector=np.stack(list(self._known.values())))
        fresh.replace(self._file)  # whole or not at all

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of passages, in order."""
        missing = self._missing(texts)
        return self._with(texts, missing, self._inner.embed_documents(missing) if missing else [])

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of passages, in order."""
        missing = self._missing(texts)
        return self._with(texts, missing, await self._inner.aembed_documents(missing) if missing else [])

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self._inner.embed_query(text)

    async def aembed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return await self._inner.aembed_query(text)

    def _missing(self, texts: list[str]) -> list[str]:
        return [text for text in dict.fromkeys(texts) if _digest(text) not in self._known]

    def _with(self, texts: list[str], missing: list[str], made: list[list[float]]) -> list[list[float]]:
        for text, vector in zip(missing, made, strict=True):
            self._known[_digest(text)] = np.asarray(vector, dtype=np.float32)
            self.made += 1
        return [self._known[_digest(text)].tolist() for text in texts]


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_DIGEST]
