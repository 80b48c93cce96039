"""Conversations as ChatGPT exports them: a mapping of nodes, each with a message, in the shape of a tree.

The format is nowhere published; this reads what exports of 2023 to 2026 hold, and says what it does not know.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from context.truth import MessageRole
from resources.chats.plain_values import as_list, as_map, as_text
from resources.chats.reasons import Reason
from resources.chats.tree import Attachment, Draft, Tree, TreeNode, time_of

MARK = "mapping"
"""The key that tells such a conversation from others."""
_ROLES = {"user": MessageRole.USER, "assistant": MessageRole.ASSISTANT, "tool": MessageRole.TOOL}
_HIDDEN = "is_visually_hidden_from_conversation"
_NOT_SAID = frozenset({"user_editable_context", "model_editable_context", "thoughts", "reasoning_recap"})
"""Instructions and thoughts: part of no dialogue."""
_POINTER = re.compile(r"(?:[a-z][a-z-]*://)?([A-Za-z0-9_-]+)")
_TO_ALL = ("", "all")


def read_tree(value: Mapping[str, Any], zone: ZoneInfo) -> Tree:
    """One conversation of the list; whatever in it is of another form than expected counts as missing.

    Args:
        zone: of times without an offset.
    """
    mapping = as_map(value.get(MARK))
    told = {as_text(child): key for key, node in mapping.items() for child in as_list(as_map(node).get("children"))}
    strange: Counter[str] = Counter()
    nodes = [
        TreeNode(
            node_id=key,
            parent=as_text(as_map(node).get("parent")) or told.get(key),
            draft=_draft(as_map(as_map(node).get("message")), key, zone, strange),
        )
        for key, node in mapping.items()
    ]
    roles = strange.pop("", 0)
    return Tree(
        given=as_text(value.get("conversation_id")) or as_text(value.get("id")),
        title=as_text(value.get("title")),
        began=time_of(value.get("create_time"), zone) or time_of(value.get("update_time"), zone),
        current=as_text(value.get("current_node")) or None,
        nodes=nodes,
        reasons=(
            *([Reason.of("unknown_roles", count=roles)] if roles else []),
            *(
                [Reason.of("unread_content", count=strange.total(), kinds=", ".join(sorted(strange)))]
                if strange
                else []
            ),
        ),
    )


def _draft(message: Mapping[str, Any], node_id: str, zone: ZoneInfo, strange: Counter[str]) -> Draft | None:
    """What a node says; None when it shows nothing. What is not understood is counted, by its type."""
    author, metadata, content = (as_map(message.get(key)) for key in ("author", "metadata", "content"))
    kind = as_text(content.get("content_type"))
    named = as_text(author.get("role"))
    if not message or named == "system" or metadata.get(_HIDDEN) or kind in _NOT_SAID:
        return None
    role = _ROLES.get(named)
    if role is None:
        strange[""] += 1
        return None
    attachments = _attachments(metadata, content)
    words = _words(kind, content)
    if words is None and not attachments:
        strange[re.sub(r"\W", "", kind)[:40] or "?"] += 1
        return None
    if not (words or "").strip() and not attachments:
        return None
    recipient = as_text(message.get("recipient"))
    tool: dict[str, Any] = {}
    if role is MessageRole.TOOL:
        tool = {"name": as_text(author.get("name"))}
    elif role is MessageRole.ASSISTANT and recipient not in _TO_ALL:
        tool = {"calls": [{"id": node_id, "name": recipient, "args": {}}]}
    return Draft(
        role=role,
        content=words or "",
        sent_at=time_of(message.get("create_time"), zone) or time_of(message.get("update_time"), zone),
        tool=tool,
        attachments=attachments,
    )


def _words(kind: str, content: Mapping[str, Any]) -> str | None:
    """The words of a content; None when it is of a type that holds none we know of."""
    if kind == "code":
        language, text = as_text(content.get("language")), as_text(content.get("text"))
        return f"```{language}\n{text}\n```" if language not in ("", "unknown") else text
    parts = content.get("parts")
    if isinstance(parts, list):
        return "\n".join(filter(None, (as_text(part) or as_text(as_map(part).get("text")) for part in parts)))
    told = [as_text(content.get(key)) for key in ("title", "url", "text", "result")]
    return "\n".join(filter(None, told)) if any(key in content for key in ("text", "result")) else None


def _attachments(metadata: Mapping[str, Any], content: Mapping[str, Any]) -> tuple[Attachment, ...]:
    """The files of a message, each once: those it shows, and those that were sent with it."""
    sent = {_identity(one.get("id")): one for one in map(as_map, as_list(metadata.get("attachments")))}
    identities = [_identity(found) for part in as_list(content.get("parts")) for found in _pointers(part)]
    return tuple(
        Attachment(
            name=as_text(sent.get(identity, {}).get("name")) or identity,
            mime=as_text(sent.get(identity, {}).get("mime_type")),
            pointer=identity,
        )
        for identity in dict.fromkeys([*identities, *sent])
        if identity
    )


def _pointers(part: object) -> Iterator[object]:
    """Where a part points to: itself, or the sound and the film inside it."""
    inner = as_map(part)
    yield inner.get("asset_pointer")
    for key in ("audio_asset_pointer", "video_container_asset_pointer"):
        yield as_map(inner.get(key)).get("asset_pointer")


def _identity(pointer: object) -> str:
    """`file-service://file-AbC` and `sediment://file_01?x` as the ids that names of files begin with."""
    found = _POINTER.match(as_text(pointer))
    return found[1] if found else ""
