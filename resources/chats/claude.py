"""Conversations as Claude exports them: a list of messages, each with blocks of text, tool calls and tool results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from context.truth import MessageRole
from resources.chats.plain_values import as_list, as_map, as_text
from resources.chats.reasons import Reason
from resources.chats.tree import Attachment, Draft, Tree, TreeNode, time_of

MARK = "chat_messages"
"""The key that tells such a conversation from others."""
_ROLES = {"human": MessageRole.USER, "assistant": MessageRole.ASSISTANT}
_NOT_SAID = frozenset({"thinking", "redacted_thinking", "token_budget", "flag"})


def read_tree(value: Mapping[str, Any], zone: ZoneInfo) -> Tree:
    """One conversation of the list; whatever in it is of another form than expected counts as missing.

    An answer during which tools were used becomes several messages: what was said and asked for, what a tool gave
    back, what was said then. Exports without parents tell a conversation in its order.

    Args:
        zone: of times without an offset.
    """
    strange: Counter[str] = Counter()
    parents: dict[str, str] = {}
    spoken: dict[str, list[Draft | None]] = {}
    doubles = 0
    for place, message in enumerate(map(as_map, as_list(value.get(MARK)))):
        identity = as_text(message.get("uuid")) or f"#{place}"
        if identity in spoken:
            doubles += 1
            continue
        spoken[identity] = [*_drafts(message, zone, strange)] or [None]
        parents[identity] = as_text(message.get("parent_message_uuid"))
    if not any(parents.values()):
        parents = dict(zip(spoken, ["", *spoken], strict=False))
    ends = {identity: _node_id(identity, len(drafts) - 1) for identity, drafts in spoken.items()}
    nodes = [
        TreeNode(
            node_id=_node_id(identity, number),
            parent=_node_id(identity, number - 1) if number else ends.get(parents[identity]),
            draft=draft,
        )
        for identity, drafts in spoken.items()
        for number, draft in enumerate(drafts)
    ]
    roles = strange.pop("", 0)
    return Tree(
        given=as_text(value.get("uuid")),
        title=as_text(value.get("name")),
        began=time_of(value.get("created_at"), zone) or time_of(value.get("updated_at"), zone),
        current=ends.get(as_text(value.get("current_leaf_message_uuid"))),
        nodes=nodes,
        reasons=(
            *([Reason.of("duplicates", count=doubles)] if doubles else []),
            *([Reason.of("unknown_roles", count=roles)] if roles else []),
            *(
                [Reason.of("unread_content", count=strange.total(), kinds=", ".join(sorted(strange)))]
                if strange
                else []
            ),
        ),
    )


def _node_id(identity: str, number: int) -> str:
    """The id of one of the messages that a message becomes."""
    return f"{identity}/{number}" if number else identity


def _drafts(message: Mapping[str, Any], zone: ZoneInfo, strange: Counter[str]) -> list[Draft]:
    """What a message becomes, in order; nothing when it shows nothing. What is not understood is counted by type."""
    role = _ROLES.get(as_text(message.get("sender")))
    if role is None:
        strange[""] += 1
        return []
    sent_at = time_of(message.get("created_at"), zone) or time_of(message.get("updated_at"), zone)
    found: list[Draft] = []
    words: list[str] = []
    calls: list[dict[str, Any]] = []
    attachments = _attachments(message)

    def speak() -> None:
        content = "\n\n".join(words)
        hanging = () if found else attachments
        if content.strip() or calls or hanging:
            tool = {"calls": list(calls)} if calls else {}
            found.append(Draft(role=role, content=content, sent_at=sent_at, tool=tool, attachments=hanging))
        words.clear()
        calls.clear()

    blocks = [as_map(block) for block in as_list(message.get("content"))]
    if not any(block.get("type") in ("text", "tool_use", "tool_result") for block in blocks):
        words.append(as_text(message.get("text")))
    for block in blocks:
        kind = as_text(block.get("type"))
        if kind == "text":
            words += filter(None, [as_text(block.get("text"))])
        elif kind == "tool_use":
            call = {"id": as_text(block.get("id")), "name": as_text(block.get("name"))}
            calls.append({**call, "args": dict(as_map(block.get("input")))})
        elif kind == "tool_result":
            speak()
            found += _result(block, sent_at)
        elif kind not in _NOT_SAID:
            strange[re.sub(r"\W", "", kind)[:40] or "?"] += 1
    speak()
    return found


def _result(block: Mapping[str, Any], sent_at: Any) -> list[Draft]:
    """What a tool gave back, if it can be read."""
    content = block.get("content")
    parts = [{"text": content}] if isinstance(content, str) else map(as_map, as_list(content))
    told = [as_text(part.get(key)) for part in parts for key in ("title", "url", "text")]
    text = "\n".join(filter(None, told))
    status = "error" if block.get("is_error") is True else "success"
    tool = {"name": as_text(block.get("name")), "call_id": as_text(block.get("tool_use_id")), "status": status}
    return [Draft(role=MessageRole.TOOL, content=text, sent_at=sent_at, tool=tool)] if text.strip() else []


def _attachments(message: Mapping[str, Any]) -> tuple[Attachment, ...]:
    """The files of a message: of some the export holds the text, of others the name alone."""
    found = []
    for one in map(as_map, as_list(message.get("attachments"))):
        text = as_text(one.get("extracted_content"))
        found.append(
            Attachment(name=as_text(one.get("file_name")), mime="text/plain" if text else "", text=text or None)
        )
    for one in map(as_map, as_list(message.get("files"))):
        found.append(Attachment(name=as_text(one.get("file_name")), pointer=as_text(one.get("file_uuid"))))
    return tuple(found)
