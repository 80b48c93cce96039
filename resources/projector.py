"""The projector: a change of truth becomes material in the same transaction, so the next search finds it.

Rule-made only (L0, chunks, words, catalogue): no model and no embedder is asked here. Vectors follow by job.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, UUID, uuid5

from context.derived import ContextNode, Resource
from context.scope import Scope
from context.terms import term_counts
from context.text import abstract_of
from context.truth import ChatMessage, ChatSession, MessageRole, Note, NoteKind
from context.types import (
    ContextLevel,
    ContextType,
    KnowledgeLayer,
    ProjectionStatus,
    RefType,
    SourceType,
    SpaceType,
    Visibility,
)
from context.uri import ContextUri, folder_uri, message_uri, note_uri, session_uri, stage_uri, user_root
from resources.chunking import chunk_markdown
from resources.levels import overview_of
from storage import catalog, clock, events, jobs, memories, notes, refs, resources, traces
from storage.catalog import IndexedNode
from storage.database import Transaction
from storage.events import Event

_SOURCE_TYPES = {
    NoteKind.NOTE: SourceType.NOTE_BODY,
    NoteKind.WHITEBOARD: SourceType.NOTE_BODY,
    NoteKind.CLIP: SourceType.WEB_CLIP,
    NoteKind.IMPORT: SourceType.MARKDOWN_IMPORT,
}
# The window of the recipe reaches four turns back at the most, so a gap of four keeps it inside a stage.
_STAGE_GAP = 4
_ASKS = -0.057
_ANSWERS = 0.029


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What a deletion took with it."""

    memories_erased: int
    memories_poorer: int


class Projector:
    """Writes truth and its material together.

    Args:
        engine: identity of the embedder; a new owner's vectors will be of this engine.
    """

    def __init__(self, *, engine: str) -> None:
        self._engine = engine

    async def save_note(self, tx: Transaction, note: Note) -> notes.Stored:
        """Create or change a note and its material; the same content twice changes nothing."""
        known = await notes.digests(tx, [note.note_id])
        if known.get(note.note_id) == notes.content_digest(note):
            return notes.Stored(await notes.get(tx, note.note_id), changed=False)
        nodes = note_nodes(tx.scope, note)  # cut and tokenised before the clock is taken
        miv = await clock.advance(tx, engine=self._engine)  # and the clock before the note's row
        stored = await notes.put(tx, note)
        if not stored.changed:
            return stored
        await self._grow_tree(tx, _ancestors(tx.scope.user, nodes[0].node), miv=miv)
        await catalog.replace_source(tx, str(note.note_id), nodes, miv=miv)
        uri = nodes[0].node.uri
        await resources.put(
            tx,
            Resource(
                resource_id=resource_id(note.note_id),
                resource_type="import" if note.kind is NoteKind.IMPORT else "note",
                source_type=_SOURCE_TYPES[note.kind],
                source_id=str(note.note_id),
                space=SpaceType.USER,
                visibility=Visibility.PRIVATE,
                uri=uri,
                title=note.title,
                digest=notes.content_digest(note),
                projection_status=ProjectionStatus.PENDING,
            ),
        )
        changed = Event(kind="note.changed", uri=uri, digest=notes.content_digest(note))
        await events.put(tx, [changed, Event(kind="resource.projected", uri=uri)], miv=miv)
        await self.request_vectors(tx)
        return stored

    async def delete_note(self, tx: Transaction, note_id: UUID) -> Erased:
        """Delete a note with every version of its material, and the memories that nothing else supports.

        Raises:
            NotFoundError: unknown, or another owner's.
        """
        uri = str(note_uri(tx.scope.user, note_id))
        miv = await clock.advance(tx, engine=self._engine)
        await notes.delete(tx, note_id)
        orphans, poorer = await memories.forget_source(tx, uri)
        sources = [str(note_id), *[str(memory_id) for memory_id in orphans]]
        await catalog.erase_sources(tx, sources)
        await resources.erase(tx, sources)
        await traces.erase_model_outputs(tx, sources)
        await refs.erase(tx, [uri])
        await memories.bury(tx, uri)
        gone = [
            Event(kind="memory.erased", uri=str(memory_id), reason="last evidence deleted") for memory_id in orphans
        ]
        await events.put(tx, [Event(kind="note.deleted", uri=uri), *gone], miv=miv)
        return Erased(memories_erased=len(orphans), memories_poorer=len(poorer))

    async def archive_stage(
        self,
        tx: Transaction,
        session: ChatSession,
        messages: Sequence[ChatMessage],
        *,
        miv: int,
        visibility: Visibility,
    ) -> str:
        """Make a stage of a chat material: one container, one leaf a message. The address of the container.

        Args:
            messages: the stage, in order, not empty.
            visibility: PRIVATE lets the user find it from other sessions, SESSION_ONLY does not.
        """
        first = await clock.take_positions(tx, len(messages) + _STAGE_GAP)
        nodes = stage_nodes(tx.scope, session, messages, first_position=first, visibility=visibility)
        await self._grow_tree(tx, _ancestors(tx.scope.user, nodes[0].node), miv=miv)
        uri = nodes[0].node.uri
        source_id = nodes[0].node.source_id
        await catalog.replace_source(tx, source_id, nodes, miv=miv)
        await resources.put(
            tx,
            Resource(
                resource_id=resource_id(uri),
                resource_type="session",
                source_type=SourceType.CHAT_TRANSCRIPT,
                source_id=source_id,
                space=SpaceType.SESSION,
                visibility=visibility,
                uri=uri,
                title=session.title,
                digest=nodes[0].node.digest,
                projection_status=ProjectionStatus.PENDING,
                session_id=session.session_id,
            ),
        )
        await refs.put(tx, [(str(session_uri(tx.scope.user, session.session_id)), RefType.LINKS, uri)])
        await events.put(tx, [Event(kind="resource.projected", uri=uri)], miv=miv)
        await self.request_vectors(tx)
        return uri

    async def request_vectors(self, tx: Transaction) -> None:
        """Ask for vectors of whatever has none."""
        await jobs.defer(tx, jobs.EMBED, lock="embed")

    async def _grow_tree(self, tx: Transaction, wanted: Sequence[ContextNode], *, miv: int) -> None:
        have = await catalog.live_uris(tx, [node.uri for node in wanted])
        missing = [node for node in wanted if node.uri not in have]
        await catalog.insert(tx, [IndexedNode(node=node, terms=_words(node)) for node in missing], miv=miv)


def resource_id(source: UUID | str) -> UUID:
    """The id of a source's material: the same after every rebuild and every move."""
    return uuid5(NAMESPACE_URL, f"pocketmind:resource:{source}")


def note_nodes(scope: Scope, note: Note) -> list[IndexedNode]:
    """A note as nodes: the container first, then its chunks. Pure."""
    uri = note_uri(scope.user, note.note_id)
    title = note.title.strip() or abstract_of("", note.body, limit=60) or "(untitled)"
    name = note.source_name or title
    layer = KnowledgeLayer.WHITEBOARD if note.kind is NoteKind.WHITEBOARD else KnowledgeLayer.PROJECT
    abstract = abstract_of(title, note.body) or title
    overview = overview_of(title, note.body)
    container = ContextNode(
        uri=str(uri),
        parent_uri=str(folder_uri(scope.user, note.folder)),
        level=ContextLevel.OVERVIEW,
        is_leaf=False,
        context_type=ContextType.RESOURCE,
        space=SpaceType.USER,
        layer=layer,
        source_type=_SOURCE_TYPES[note.kind],
        source_id=str(note.note_id),
        source_name=name,
        record_id=note.note_id,
        title=title,
        abstract=abstract,
        overview=overview,
        digest=digest_of(title, abstract, overview or ""),
        happened_at=note.updated_at or datetime.now(UTC),
    )
    found = [IndexedNode(node=container, terms=term_counts(" ".join([title, *note.tags, abstract])))]
    for chunk in chunk_markdown(note.body, record_id=str(note.note_id), first_line=note.first_line):
        heading = f"{title} / {chunk.heading}" if chunk.heading else title
        words = term_counts(f"{heading}\n{' '.join(note.tags)}\n{chunk.text}")
        leaf = replace(
            container,
            uri=str(uri.child(str(chunk.ordinal))),
            parent_uri=str(uri),
            level=ContextLevel.DETAIL,
            is_leaf=True,
            title=heading,
            abstract=abstract_of("", chunk.text) or abstract,
            overview=None,
            body=chunk.text,
            digest=digest_of(chunk.text),
            ordinal=chunk.ordinal,
            count=chunk.count,
            lines=(chunk.first_line, chunk.last_line),
            length=sum(words.values()),
        )
        found.append(IndexedNode(node=leaf, terms=words))
    return found


def stage_nodes(
    scope: Scope,
    session: ChatSession,
    messages: Sequence[ChatMessage],
    *,
    first_position: int,
    visibility: Visibility,
) -> list[IndexedNode]:
    """A stage of a chat as nodes: the container first, then one leaf a message with words. Pure."""
    uri = stage_uri(scope.user, session.session_id, messages[0].seq)
    said = [message for message in messages if speaks(message)]
    transcript = "\n".join(message.content for message in said)
    title = session.title or abstract_of("", transcript, limit=60)
    abstract = abstract_of(title, transcript) or title or "(no words)"
    overview = overview_of(title, transcript)
    container = ContextNode(
        uri=str(uri),
        parent_uri=str(session_uri(scope.user, session.session_id)),
        level=ContextLevel.OVERVIEW,
        is_leaf=False,
        context_type=ContextType.RESOURCE,
        space=SpaceType.SESSION,
        layer=KnowledgeLayer.LOG,
        source_type=SourceType.CHAT_TRANSCRIPT,
        source_id=str(uri),
        source_name=title,
        visibility=visibility,
        session_id=session.session_id,
        title=title,
        abstract=abstract,
        overview=overview,
        digest=digest_of(title, abstract, overview or "", str(len(said))),
        record_id=resource_id(str(uri)),
        happened_at=messages[-1].sent_at,
    )
    found = [IndexedNode(node=container, terms=term_counts(f"{title} {abstract}"))]
    before: ChatMessage | None = None
    for place, message in enumerate(said):
        speaker = message.speaker or message.role.value
        words = term_counts(f"{message.speaker or ''} {message.content}")
        leaf = replace(
            container,
            uri=str(message_uri(scope.user, session.session_id, message.seq)),
            parent_uri=str(uri),
            level=ContextLevel.DETAIL,
            is_leaf=True,
            abstract=abstract_of("", message.content),
            overview=None,
            body=message.content,
            digest=digest_of(message.content),
            ordinal=message.seq,
            count=len(messages),
            lines=(message.seq, message.seq),
            speaker=speaker,
            pos=first_position + place,
            prior=turn_prior(message, before),
            length=sum(words.values()),
            happened_at=message.sent_at,
        )
        found.append(IndexedNode(node=leaf, terms=words))
        before = message
    return found


def speaks(message: ChatMessage) -> bool:
    """Whether a message can be found by its own words: not a tool's result, and not an answer that only recites what
    was found (its sources are found themselves; indexed, answers would soon quote answers)."""
    return bool(message.content.strip()) and message.role is not MessageRole.TOOL and not message.tool.get("recited")


def turn_prior(message: ChatMessage, before: ChatMessage | None) -> float:
    """P of the recipe: a question holds no fact, its answer comes next (constants: retrieval recipe, part 2)."""
    asks = _ASKS if message.content.rstrip().endswith(("?", "？")) else 0.0
    answers = _ANSWERS if before is not None and before.content.rstrip().endswith(("?", "？")) else 0.0
    return asks + answers


def digest_of(*parts: str) -> bytes:
    """32 bytes over the parts, in order."""
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()


def container_node(uri: ContextUri, parent: ContextUri | None, name: str, context_type: ContextType) -> ContextNode:
    """A container that only holds others: a root, a folder, a session, a kind of memory. It quotes no child."""
    return ContextNode(
        uri=str(uri),
        parent_uri=str(parent) if parent else None,
        level=ContextLevel.OVERVIEW,
        is_leaf=False,
        context_type=context_type,
        space=uri.space,
        layer=KnowledgeLayer.PROJECT,
        source_type=None,
        source_id=f"tree:{uri}",
        abstract=name,
        title=name,
        digest=digest_of(name),
    )


def _ancestors(user: str, node: ContextNode) -> list[ContextNode]:
    """The containers above a note or a stage, the root first."""
    root = user_root(user)
    assert node.parent_uri is not None  # noqa: S101  # notes and stages have parents
    parent = ContextUri.parse(node.parent_uri)
    found = [container_node(root, None, user, ContextType.RESOURCE)]
    for depth in range(2, len(parent.segments) + 1):
        uri = ContextUri(parent.space, parent.segments[:depth])
        above = root if depth == 2 else ContextUri(parent.space, parent.segments[: depth - 1])
        found.append(container_node(uri, above, uri.segments[-1], ContextType.RESOURCE))
    return found


def _words(node: ContextNode) -> dict[str, int]:
    return term_counts(f"{node.title} {node.abstract}")
