"""Derived values: all of it can be rebuilt from truth (model outputs are kept, so no model is asked twice)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from context.types import (
    ContextLevel,
    ContextType,
    KnowledgeLayer,
    Language,
    MemoryType,
    ProjectionStatus,
    SourceType,
    SpaceType,
    Status,
    Visibility,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A verbatim piece of a text: the unit of Tier-2.

    Attributes:
        chunk_id: hash(record id, content digest, ordinal), 32 bytes.
        text: verbatim, at most 1500 characters; never rewritten.
        first_line, last_line: 1-based lines of the source, both inclusive.
        heading: path of the headings above it, joined with ` / `; empty at the top.
        ordinal, count: its place among the chunks of its record, and how many there are.
    """

    chunk_id: bytes
    text: str
    first_line: int
    last_line: int
    heading: str
    ordinal: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextNode:
    """A node of the catalogue. Fields are added, never removed.

    A container (root, folder, note, chat, stage, memory type) is level 1 and carries L0 and L1 as texts; a chunk,
    a message or a memory is a level-2 leaf.
    """

    uri: str
    parent_uri: str | None
    level: ContextLevel
    is_leaf: bool
    context_type: ContextType
    space: SpaceType
    layer: KnowledgeLayer
    source_type: SourceType | None
    source_id: str
    abstract: str
    digest: bytes
    status: Status = Status.CURRENT
    visibility: Visibility = Visibility.PRIVATE
    agent: str = ""
    session_id: UUID | None = None
    record_id: UUID | None = None
    ordinal: int = 0
    count: int = 1
    lines: tuple[int, int] | None = None
    """1-based first and last line in the source, both inclusive."""
    source_name: str = ""
    """What a citation shows before the colon: a path or a title."""
    title: str = ""
    overview: str | None = None
    body: str | None = None
    speaker: str | None = None
    pos: int = 0
    """Place among the owner's dialogue turns; gaps of 4 at stage starts keep windows inside a stage. 0: no turn."""
    norm: float = 1.0
    """Length of the window-weighted vector of a turn, so that cos(q, window) needs only raw vectors."""
    prior: float = 0.0
    length: int = 0
    """Number of lexical terms, for BM25's length term."""
    happened_at: datetime | None = None
    written_by: str = "rule"
    """Who made abstract and overview: `rule`, or the name of a model."""
    vid: int = 0
    """Version id, given by the database."""
    born: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Material projected from one source. Its texts live on its catalogue nodes."""

    resource_id: UUID
    resource_type: str
    source_type: SourceType
    source_id: str
    space: SpaceType
    visibility: Visibility
    uri: str
    title: str
    digest: bytes
    projection_status: ProjectionStatus
    reason: str | None = None
    session_id: UUID | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where a memory comes from, verbatim.

    Attributes:
        source_uri: address of the message or note.
        message_id: of the message, if it was one.
        lines: 1-based inclusive lines, if it was a note.
        quote: words found, character by character, in that source.
        statement: the candidate's own sentence, kept so that a memory can be merged again when one source goes.
        source_name: what people know the source by, where it is still there; filled when it is read.
    """

    source_uri: str
    quote: str
    statement: str
    message_id: UUID | None = None
    lines: tuple[int, int] | None = None
    captured_at: datetime | None = None
    source_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that extraction proposes and dedup decides on.

    Attributes:
        memory_type: one of the eight types.
        abstract: L0, one sentence, in the language of the user's own sentence.
        overview: L1, structured text; may equal the abstract for a short fact.
        subject: whom or what it is about: `user` for the speaker, else a name, byte-equal to the source.
        facet: what aspect it fixes, lower case and stable (`diet`, `answer_style`, `employer`); part of the merge key.
        evidence: at least one.
        event_time: when it happened, if it says so; `mention_time`: when it was said.
        negated: the statement ends something ("I no longer eat spicy food"): it supersedes its positive.
        source: `rule` or the model's name.
    """

    memory_type: MemoryType
    abstract: str
    overview: str
    subject: str
    facet: str
    language: Language
    evidence: tuple[Evidence, ...]
    event_time: datetime | None = None
    mention_time: datetime | None = None
    negated: bool = False
    confidence: float = 0.5
    source: str = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord:
    """One version of a memory."""

    memory_id: UUID
    version: int
    memory_type: MemoryType
    merge_key: str
    status: Status
    layer: KnowledgeLayer
    abstract: str
    overview: str
    content: str
    confidence: float
    subject: str
    facet: str
    language: Language
    agent: str = ""
    speaker: str | None = None
    event_time: datetime | None = None
    mention_time: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: UUID | None = None
    commit_id: UUID | None = None
    last_validated_at: datetime | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)
    pinned: bool = False
    needs_merge: bool = False
    reason: str | None = None
    born: int = 0
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What one answer was read as of: one snapshot for every leg and every tier.

    Attributes:
        miv: memory index version of the user's own rows; `shared_miv` of the tenant's shared rows.
        seq: last message of the session that existed.
        skills: digest of the skills catalogue; `engine`: identity of the embedder.
    """

    miv: int
    shared_miv: int
    seq: int
    skills: str
    engine: str

    def __str__(self) -> str:
        return f"miv={self.miv};shared={self.shared_miv};seq={self.seq};skills={self.skills};engine={self.engine}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Degradation:
    """A leg that is missing or failed while the rest went on. Always shown, in the user's language.

    Attributes:
        leg: `semantic`, `skills`, `resources`, `memories`, `session`, `intent`, `model`, `rerank`, `tier0`.
        code: a stable name such as `embedder_missing`; the messages for both languages are found by it.
        detail: facts for the operator, without user text.
    """

    leg: str
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineIdentity:
    """What makes two vectors comparable: model, dimension and normalisation. Part of every vector's key."""

    model: str
    dimension: int
    normalised: bool = True

    def __str__(self) -> str:
        return f"{self.model}/{self.dimension}/{'unit' if self.normalised else 'raw'}"
