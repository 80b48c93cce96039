"""Exports of ChatGPT and Claude in small: conversations as their archives write them, and the zips around them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

BEGAN = 1_800_000_000.0
"""15 January 2027, 08:00 UTC."""
PICTURE = b"\x89PNG\r\n\x1a\n a picture"


def node(node_id: str, parent: str | None, role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    """A node of ChatGPT's mapping.

    Args:
        parts: of its content. `more`: content_type, metadata, name, create_time; anything else belongs to its content.
    """
    kind = more.pop("content_type", "text" if all(isinstance(part, str) for part in parts) else "multimodal_text")
    message = {
        "id": node_id,
        "author": {"role": role, "name": more.pop("name", None), "metadata": {}},
        "create_time": more.pop("create_time", BEGAN + len(node_id)),
        "metadata": more.pop("metadata", {}),
        "recipient": more.pop("recipient", "all"),
        "content": {"content_type": kind, **({"parts": list(parts)} if parts else {}), **more},
    }
    return {"id": node_id, "parent": parent, "children": [], "message": message}


def chatgpt(
    given: str, nodes: Sequence[Mapping[str, Any]], *, current: str | None = None, **more: Any
) -> dict[str, Any]:
    """A conversation of ChatGPT, with a root that shows nothing above nodes whose parent is `root`."""
    root: dict[str, Any] = {"id": "root", "parent": None, "children": [], "message": None}
    told = {"title": given, "create_time": BEGAN, "update_time": BEGAN, "conversation_id": given, **more}
    return {**told, "mapping": {"root": root, **{one["id"]: one for one in nodes}}, "current_node": current}


def said(uuid: str, sender: str, text: str = "", *, parent: str | None = None, **more: Any) -> dict[str, Any]:
    """A message of Claude."""
    above = {"parent_message_uuid": parent} if parent else {}
    blocks = more.pop("content", [{"type": "text", "text": text}])
    told = {"uuid": uuid, "text": text, "content": blocks, "sender": sender, "created_at": "2027-01-15T09:00:00Z"}
    return {**told, "attachments": [], "files": [], **above, **more}


def claude(given: str, messages: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """A conversation of Claude."""
    told = {"uuid": given, "name": given, "created_at": "2027-01-15T08:00:00Z", "updated_at": "2027-01-15T08:00:00Z"}
    return {**told, "account": {"uuid": "me"}, "chat_messages": list(messages), **more}


def zipped(members: Mapping[str, Any]) -> bytes:
    """A zip; a value that is no bytes is written as JSON."""
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return file.getvalue()


def branched(given: str = "branched") -> dict[str, Any]:
    """A question that was edited, an answer that was made again, a hidden message, a tool, and a picture.

    root - hidden - q1 - a1                      left: the question was edited
                  \\ q2 - a2                      left: the answer was made again
                       \\ a22 - t1 - a3 - p1      current
    """
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_00aB"}
    nodes = [
        node("hidden", "root", "user", "be brief", **hidden),
        node("a1", "q1", "assistant", "Paris."),
        node("q1", "hidden", "user", "I live in Lyon"),
        node("q2", "hidden", "user", "我住在巴黎"),
        node("a22", "q2", "assistant", "好的。"),
        node("a2", "q2", "assistant", "Noted."),
        node("t1", "a22", "tool", content_type="execution_output", text="42", name="python"),
        node("a3", "t1", "assistant", "It is 42."),
        node("p1", "a3", "user", picture),
    ]
    return chatgpt(given, nodes, current="p1", title="Where I live")
