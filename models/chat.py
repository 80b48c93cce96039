"""Chat models of any OpenAI-compatible endpoint: building one, streaming under deadlines, structured answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any, TypeVar

import openai
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr, ValidationError

from context.errors import ModelOutputInvalid, ModelUnavailable, PocketMindError
from models.endpoint import OPENAI_URL, EndpointClients, open_clients, retry_after, translate_model_error
from models.json_reply import describe_problems, read_json_reply

__all__ = [
    "build_chat_model",
    "close_chat_model",
    "retry_after",
    "stream_with_deadlines",
    "structured",
    "translate_model_error",
]

NOSTREAM = "nostream"
"""LangGraph's tag for calls whose tokens must not appear in the chat stream."""

_REPEATED_CHARACTERS = 4_000
"""How much of an unreadable reply is shown to the model again: enough to see its form, never a runaway answer."""

# The floors below `retrievers` do not import each other, so the only sentence that this floor says to a model stands
# here and not in `prompts/`. It is about form alone, so it does not depend on the language of the conversation.
_REPAIR = (
    "Your last reply does not fit the required JSON schema: {problem}\n"
    "Reply again with the JSON object alone: no explanation, no Markdown fence. Keep the language of its texts."
)

Parsed = TypeVar("Parsed", bound=BaseModel)


def build_chat_model(
    *,
    model: str,
    base_url: str | None,
    api_key: SecretStr | None,
    connect_timeout: float = 5.0,
    total_timeout: float = 120.0,
    max_retries: int = 2,
    temperature: float | None = None,
) -> ChatOpenAI:
    """A chat model that obeys its parameters alone; see `models.endpoint.open_clients` for what that means.

    An endpoint other than OpenAI is always spoken to with chat completions, the one API they all share. At OpenAI
    itself langchain-openai chooses, because some models answer only through the Responses API.

    Args:
        model: name of the model as the endpoint knows it.
        base_url: address up to and with `/v1`; None is OpenAI itself.
        api_key: None for a local endpoint that asks for none.
        connect_timeout: seconds to reach the endpoint.
        total_timeout: seconds of silence after which one request is given up. The deadlines of a whole answer are
            those of `stream_with_deadlines` and `structured`.
        max_retries: how often one request is repeated after a refusal for load, an outage or a broken connection.
            A stream that has begun is never repeated: the user would see the text twice.
        temperature: None leaves it to the endpoint; some reasoning models refuse any value.

    Raises:
        ConfigurationError: see `open_clients`.
    """
    clients = open_clients(
        base_url=base_url,
        api_key=api_key,
        connect_timeout=connect_timeout,
        read_timeout=total_timeout,
        max_retries=max_retries,
    )
    return ChatOpenAI(
        model=model,
        # The same values again: left out, ChatOpenAI would look for them in the environment.
        base_url=base_url or OPENAI_URL,
        api_key=SecretStr(clients.asynchronous.api_key),
        output_version=None,
        client=clients.blocking.chat.completions,
        root_client=clients.blocking,
        async_client=clients.asynchronous.chat.completions,
        root_async_client=clients.asynchronous,
        stream_usage=True,
        stream_chunk_timeout=total_timeout,
        max_retries=max_retries,
        use_responses_api=None if base_url is None else False,
        temperature=temperature,
    )


async def close_chat_model(model: ChatOpenAI) -> None:
    """Close the connections of a model made by `build_chat_model`."""
    await EndpointClients(blocking=model.root_client, asynchronous=model.root_async_client).close()


async def stream_with_deadlines(
    stream: AsyncIterator[AIMessageChunk], *, first: float, between: float, total: float
) -> AsyncGenerator[AIMessageChunk, None]:
    """Pass a model's stream on, as long as it keeps its deadlines; in every other case it ends with an error.

    What has been yielded before the error stays valid, so that the caller can keep it as an incomplete message.
    The stream is closed however this ends, also when the consumer leaves early.

    Args:
        stream: what `model.astream(...)` returned.
        first: seconds to the first chunk, retries of the connection included.
        between: seconds from one chunk to the next.
        total: seconds spent waiting for the model altogether; the consumer's own time is not counted.

    Raises:
        ModelUnavailable: a deadline passed (the message names it), the connection broke, or the stream ended without
            saying that it was finished, which is how a half answer looks when a proxy in between has closed it.
        ModelOutputInvalid, ConfigurationError: see `translate_model_error`.
    """
    chunks = aiter(stream)
    waited = 0.0
    name, limit = "first token", first
    speaks_openai = finished = False
    try:
        while True:
            if total - waited < limit:
                name, limit = "total", max(0.0, total - waited)
            began = time.monotonic()
            chunk = await _next_chunk(chunks, name, limit)
            waited += time.monotonic() - began
            if chunk is None:
                break
            speaks_openai = speaks_openai or chunk.response_metadata.get("model_provider") == "openai"
            finished = finished or bool(chunk.response_metadata.get("finish_reason") or _responses_status(chunk))
            yield chunk
            name, limit = "between tokens", between
    finally:
        close = getattr(chunks, "aclose", None)
        if close is not None:
            await close()
    if speaks_openai and not finished:
        raise ModelUnavailable(
            "The model's stream ended without a finish reason: the answer may be half.",
            zh="模型的回答中途断开，可能只有一半。",
        )


async def _next_chunk(chunks: AsyncIterator[AIMessageChunk], name: str, limit: float) -> AIMessageChunk | None:
    clock = asyncio.timeout(limit)
    try:
        async with clock:
            return await anext(chunks, None)
    except PocketMindError:
        raise
    except Exception as error:
        if clock.expired():
            raise ModelUnavailable(
                f"The model missed its deadline: {name}, {limit:g} s.", zh=f"模型超过了时限（{limit:g} 秒）。"
            ) from error
        raise translate_model_error(error) from error


def _responses_status(chunk: AIMessageChunk) -> bool:
    """Whether the Responses API, which has no finish_reason, says that the answer has ended."""
    return chunk.response_metadata.get("status") in ("completed", "incomplete")


async def structured(
    model: BaseChatModel, schema: type[Parsed], messages: Sequence[BaseMessage], *, deadline: float
) -> Parsed:
    """Ask for an answer in the form of `schema`, with one try to repair an answer that does not fit.

    The schema goes out as `response_format: json_schema` (strict). Endpoints that ignore it are met half way: JSON in
    a Markdown fence, after a thinking part or inside prose is found. When nothing fits, the model sees its reply and
    what is wrong with it, once. The call carries LangGraph's tag `nostream` and is not streamed, so that no
    half-written JSON reaches the user.

    Args:
        model: any chat model; one that does not know `response_format` must ignore it.
        schema: what the answer must be; every field is sent as required (OpenAI's strict mode knows no optional one).
        messages: the conversation to send.
        deadline: seconds for both tries together.

    Raises:
        ModelOutputInvalid: no valid answer after the repair, or the model declined. Says where it does not fit, not
            what stood there.
        ModelUnavailable: outage, or the deadline passed.
        ConfigurationError: see `translate_model_error`.
    """
    conversation = list(messages)
    response_format = _response_format(schema)
    clock = asyncio.timeout(deadline)
    try:
        async with clock:
            reply = await _reply(model, conversation, response_format)
            try:
                return read_json_reply(reply, schema)
            except ValidationError as error:
                problem = describe_problems(error, with_words=True)
            conversation.append(AIMessage(reply[:_REPEATED_CHARACTERS] or "(empty)"))
            conversation.append(HumanMessage(_REPAIR.format(problem=problem)))
            try:
                return read_json_reply(await _reply(model, conversation, response_format), schema)
            except ValidationError as error:
                raise ModelOutputInvalid(
                    f"The model's answer does not fit {schema.__name__}, also after one repair: "
                    f"{describe_problems(error, with_words=False)}"
                ) from error
    except TimeoutError as error:
        if clock.expired():
            raise ModelUnavailable(f"The model missed its deadline: structured answer, {deadline:g} s.") from error
        raise


async def _reply(model: BaseChatModel, messages: list[BaseMessage], response_format: dict[str, Any]) -> str:
    try:
        reply = await model.ainvoke(messages, {"tags": [NOSTREAM]}, response_format=response_format, stream=False)
    except openai.LengthFinishReasonError as error:
        return error.completion.choices[0].message.content or ""  # cut at the limit: the repair may be shorter
    except PocketMindError:
        raise
    except Exception as error:
        raise translate_model_error(error) from error
    if reply.additional_kwargs.get("refusal"):
        raise ModelOutputInvalid("The model declined to answer.")
    return str(reply.text)


def _response_format(schema: type[BaseModel]) -> dict[str, Any]:
    strict = openai.pydantic_function_tool(schema)["function"]
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.__name__, "schema": strict.get("parameters", {}), "strict": True},
    }
