"""The end of a turn: answer, trace and a due commit in one transaction, written only while the lease is ours."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid5

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage

from context.errors import ConflictError
from context.scope import Scope
from context.truth import ChatMessage, MessageRole, MessageState
from context.types import MemoryPolicy
from memory import archive
from nodes.parts import ChatParts
from nodes.turn import Turn, pin_of
from storage import jobs, sessions, traces
from storage.traces import Trace

_CITATION = re.compile(r"\[(\d{1,3})\]")


async def close(parts: ChatParts, scope: Scope, state: Mapping[str, Any]) -> dict[str, Any]:
    """Store a turn's messages and its trace, and free the lease.

    Raises:
        ConflictError: the lease was lost; nothing is written.
    """
    turn = Turn.of(state)
    own = since_question(state["messages"])
    answer = state.get("answer", {})
    final = own[-1] if own and isinstance(own[-1], AIMessage) else AIMessage(content="")
    cited = citations(str(final.text), answer.get("entries", []))
    used = sorted({row["uri"] for row in cited} | set(state.get("used", [])))
    body = {
        "intent": {"task_type": state["plan"].get("task_type"), "source": state["plan"].get("source")},
        "queries": [_query(query) for query in state["plan"].get("queries", [])],
        "matches": [{k: v for k, v in match.items() if k != "words"} for match in state.get("matches", [])],
        "trajectory": list(state.get("trajectory", [])),
        "tier": state["selection"].get("tier"),
        "reason": re.sub(r"\(.*\)", "", state["selection"].get("reason", "")).strip(),
        "ledger": [dict(row) for row in state["selection"].get("ledger", [])],
        "injected": [entry["uri"] for entry in answer.get("entries", [])],
        "budget": answer.get("budget", {}),
        "degradations": list(state.get("degradations", [])),
        "tools": _calls(own),
        "citations": [{key: row[key] for key in ("n", "uri", "digest")} for row in cited],  # no title: names go
        "used": used,
        "skills_used": sorted(set(state.get("skills_used", []))),
        "model": parts.model_name,
        "prompts": parts.prompts.digest,
        "answer_digest": _digest(str(final.text)),
        "milliseconds": round((parts.now() - turn.began).total_seconds() * 1000),
    }
    trace = Trace(trace_id=turn.trace_id, session_id=turn.session_id, run_id=turn.run_id, pin=pin_of(state), body=body)
    async with parts.database.transaction(scope) as tx:
        session = await sessions.get(tx, turn.session_id, lock=True)
        if not await sessions.free_turn(tx, turn.lease):
            raise ConflictError(
                "Another turn took over this session; this answer was not stored.",
                zh="会话已被另一轮对话接管，这个回答没有保存。",
            )
        stored = await sessions.append(tx, turn.session_id, to_truth(own, turn, parts))
        await traces.put(tx, trace)
        last = stored[-1].seq if stored else session.last_seq
        due = parts.limits.commit_after_messages
        if due and last - session.committed_seq >= due and session.policy is MemoryPolicy.NORMAL:
            commit = await archive.claim(tx, turn.session_id, settings=parts.archive)
            if commit is not None:
                await jobs.defer(tx, jobs.COMMIT, lock=f"session:{turn.session_id}", commit_id=commit.commit_id)
    usage = dict(final.usage_metadata or {})
    return {
        "trace_id": str(turn.trace_id),
        "message_id": answer.get("message_id", ""),
        "citations": cited,
        "used": used,
        "tools": body["tools"],
        "usage": usage,
        "model": parts.model_name,
        "offline": parts.offline,
        "incomplete": bool(final.additional_kwargs.get("incomplete")),
        "budget": answer.get("budget", {}),
        "milliseconds": body["milliseconds"],
    }


def since_question(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """This turn's own messages: everything after the newest user message."""
    own: list[AnyMessage] = []
    for message in reversed(messages):
        if message.type == "human":
            break
        own.insert(0, message)
    return own


def citations(text: str, entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The `[n]` of an answer that name an injected entry, each once; others are not citations."""
    by_number = {entry["n"]: entry for entry in entries}
    numbers = dict.fromkeys(int(found) for found in _CITATION.findall(text))
    return [
        {"n": n, "uri": by_number[n]["uri"], "source_ref": by_number[n]["source"], "digest": by_number[n]["digest"]}
        for n in numbers
        if n in by_number
    ]


def to_truth(own: Sequence[AnyMessage], turn: Turn, parts: ChatParts) -> list[ChatMessage]:
    """A turn's messages as truth, in order, each with an id that a second attempt makes again."""
    kept: list[ChatMessage] = []
    now = parts.now()
    for place, message in enumerate(own):
        last = place == len(own) - 1
        name = "answer" if last else f"step:{place}"
        common: dict[str, Any] = {
            "message_id": uuid5(turn.turn_id, name),
            "content": str(message.text),
            "sent_at": now + timedelta(microseconds=place),
            "zone": str(now.tzinfo),
            "run_id": turn.run_id,
            "turn_id": turn.turn_id,
            "parent_id": kept[-1].message_id if kept else turn.message_id,
        }
        if isinstance(message, ToolMessage):
            tool = {"call_id": message.tool_call_id, "name": message.name, "status": message.status}
            kept.append(ChatMessage(role=MessageRole.TOOL, tool=tool, **common))
        else:
            calls = message.tool_calls if isinstance(message, AIMessage) else []
            incomplete = bool(message.additional_kwargs.get("incomplete"))
            kept.append(
                ChatMessage(
                    role=MessageRole.ASSISTANT,
                    tool=_tool(calls, recited=parts.offline),
                    state=MessageState.INCOMPLETE if incomplete else MessageState.COMPLETE,
                    **common,
                )
            )
    return kept


def _tool(calls: Sequence[ToolCall], *, recited: bool) -> dict[str, Any]:
    """What truth keeps beside an assistant's words: its calls, and whether the words only recite what was found."""
    made = [{"id": c["id"], "name": c["name"], "args": c["args"]} for c in calls]
    return {**({"calls": made} if made else {}), **({"recited": True} if recited else {})}


def _calls(own: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """Tool calls by name and digests; never their text."""
    results = {m.tool_call_id: m for m in own if isinstance(m, ToolMessage)}
    found = []
    for message in own:
        for call in message.tool_calls if isinstance(message, AIMessage) else []:
            result = results.get(call["id"] or "")
            found.append(
                {
                    "name": call["name"],
                    "args_digest": _digest(repr(sorted(call["args"].items()))),
                    "result_digest": _digest(str(result.text)) if result else None,
                    "status": result.status if result else "error",
                }
            )
    return found


def _query(query: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: query[key] for key in ("context_type", "priority")}
    return {**kept, "digest": _digest(query["query"])}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
