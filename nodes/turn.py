"""A turn as a value, and the conversions between truth and LangChain's messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID, uuid4, uuid5

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from context.derived import Degradation, Pin
from context.errors import InvalidInputError
from context.text import clean
from context.truth import ChatMessage, MessageRole, MessageState
from context.types import Language, MemoryPolicy
from storage.sessions import Lease

_TURNS = UUID("3b7d1a52-6d0b-4f57-8d0e-5c4a6f1d9e21")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of a session. `unchanged`: nothing was written since the turn before it, so what it said still holds."""

    session_id: UUID
    turn_id: UUID
    fence: int
    run_id: UUID
    trace_id: UUID
    message_id: UUID
    seq: int
    window_from: int
    began: datetime
    language: Language
    first: bool
    policy: MemoryPolicy
    unchanged: bool = False
    question: str = ""

    @property
    def lease(self) -> Lease:
        """The right to write the session."""
        return Lease(session_id=self.session_id, turn_id=self.turn_id, fence=self.fence)

    def to_json(self) -> dict[str, Any]:
        """Plain values for state, without text."""
        return {
            "session_id": str(self.session_id),
            "turn_id": str(self.turn_id),
            "fence": self.fence,
            "run_id": str(self.run_id),
            "trace_id": str(self.trace_id),
            "message_id": str(self.message_id),
            "seq": self.seq,
            "window_from": self.window_from,
            "began": self.began.isoformat(),
            "language": self.language,
            "first": self.first,
            "policy": self.policy.value,
            "unchanged": self.unchanged,
        }

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Turn:
        """The turn of a state; its question is the newest user message."""
        plain = state["turn"]
        return cls(
            session_id=UUID(plain["session_id"]),
            turn_id=UUID(plain["turn_id"]),
            fence=plain["fence"],
            run_id=UUID(plain["run_id"]),
            trace_id=UUID(plain["trace_id"]),
            message_id=UUID(plain["message_id"]),
            seq=plain["seq"],
            window_from=plain["window_from"],
            began=datetime.fromisoformat(plain["began"]),
            language=plain["language"],
            first=plain["first"],
            policy=MemoryPolicy(plain["policy"]),
            unchanged=plain["unchanged"],
            question=question_of(state["messages"]),
        )


def ids_of_turn(run_id: str | None, message: AnyMessage | None) -> tuple[UUID, UUID]:
    """(turn id, run id). The turn follows from run and message, so that a node that runs again takes its own lease."""
    run = _uuid(run_id) or uuid4()
    name = f"{run}:{message.id if message is not None else ''}"
    return uuid5(_TURNS, name), run


def message_id_of(message: AnyMessage, turn_id: UUID) -> UUID:
    """The id under which a user's message is stored once: the client's if it is a UUID, else made from it."""
    return _uuid(message.id) or uuid5(turn_id, f"user:{message.id or ''}")


def checked_text(message: AnyMessage, *, most_bytes: int) -> tuple[str, int]:
    """The message's text, cleaned of what cannot be stored, and how many characters were replaced.

    Raises:
        InvalidInputError: nothing was said, it is too large, or it holds something else than text.
    """
    content = message.content
    if not isinstance(content, str):
        parts = [part if isinstance(part, str) else part.get("text", "") for part in content]
        kinds = {part.get("type") for part in content if isinstance(part, dict)} - {"text"}
        if kinds:
            raise InvalidInputError(f"Only text can be sent in a message, not {', '.join(sorted(map(str, kinds)))}.")
        content = "\n".join(str(part) for part in parts)
    cleaned = clean(content)
    if not cleaned.text.strip():
        raise InvalidInputError("The message is empty; write something.", zh="消息是空的，请写点什么。")
    size = len(cleaned.text.encode())
    if size > most_bytes:
        raise InvalidInputError(
            f"The message has {size} bytes; at most {most_bytes} are taken. Save it as a note or import it as a file.",
            zh=f"消息有 {size} 字节，最多 {most_bytes} 字节。请把它存成笔记，或作为文件导入。",
        )
    return cleaned.text, cleaned.replaced


def question_of(messages: Sequence[AnyMessage]) -> str:
    """The text of the newest user message."""
    return next((str(message.text) for message in reversed(messages) if isinstance(message, HumanMessage)), "")


def to_langchain(message: ChatMessage) -> AnyMessage:
    """A stored message as a model sees it; ids stay, so that a client does not show it twice."""
    identity = str(message.message_id)
    if message.role is MessageRole.USER:
        return HumanMessage(content=message.content, id=identity)
    if message.role is MessageRole.TOOL:
        return ToolMessage(content=message.content, id=identity, tool_call_id=message.tool.get("call_id", identity))
    extra = {"incomplete": True} if message.state is MessageState.INCOMPLETE else {}
    return AIMessage(content=message.content, id=identity, additional_kwargs=extra)


def repaired(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Messages in which every tool call has exactly one result and every result its call.

    A cancelled tool leaves an orphan that an endpoint refuses. A call without a result gets one that says so; a
    finished result is kept; a result without its call is left out.
    """
    result: list[AnyMessage] = []
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    for message in messages:
        if isinstance(message, ToolMessage):
            continue
        result.append(message)
        if isinstance(message, AIMessage):
            for call in message.tool_calls:
                identity = call["id"] or ""
                found = answers.get(identity)
                result.append(
                    found
                    or ToolMessage(content='{"error": "the call was cancelled"}', tool_call_id=identity, status="error")
                )
    return result


def degradations_of(state: Mapping[str, Any]) -> list[Degradation]:
    """What has been degraded so far."""
    return [Degradation(leg=d[0], code=d[1], detail=d[2]) for d in state.get("degradations", [])]


def plain(degradations: Sequence[Degradation]) -> list[list[str]]:
    """Degradations as plain values for state."""
    return [[d.leg, d.code, d.detail] for d in degradations]


def pin_of(state: Mapping[str, Any]) -> Pin:
    """The pin of a state."""
    return Pin(**state["pin"])


def language_or(context_language: str, detected: Language) -> Language:
    """The client's choice, else the language of the message."""
    return cast(Language, context_language) if context_language in ("zh", "en") else detected


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
