"""How near sentences are to a question in meaning, on a scale that does not depend on the embedder."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from context.errors import PocketMindError
from context.text import language_of
from models.answers import Similarity
from models.endpoint import translate_model_error
from models.intents import Intent, labelled_sentences

Vector = NDArray[np.float64]

_BACKGROUND = 32
"""Sentences per language that stand for anything unrelated: their median cosine is the zero of the scale."""
_CROSSING = 0.57
"""How far up the scale the right sentence of the other language comes (median, zh to en and back, beside the same
questions within one language): similarities across languages are divided by it."""
_REMEMBERED = 2_000
"""Vectors kept, 3 MB at 384 dimensions: the same notes come up again and again."""


class SentenceSimilarity:
    """Similarity of meaning: (cos - b) / (1 - b), cut to 0..1, with b the cosine of the question with the unrelated.

    Cosines of one embedder lie between .7 and .9, of another between 0 and .6, and the level differs by question and
    by the pair of languages; measured against everyday statements in the sentence's language it becomes comparable.
    """

    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()

    async def measure(self, question: str, sentences: Sequence[str]) -> Similarity:
        """A function that knows the similarity of these sentences to this question, and 0 for any other.

        Raises:
            ModelError, ConfigurationError: the embedder failed.
        """
        languages = {text: language_of(text) for text in sentences}
        background = {
            language: labelled_sentences(Intent.STATEMENT, language)[:_BACKGROUND]
            for language in dict.fromkeys(languages.values())
        }
        try:
            asked, vectors = await asyncio.gather(
                self._embeddings.aembed_query(question),
                self._embed([*sentences, *chain.from_iterable(background.values())]),
            )
        except PocketMindError:
            raise
        except Exception as error:
            raise translate_model_error(error) from error
        vector = _unit(asked)
        level = {
            language: float(np.median([vectors[text] @ vector for text in texts]))
            for language, texts in background.items()
        }
        own = language_of(question)
        known = {
            text: _rescaled(float(vectors[text] @ vector), level[spoken], 1.0 if spoken == own else _CROSSING)
            for text, spoken in languages.items()
        }
        return lambda _, wanted: [known.get(text, 0.0) for text in wanted]

    async def _embed(self, texts: Sequence[str]) -> dict[str, Vector]:
        keys = {text: _key(text) for text in texts}
        found = {text: self._vectors[key] for text, key in keys.items() if key in self._vectors}
        missing = [text for text in keys if text not in found]
        if missing:
            found |= zip(missing, map(_unit, await self._embeddings.aembed_documents(missing)), strict=True)
        for text, vector in found.items():
            self._vectors[keys[text]] = vector
            self._vectors.move_to_end(keys[text])
        while len(self._vectors) > _REMEMBERED:
            self._vectors.popitem(last=False)
        return found


def _key(text: str) -> bytes:
    """A digest: an erased note must not live on as a key of a cache."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _rescaled(cosine: float, level: float, reach: float) -> float:
    return min(1.0, max(0.0, (cosine - level) / max(1e-6, (1.0 - level) * reach)))


def _unit(vector: Sequence[float]) -> Vector:
    numbers = np.asarray(vector, dtype=np.float64)
    length = float(np.linalg.norm(numbers))
    return numbers / length if length > 0.0 else numbers
