"""The chat model that runs when none is configured: deterministic, extractive, and marked as such in every message."""

from __future__ import annotations

import asyncio
import contextvars
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NoReturn

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from context.characters import HAN, SYLLABIC
from context.errors import ConfigurationError, ModelError
from models.about_me import next_calls
from models.answers import Similarity, best_sentences
from models.cues import decisive_cue
from models.intents import Intent, IntentClassifier, IntentGuess
from models.phrases import phrase
from models.replies import evidence_for, reply
from models.similarity import SentenceSimilarity
from models.turn import Turn, read_turn

MODEL_NAME = "pocketmind-offline"

_PIECE = re.compile(rf"[{HAN}{SYLLABIC}]{{1,2}}[，。！？；：、）”]*|[^\s{HAN}{SYLLABIC}]+\s*|\s+")


class OfflineBrain(BaseChatModel):
    """Answers out of what retrieval found, with no chat model.

    It reads the context message (`models.turn`), tells the intent, and replies by rule: small talk briefly, facts with
    an acknowledgement, questions with cited sentences, list and summary tasks with a dated digest, "what do you know
    about me" by the memory tools; anything that needs a model it declines in one line. It stores nothing. What is
    quoted is data: no text in it changes what happens.

    Every message has `response_metadata` {"model_name", "offline": True, "intent", "citations", "finish_reason"}, and
    "degradations": ["embedder_failed"] when the embedder failed and words alone decided.

    Args:
        embeddings: the embedder; None compares by words alone.
    """

    embeddings: Embeddings | None = None

    _classifier: IntentClassifier = PrivateAttr()
    _similarity: SentenceSimilarity | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        """Make the parts that use the embedder."""
        super().model_post_init(context)
        self._classifier = IntentClassifier(self.embeddings)
        self._similarity = SentenceSimilarity(self.embeddings) if self.embeddings else None

    @property
    def _llm_type(self) -> str:
        return MODEL_NAME

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": MODEL_NAME}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Bind tools; of them, only the two memory tools that tell about the user are ever called."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def with_structured_output(self, schema: dict[str, Any] | type, **kwargs: Any) -> NoReturn:
        """Not offered.

        Raises:
            ConfigurationError: always. Ask `is_offline` first, and take the rule-made form instead.
        """
        raise ConfigurationError(
            "The offline brain gives no structured output: it has no model that could fill a schema.",
            hint="Set POCKETMIND_CHAT_MODEL with OPENAI_API_KEY or OPENAI_BASE_URL.",
        )

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = self._blocking(messages, stop, kwargs)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = await self._respond(messages, stop, _bound_tools(kwargs))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        yield from _chunks(self._blocking(messages, stop, kwargs))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(await self._respond(messages, stop, _bound_tools(kwargs))):
            yield chunk

    def _blocking(
        self, messages: Sequence[BaseMessage], stop: Sequence[str] | None, kwargs: Mapping[str, Any]
    ) -> AIMessage:
        """The reply for LangChain's synchronous calls, on a loop of its own: the caller may be inside one."""
        respond = self._respond(messages, stop, _bound_tools(kwargs))
        with ThreadPoolExecutor(max_workers=1) as thread:
            return thread.submit(contextvars.copy_context().run, asyncio.run, respond).result()

    async def _respond(
        self, messages: Sequence[BaseMessage], stop: Sequence[str] | None, tools: Mapping[str, frozenset[str]]
    ) -> AIMessage:
        turn = read_turn(messages)
        guess, failed = await self._intent(turn)
        metadata: dict[str, Any] = {"model_name": MODEL_NAME, "offline": True, "intent": guess.as_dict()}
        calls = next_calls(turn, tools) if guess.special == "about_me" else []
        if calls:
            metadata |= {"citations": [], "finish_reason": "tool_calls"}
            return AIMessage(content="", tool_calls=calls, response_metadata=metadata)
        similarity, unmeasured = await self._measure(turn, guess)
        answer = reply(turn, guess, similarity)
        metadata |= {"citations": list(answer.citations), "finish_reason": "stop"}
        if failed or unmeasured:
            metadata["degradations"] = ["embedder_failed"]
        notice = f"\n\n{phrase('no_model', turn.language)}" if turn.first_turn else ""
        return AIMessage(content=_until(answer.text + notice, stop), response_metadata=metadata)

    async def _intent(self, turn: Turn) -> tuple[IntentGuess, bool]:
        """The intent, taken from upstream where it is there; and whether the embedder failed on the way."""
        given = IntentGuess.from_dict(turn.intent, language=turn.language) if turn.intent else None
        if given is None:
            try:
                return await self._classifier.classify(turn.question), False
            except (ModelError, ConfigurationError):
                return await IntentClassifier(None).classify(turn.question), True
        cue = decisive_cue(turn.question) if given.special is None else None
        return (replace(given, special=cue.special) if cue and cue.intent is given.intent else given), False

    async def _measure(self, turn: Turn, guess: IntentGuess) -> tuple[Similarity | None, bool]:
        """Similarity of the sentences that may be quoted; and whether the embedder failed."""
        wanted: list[str] = []

        def collect(_: str, sentences: list[str]) -> list[float]:
            wanted.extend(sentences)
            return [0.0] * len(sentences)

        if self._similarity is None or guess.intent in (Intent.CHITCHAT, Intent.STATEMENT):
            return None, False
        best_sentences(turn.question, evidence_for(turn, guess), similarity=collect)
        if not wanted:
            return None, False
        try:
            return await self._similarity.measure(turn.question, wanted), False
        except (ModelError, ConfigurationError):
            return None, True


def is_offline(model: object) -> bool:
    """Whether a chat model, with tools bound or not, is the offline brain."""
    return isinstance(getattr(model, "bound", model), OfflineBrain)


def _bound_tools(kwargs: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Names of the bound tools, each with its parameters; none when the caller forbids calls."""
    if kwargs.get("tool_choice") == "none":
        return {}
    functions = [tool.get("function", {}) for tool in kwargs.get("tools") or ()]
    return {function["name"]: frozenset(function.get("parameters", {}).get("properties", {})) for function in functions}


def _until(text: str, stop: Sequence[str] | None) -> str:
    """The text before the first stop sequence."""
    return min((text.partition(mark)[0] for mark in stop or () if mark), key=len, default=text)


def _chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """A finished message word by word; tool calls whole; the metadata once, at the end, where merging keeps it."""
    for piece in _PIECE.findall(str(message.text)):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    for index, call in enumerate(message.tool_calls):
        arguments = json.dumps(call["args"], ensure_ascii=False)
        part = tool_call_chunk(name=call["name"], args=arguments, id=call["id"], index=index)
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[part]))
    last = AIMessageChunk(content="", response_metadata=message.response_metadata, chunk_position="last")
    yield ChatGenerationChunk(message=last)
