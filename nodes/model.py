"""The call to the model: its context message, its stream with deadlines, and the heartbeat that keeps the lease."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, message_chunk_to_message
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from context.errors import ConflictError, ModelError, PocketMindError, StorageUnavailable
from context.messages import choose, degradation_line
from context.scope import Scope
from context.text import clean
from models.chat import stream_with_deadlines
from models.endpoint import translate_model_error
from nodes.parts import ChatParts
from nodes.turn import Turn
from retrievers.assembler import AssembledContext
from retrievers.base import QueryPlan
from retrievers.disclosure import Entry
from storage import sessions

log = structlog.get_logger("pocketmind.model")
_HEARTBEAT_SECONDS = 10.0


def context_message(context: AssembledContext, turn: Turn, plan: QueryPlan) -> HumanMessage:
    """The context as one message: fenced text for a chat model, and the same as values for the offline brain."""
    return HumanMessage(
        content=context.text,
        additional_kwargs={
            "pocketmind": {
                "kind": "context",
                "language": turn.language,
                "entries": [
                    {
                        "n": entry.n,
                        "text": _words(entry),
                        "title": entry.title,
                        "source": entry.source,
                        "date": entry.date,
                        "layer": entry.layer,
                        "context_type": entry.context_type,
                        "score": entry.score,
                    }
                    for entry in context.entries
                ],
                "first_turn": turn.first,
                "policy": turn.policy.value,
                "intent": {"intent": plan.intent, "special": plan.special} if plan.intent else None,
                "degradations": [degradation_line(d, turn.language) for d in context.degradations],
            }
        },
    )


def _words(entry: Entry) -> str:
    """What the offline brain may quote: the sentences that a memory holds, everything else as it was injected."""
    return "\n".join(entry.facts) if entry.facts else entry.text


async def answer_stream(
    parts: ChatParts,
    scope: Scope,
    turn: Turn,
    prompt: Sequence[AnyMessage],
    tools: Sequence[BaseTool],
) -> tuple[AIMessage, ModelError | None]:
    """Stream an answer. No transaction is open meanwhile; a heartbeat keeps the lease.

    Returns:
        The message, and the model's failure if it broke off: then the message holds what had come, ends with a notice
        in the user's language, and is marked incomplete.

    Raises:
        ConflictError: the lease was lost; nothing of this turn may be written any more.
    """
    model: Runnable[Any, Any] = _bound(parts.model, tools)
    limits = parts.limits
    whole: AIMessageChunk | None = None
    problem: ModelError | None = None
    beat = asyncio.create_task(_keep_lease(parts, scope, turn))
    try:
        stream = stream_with_deadlines(
            model.astream(list(prompt)),
            first=limits.first_token,
            between=limits.between_tokens,
            total=limits.total,
        )
        async for chunk in stream:
            whole = chunk if whole is None else whole + chunk
            if beat.done():
                beat.result()
    except ModelError as error:
        problem = error
    except PocketMindError:
        raise
    except Exception as error:
        translated = translate_model_error(error)
        if not isinstance(translated, ModelError):
            problem = ModelError(translated.message, hint=translated.hint, zh=translated.zh)
        else:
            problem = translated
    finally:
        beat.cancel()
    if problem is not None:
        log.warning("model failed", error=problem.message, session=str(turn.session_id))
        return _broken(whole, problem, turn), problem
    silent = ModelError("The model ended its answer before the first word.", zh="模型一个字也没说就结束了。")
    if whole is None:
        return _broken(None, silent, turn), silent
    message = message_chunk_to_message(whole)
    if isinstance(message.content, str):
        message.content = storable(message.content)
    if not isinstance(message, AIMessage):
        raise TypeError(f"A chat model answered with {type(message).__name__}.")
    for call in message.invalid_tool_calls:  # arguments that are no JSON: the call still gets its one answer
        message.tool_calls.append({"name": call["name"] or "", "args": {}, "id": call["id"], "type": "tool_call"})
    message.invalid_tool_calls = []
    if not tools:
        message.tool_calls = []  # of what was not offered: a model that never stops calling must end here
    if not message.tool_calls and not str(message.text).strip():
        return _broken(None, silent, turn), silent
    return message, None


def storable(text: str) -> str:
    """A model's words as they can be stored: pairs of surrogates joined, what is left of them and NUL replaced."""
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return clean(joined).text


def _bound(model: BaseChatModel, tools: Sequence[BaseTool]) -> Runnable[Any, Any]:
    return model.bind_tools(list(tools)) if tools else model


def _broken(whole: AIMessageChunk | None, problem: ModelError, turn: Turn) -> AIMessage:
    """What had come of an answer, with a notice; half tool calls are left out."""
    text = storable(str(whole.text)) if whole is not None else ""
    notice = choose(
        turn.language,
        f"（模型没有给出完整回答：{problem.text('zh')}）",
        f"(The model gave no complete answer: {problem.message})",
    )
    return AIMessage(
        content=f"{text}\n\n{notice}".strip(),
        id=whole.id if whole is not None else None,
        additional_kwargs={"incomplete": True},
    )


async def _keep_lease(parts: ChatParts, scope: Scope, turn: Turn) -> None:
    """Renew the lease while the model speaks. A database that does not answer for a moment loses nothing: the lease
    outlives two missed beats."""
    missed = 0
    while True:
        await asyncio.sleep(_HEARTBEAT_SECONDS)
        try:
            async with parts.database.transaction(scope) as tx:
                if not await sessions.renew_turn(tx, turn.lease):
                    raise ConflictError("Another turn took over this session; this answer is not stored.")
            missed = 0
        except StorageUnavailable:
            missed += 1
            if missed * _HEARTBEAT_SECONDS >= sessions.LEASE_SECONDS:
                raise
