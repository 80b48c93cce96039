"""Truth: what a person made. Nothing that is derived ever replaces it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from context.types import MemoryPolicy


class NoteKind(StrEnum):
    """How a note came to be; decides its source type and its layer."""

    NOTE = "note"
    CLIP = "clip"
    IMPORT = "import"
    WHITEBOARD = "whiteboard"
    ANALYSIS = "analysis"
    """What an AI worked out and the user kept; of the layer `reflection`."""


SIDE_BRANCH = "side"
"""Value of `branch` in the `tool` of a message on a branch that the user has left."""


class MessageRole(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class MessageState(StrEnum):
    """Whether a message is whole. `incomplete`: the stream broke, or the turn's owner died."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note. `source_name` is what citations show (a path inside an imported folder, else the title)."""

    note_id: UUID
    title: str
    body: str
    kind: NoteKind = NoteKind.NOTE
    folder: str = ""
    tags: tuple[str, ...] = ()
    source_url: str | None = None
    source_name: str = ""
    pinned: bool = False
    revision: int = 1
    first_line: int = 1
    """Line of the source file on which `body` begins (after front matter), so that citations name real lines."""
    aliases: tuple[str, ...] = ()
    """Other names that links may call it by."""
    dated: datetime | None = None
    """The day it speaks of, where its author says so (front matter, a daily note's name)."""
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSession:
    """A chat as the user sees it. Its id is also the LangGraph thread id."""

    session_id: UUID
    title: str = ""
    agent: str = ""
    policy: MemoryPolicy = MemoryPolicy.NORMAL
    last_seq: int = 0
    committed_seq: int = 0
    overview: str = ""
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message. `seq` is its place in the session, given by the database; `parent_id` keeps branches."""

    message_id: UUID
    role: MessageRole
    content: str
    sent_at: datetime
    seq: int = 0
    parent_id: UUID | None = None
    tool: dict[str, Any] = field(default_factory=dict)
    """Of an assistant message its `calls`, and `recited` when it only quotes what was found (it holds no knowledge of
    its own and is not indexed); of a tool message its name and status."""
    state: MessageState = MessageState.COMPLETE
    speaker: str | None = None
    zone: str | None = None
    run_id: UUID | None = None
    turn_id: UUID | None = None

    @property
    def left_behind(self) -> bool:
        """Whether it lies on a branch that the user has left: kept and searched, but not part of the conversation."""
        return self.tool.get("branch") == SIDE_BRANCH


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file a person added: bytes live in the asset store under their digest.

    `source_name` is what citations show (its path inside an imported folder, else its name); `folder` is where it is
    filed; `owner_uri` is the note or message it hangs on, where it does.
    """

    asset_id: UUID
    digest: bytes
    mime: str
    name: str
    size: int
    folder: str = ""
    source_name: str = ""
    owner_uri: str | None = None
    added_at: datetime | None = None
