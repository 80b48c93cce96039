"""What a scripted model says: good replies, and every fault that a real endpoint has been seen to make."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

FaultKind = Literal[
    "status",  # an HTTP error: `status`, `code`, `retry_after`
    "hang",  # nothing for `seconds`, then the reply
    "slow",  # every piece comes `seconds` after the one before
    "stall",  # `after` pieces, then nothing for `seconds`, then the rest
    "cut",  # `after` pieces, then the socket is closed
    "error_event",  # `after` pieces, then an error object inside the stream
    "no_finish",  # whole text, but no finish_reason
    "null_choices",  # HTTP 200 whose `choices` are null
    "html",  # HTTP 200 with a web page, as a wrong base URL gives
    "broken_json",  # JSON that ends early
    "truncated",  # the same, stopped by the length limit
    "fenced_json",  # `value` in a Markdown fence, with words around it
    "prose",  # no JSON at all
    "wrong_schema",  # JSON of another form
    "refusal",  # the model declines
    "duplicate_tool_ids",  # two calls that share one id
    "unknown_tool",  # a call of a tool nobody offered
    "bad_tool_args",  # arguments that are no JSON
]


@dataclass(frozen=True, slots=True)
class Text:
    """A plain answer."""

    text: str
    finish_reason: str = "stop"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call; several go into a tuple. `args` as text is sent as it stands."""

    name: str
    args: Mapping[str, Any] | str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Json:
    """A structured answer, as `response_format: json_schema` asks for it."""

    value: Any


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault; `kind` says which, the fields it uses are named at `FaultKind`."""

    kind: FaultKind
    status: int = field(default=500, kw_only=True)
    code: str | None = field(default=None, kw_only=True)
    retry_after: float | None = field(default=None, kw_only=True)
    seconds: float = field(default=0.0, kw_only=True)
    after: int = field(default=2, kw_only=True)
    text: str = field(default="a few words from the scripted model", kw_only=True)
    value: Any = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Embeddings as they stand, in the order of the texts; `indices` is what the response says their places are."""

    vectors: Sequence[Sequence[float] | None]
    indices: Sequence[int] | None = None


Reply = Text | ToolCall | tuple[ToolCall, ...] | Json | Fault
EmbeddingReply = Vectors | Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A reply in the words of the wire: what the assistant's message holds and why it ended."""

    content: str = ""
    refusal: str | None = None
    tool_calls: tuple[dict[str, Any], ...] = ()
    finish_reason: str | None = "stop"


def render(reply: Reply, request: Mapping[str, Any]) -> Rendered:
    """Put `reply` into the form of the chat completions API; tool faults use the first tool that `request` offers."""
    match reply:
        case Text(text, finish_reason):
            return Rendered(content=text, finish_reason=finish_reason)
        case Json(value):
            return Rendered(content=json.dumps(value, ensure_ascii=False))
        case ToolCall():
            return _calls(reply)
        case tuple():
            return _calls(*reply)
        case Fault():
            return _fault(reply, request)


def _calls(*calls: ToolCall) -> Rendered:
    wire = tuple(
        {
            "id": call.id or f"call_{place}",
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": call.args if isinstance(call.args, str) else json.dumps(call.args, ensure_ascii=False),
            },
        }
        for place, call in enumerate(calls)
    )
    return Rendered(tool_calls=wire, finish_reason="tool_calls")


def _fault(fault: Fault, request: Mapping[str, Any]) -> Rendered:
    offered = [tool["function"]["name"] for tool in request.get("tools", [])] or ["lookup"]
    body = json.dumps(fault.value if fault.value is not None else {"answer": fault.text}, ensure_ascii=False)
    match fault.kind:
        case "no_finish":
            return Rendered(content=fault.text, finish_reason=None)
        case "broken_json":
            return Rendered(content=body[: max(1, len(body) // 2)])
        case "truncated":
            return Rendered(content=body[: max(1, len(body) // 2)], finish_reason="length")
        case "fenced_json":
            return Rendered(content=f"好的，结果如下 (here it is):\n```json\n{body}\n```\nAnything else?")
        case "wrong_schema":
            return Rendered(content=json.dumps({"unexpected": True}))
        case "refusal":
            return Rendered(refusal=fault.text)
        case "duplicate_tool_ids":
            return _calls(ToolCall(offered[0], {}, "call_same"), ToolCall(offered[-1], {}, "call_same"))
        case "unknown_tool":
            return _calls(ToolCall("no_such_tool", {}))
        case "bad_tool_args":
            return _calls(ToolCall(offered[0], '{"query": '))
        case _:  # the transport makes the fault; the words are plain
            return Rendered(content=fault.text)
