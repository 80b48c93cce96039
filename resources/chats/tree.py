"""A conversation of an archive as a tree of messages, brought into the one order in which they are stored.

A message comes after the one it answers. Where people edited a question or had an answer made again, the branches
that were left come first and the one they stayed on last, so that the end of the session is what they saw last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import NAMESPACE_URL, UUID, uuid5
from zoneinfo import ZoneInfo

from context.characters import safe_end
from context.condense import cut, one_line
from context.text import clean
from context.truth import SIDE_BRANCH, ChatMessage, MessageRole
from resources.chats.branches import Branches
from resources.chats.files import shown
from resources.chats.reasons import Reason

Kind = Literal["chatgpt", "claude"]
"""Whose archive it is."""

_YEARS = range(1900, 2200)
_MILLISECONDS_FROM = 1e11
_TITLE = 200
_GLIMPSE = 2_000
_NUMBER = re.compile(r"-?\d+(\.\d+)?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that hangs on a message: its text, or the id by which the archive holds it (empty: it does not)."""

    name: str
    mime: str = ""
    text: str | None = None
    pointer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a message says, before its place is known."""

    role: MessageRole
    content: str
    sent_at: datetime | None
    tool: Mapping[str, Any] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNode:
    """A place in the tree; one without a draft shows nothing and only holds others."""

    node_id: str
    parent: str | None
    draft: Draft | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A conversation as its archive tells it.

    Attributes:
        given: its id there; empty if it has none, and is then known by its first message.
        current: id of the node people saw last, if it is told.
    """

    given: str
    title: str
    began: datetime | None
    current: str | None
    nodes: Sequence[TreeNode]
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedFile:
    """An attachment that has an id of its own, the same in every import."""

    asset_id: UUID
    attachment: Attachment


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedMessage:
    """A message and the files that hang on it."""

    message: ChatMessage
    files: tuple[ArchivedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation ready to be stored, its messages in order, and what was changed or left out on the way."""

    number: int
    given: str
    session_id: UUID
    title: str
    messages: tuple[ArchivedMessage, ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadConversation:
    """A place in the archive where no conversation could be read, and why."""

    number: int
    given: str
    reason: Reason


def session_id_of(kind: Kind, given: str) -> UUID:
    """The id of the session that a conversation becomes; another one for each kind of archive."""
    return uuid5(NAMESPACE_URL, f"pocketmind:chat:{kind}:{given}")


def message_id_of(session_id: UUID, node_id: str) -> UUID:
    """The id of a message: of its session, and of its id in the archive."""
    return uuid5(session_id, f"id:{node_id}")


def time_of(value: object, zone: ZoneInfo) -> datetime | None:
    """The time that an archive tells: seconds or milliseconds since 1970, or ISO 8601; None if it tells none.

    Args:
        zone: of a time without an offset.
    """
    if isinstance(value, str) and _NUMBER.match(value):
        value = float(value)
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value.strip())
            found = found if found.tzinfo else found.replace(tzinfo=zone)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
            found = datetime.fromtimestamp(seconds, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.year in _YEARS else None


def settled(
    tree: Tree, *, number: int, kind: Kind, zone: ZoneInfo, most_bytes: int, undated: datetime
) -> Conversation | BadConversation:
    """A conversation with its messages in order, each with its id, its parent and its time. Pure.

    Args:
        zone: IANA zone of the messages.
        most_bytes: of one message; of a longer one the beginning is kept, and the whole as a file.
        undated: the time of messages before which no time is told at all.
    """
    drafts = {node.node_id: node.draft for node in tree.nodes}
    branches = Branches({node.node_id: node.parent for node in tree.nodes})
    path = branches.path_to(tree.current if tree.current in drafts else _last_leaf(branches, drafts))
    given = tree.given or next((node_id for node_id, _ in branches.in_order() if drafts[node_id]), "")
    placing = _Placing(session_id_of(kind, given), zone=zone, most_bytes=most_bytes, first=tree.began or undated)
    for node_id, parent in branches.in_order(last=path):
        placing.place(node_id, parent, drafts[node_id], side=node_id not in path)
    if not placing.placed:
        return BadConversation(number=number, given=given, reason=Reason.of("no_messages"))
    counted = [("loop", branches.loops), *placing.counts.items()]
    return Conversation(
        number=number,
        given=given,
        session_id=placing.session_id,
        title=cut(one_line(clean(tree.title).text), _TITLE),
        messages=tuple(placing.placed),
        reasons=(*tree.reasons, *(Reason.of(code, count=count) for code, count in counted if count)),
    )


def _last_leaf(branches: Branches, drafts: Mapping[str, Draft | None]) -> str | None:
    """Where a conversation ends that does not say it: below what was written last; of equals what is told last."""
    written: dict[str | None, tuple[datetime, int]] = {None: (datetime.min.replace(tzinfo=UTC), 0)}
    for node_id, parent in branches.in_order():
        draft, (when, number) = drafts[node_id], written[parent]
        written[node_id] = (draft.sent_at or when, number + 1) if draft else (when, number)
    leaves = [node_id for node_id in drafts if branches.is_leaf(node_id)]
    return max(reversed(leaves), key=lambda leaf: written[leaf], default=None)


class _Placing:
    """Messages placed one after the other, parents first."""

    def __init__(self, session_id: UUID, *, zone: ZoneInfo, most_bytes: int, first: datetime) -> None:
        self.session_id = session_id
        self.placed: list[ArchivedMessage] = []
        self.counts = {"replaced": 0, "undated": 0, "long_messages": 0}
        self._zone = zone
        self._most_bytes = most_bytes
        self._first = first
        self._above: dict[str, ChatMessage | None] = {}  # the nearest message at or above a node

    def place(self, node_id: str, parent: str | None, draft: Draft | None, *, side: bool) -> None:
        """Place a node below its parent, which has been placed, or at the top."""
        before = self._above[parent] if parent is not None else None
        self._above[node_id] = before
        if draft is None:
            return
        cleaned = clean(draft.content)
        tool, replaced = _plain({**draft.tool, **({"branch": SIDE_BRANCH} if side else {})})
        self.counts["replaced"] += cleaned.replaced + replaced
        content, attachments = cleaned.text, draft.attachments
        if len(content) * 4 > self._most_bytes and len(content.encode()) > self._most_bytes:
            self.counts["long_messages"] += 1
            attachments = (Attachment(name="message.txt", mime="text/plain", text=content), *attachments)
            content = f"{content[: safe_end(content, _GLIMPSE)]}…\n{names_of(attachments[:1])}"
        elif not content.strip() and attachments:
            content = names_of(attachments)
        if draft.sent_at is None:
            self.counts["undated"] += 1
        message = ChatMessage(
            message_id=message_id_of(self.session_id, node_id),
            parent_id=before.message_id if before else None,
            role=draft.role,
            content=content,
            sent_at=draft.sent_at or (before.sent_at if before else self._first),
            tool=tool,
            zone=self._zone.key,
        )
        self._above[node_id] = message
        self.placed.append(ArchivedMessage(message=message, files=self._files(message, attachments)))

    def _files(self, message: ChatMessage, attachments: Sequence[Attachment]) -> tuple[ArchivedFile, ...]:
        """A file that the archive holds has one id in the whole conversation; a text belongs to its message."""
        found = []
        for place, one in enumerate(attachments):
            if one.text is not None:
                cleaned = clean(one.text)
                self.counts["replaced"] += cleaned.replaced
                one = replace(one, text=cleaned.text)
            owner, name = (self.session_id, one.pointer) if one.pointer else (message.message_id, str(place))
            found.append(ArchivedFile(asset_id=uuid5(owner, f"file:{name}"), attachment=one))
        return tuple(found)


def names_of(attachments: Sequence[Attachment]) -> str:
    """The line that stands for files where nothing was written."""
    return f"📎 {', '.join(shown(one.name) for one in attachments)}"


def _plain(value: Any) -> tuple[Any, int]:
    """JSON values with every text cleaned, and how many characters were replaced."""
    if isinstance(value, str):
        cleaned = clean(value)
        return cleaned.text, cleaned.replaced
    replaced = 0
    if isinstance(value, Mapping):
        made: dict[str, Any] = {}
        for key, inner in value.items():
            name, of_name = _plain(key)
            made[name], of_inner = _plain(inner)
            replaced += of_name + of_inner
        return made, replaced
    if isinstance(value, list | tuple):
        found = [_plain(inner) for inner in value]
        return [inner for inner, _ in found], sum(count for _, count in found)
    return value, 0
