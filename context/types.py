"""The closed vocabularies: type, level, layer, status, space, visibility, memory type, language."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Literal


class ContextType(StrEnum):
    """What kind of knowledge a query asks for and a node holds."""

    SKILL = "SKILL"
    RESOURCE = "RESOURCE"
    MEMORY = "MEMORY"


class ContextLevel(IntEnum):
    """How much of a thing is told. Never reversed: 0 is the shortest."""

    ABSTRACT = 0
    OVERVIEW = 1
    DETAIL = 2


class KnowledgeLayer(StrEnum):
    """Where knowledge comes from (the contract's five layers)."""

    USER = "user"
    PROJECT = "project"
    LOG = "log"
    REFLECTION = "reflection"
    WHITEBOARD = "whiteboard"


class Status(StrEnum):
    """Whether knowledge still holds."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class SpaceType(StrEnum):
    """Whose an object is."""

    SYSTEM = "SYSTEM"
    TENANT = "TENANT"
    AGENT = "AGENT"
    USER = "USER"
    SESSION = "SESSION"


class Visibility(StrEnum):
    """Who may see an object beside its owner."""

    PRIVATE = "PRIVATE"
    SESSION_ONLY = "SESSION_ONLY"
    TENANT_SHARED = "TENANT_SHARED"
    SYSTEM_SHARED = "SYSTEM_SHARED"


class SourceType(StrEnum):
    """What a resource was projected from."""

    NOTE_BODY = "NOTE_BODY"
    CHAT_TRANSCRIPT = "CHAT_TRANSCRIPT"
    CHAT_STAGE_SUMMARY = "CHAT_STAGE_SUMMARY"
    WEB_CLIP = "WEB_CLIP"
    MARKDOWN_IMPORT = "MARKDOWN_IMPORT"
    OCR_TEXT = "OCR_TEXT"
    PDF_TEXT = "PDF_TEXT"
    AUDIO_TRANSCRIPT = "AUDIO_TRANSCRIPT"
    ANALYSIS_RESULT = "ANALYSIS_RESULT"
    MEMORY = "MEMORY"


class ProjectionStatus(StrEnum):
    """How far a source's projection has come. `pending`: found by words, no vector yet."""

    PENDING = "pending"
    READY = "ready"
    FAILED = "failed"
    DELETED = "deleted"


class MemoryType(StrEnum):
    """The eight kinds of memory; the first four belong to the user, the rest to the agent."""

    PROFILE = "PROFILE"
    PREFERENCE = "PREFERENCE"
    ENTITY = "ENTITY"
    EVENT = "EVENT"
    CASE = "CASE"
    PATTERN = "PATTERN"
    TOOL_EXPERIENCE = "TOOL_EXPERIENCE"
    SKILL_EXECUTION = "SKILL_EXECUTION"

    @property
    def space(self) -> SpaceType:
        """USER for the first four, AGENT for the others."""
        return SpaceType.USER if self in USER_MEMORY_TYPES else SpaceType.AGENT

    @property
    def mergeable(self) -> bool:
        """EVENT and CASE are recorded independently; all others merge into one record per merge key."""
        return self not in (MemoryType.EVENT, MemoryType.CASE)


USER_MEMORY_TYPES = frozenset({MemoryType.PROFILE, MemoryType.PREFERENCE, MemoryType.ENTITY, MemoryType.EVENT})


class TaskType(StrEnum):
    """What a turn needs: operational (skill + resource + memory), informational (resource + memory), nothing."""

    OPERATIONAL = "operational"
    INFORMATIONAL = "informational"
    CONVERSATIONAL = "conversational"


class RefType(StrEnum):
    """Why one uri points to another."""

    USED = "used"
    EVIDENCE = "evidence"
    SUPERSEDES = "supersedes"
    LINKS = "links"
    ATTACHMENT = "attachment"


class MemoryPolicy(StrEnum):
    """What a session may do with memory: all, recall only, nothing (a temporary chat)."""

    NORMAL = "normal"
    READ_ONLY = "read_only"
    OFF = "off"


Language = Literal["zh", "en"]
