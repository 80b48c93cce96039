"""ContextUri: the address of everything that retrieval can find.

    pm://user/<user>/notes/<note id>                 a note            (container)
    pm://user/<user>/notes/<note id>/<ordinal>       a chunk of it     (leaf)
    pm://user/<user>/assets/<asset id>[/<ordinal>]   a file, a chunk of its text
    pm://user/<user>/folders/<path>                  a folder of notes (container)
    pm://user/<user>/sessions/<session id>           a chat            (container)
    pm://user/<user>/sessions/<session id>/stages/<first seq>    an archived stage (container)
    pm://user/<user>/sessions/<session id>/messages/<seq>        a message         (leaf)
    pm://user/<user>/memories/<TYPE>[/<memory id>]   a memory category, a memory
    pm://agent/<agent>/memories/<TYPE>[/<memory id>] the same, distilled for one agent
    pm://system|tenant|agent/<owner>/skills/<name>   a skill

Segments are percent-encoded, so a `/` inside an id never opens a new level. Addresses of notes do not hold their
folder: a note keeps its address when it moves (its parent changes).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote
from uuid import UUID

from context.errors import InvalidInputError
from context.types import MemoryType, SpaceType

_SCHEME = "pm://"
_SAFE = "~!$'()+,;=:@"  # the sub-delims of RFC 3986 that are safe in a segment, without `&` and `*`
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class ContextUri:
    """A parsed address: its space and its decoded segments (the first names the owner)."""

    space: SpaceType
    segments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{_SCHEME}{self.space.lower()}/" + "/".join(quote(s, safe=_SAFE) for s in self.segments)

    @property
    def owner(self) -> str:
        """The user, agent, tenant, or `system`."""
        return self.segments[0]

    def child(self, *segments: str) -> ContextUri:
        """The address below this one; each argument is one segment."""
        return ContextUri(self.space, (*self.segments, *segments))

    @classmethod
    def parse(cls, text: str) -> ContextUri:
        """Read an address.

        Raises:
            InvalidInputError: it is not one of ours; `.`/`..`, empty segments and broken escapes are refused.
        """
        problem = InvalidInputError(f"Not a context address: {text[:120]!r}", hint="pm://<space>/<owner>/...")
        if not text.startswith(_SCHEME) or len(text) > 4096 or _BAD_ESCAPE.search(text):
            raise problem
        space_name, _, rest = text[len(_SCHEME) :].partition("/")
        try:
            space = SpaceType(space_name.upper())
            segments = tuple(unquote(part, errors="strict") for part in rest.split("/"))
        except (ValueError, UnicodeDecodeError):
            raise problem from None
        if not all(segments) or any(s in (".", "..") or "\x00" in s for s in segments):
            raise problem
        return cls(space, segments)


def user_root(user: str) -> ContextUri:
    """The root of everything one user owns."""
    return ContextUri(SpaceType.USER, (user,))


def agent_root(agent: str) -> ContextUri:
    """The root of what was distilled for one agent."""
    return ContextUri(SpaceType.AGENT, (agent,))


def folder_uri(user: str, folder: str) -> ContextUri:
    """A folder of notes; `folder` is a `/`-separated path, empty for the root folder."""
    return user_root(user).child("folders", *[part for part in folder.split("/") if part])


def note_uri(user: str, note: UUID) -> ContextUri:
    """A note."""
    return user_root(user).child("notes", str(note))


def asset_uri(user: str, asset: UUID) -> ContextUri:
    """A file."""
    return user_root(user).child("assets", str(asset))


def session_uri(user: str, session: UUID) -> ContextUri:
    """A chat session."""
    return user_root(user).child("sessions", str(session))


def stage_uri(user: str, session: UUID, first_seq: int) -> ContextUri:
    """An archived stage of a session, named by its first message."""
    return session_uri(user, session).child("stages", str(first_seq))


def message_uri(user: str, session: UUID, seq: int) -> ContextUri:
    """One message of a session."""
    return session_uri(user, session).child("messages", str(seq))


def memory_type_uri(owner: str, memory_type: MemoryType) -> ContextUri:
    """A category of memories; `owner` is the user, or the agent for agent types."""
    root = user_root(owner) if memory_type.space is SpaceType.USER else agent_root(owner)
    return root.child("memories", memory_type.value)


def memory_uri(owner: str, memory_type: MemoryType, memory: UUID) -> ContextUri:
    """One memory."""
    return memory_type_uri(owner, memory_type).child(str(memory))
