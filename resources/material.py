"""Material: truth as nodes of the catalogue. Pure: the same truth gives the same nodes, whoever asks and whenever."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, UUID, uuid5

from context.derived import ContextNode
from context.scope import Scope
from context.terms import term_counts
from context.text import abstract_of
from context.truth import Asset, ChatMessage, ChatSession, MessageRole, Note, NoteKind
from context.types import ContextLevel, ContextType, KnowledgeLayer, SourceType, SpaceType, Visibility
from context.uri import ContextUri, asset_uri, folder_uri, message_uri, note_uri, session_uri, stage_uri, user_root
from context.when import TIME_TERM, names_a_time
from resources.chunking import chunk_markdown
from resources.levels import overview_of
from resources.readers.document import Document
from storage.catalog import IndexedNode

LARGE = 200_000
"""Characters of a note up to which it is cut in the transaction that saves it; a larger one is cut by a job."""
SOURCE_TYPES = {
    NoteKind.NOTE: SourceType.NOTE_BODY,
    NoteKind.WHITEBOARD: SourceType.NOTE_BODY,
    NoteKind.CLIP: SourceType.WEB_CLIP,
    NoteKind.IMPORT: SourceType.MARKDOWN_IMPORT,
    NoteKind.ANALYSIS: SourceType.ANALYSIS_RESULT,
}
_LAYERS = {NoteKind.WHITEBOARD: KnowledgeLayer.WHITEBOARD, NoteKind.ANALYSIS: KnowledgeLayer.REFLECTION}
_GLANCE = 20_000
"""Characters of a large text from which its abstract is made until it is read as a whole."""
_BETWEEN = re.compile(r"[\W_]+")
_ASKS = -0.057
_ANSWERS = 0.029


def resource_id(source: UUID | str) -> UUID:
    """The id of a source's material: the same after every rebuild and every move."""
    return uuid5(NAMESPACE_URL, f"pocketmind:resource:{source}")


def note_nodes(scope: Scope, note: Note, *, whole: bool = True) -> list[IndexedNode]:
    """A note as nodes: the container first, then its chunks.

    Args:
        whole: False gives what a glance at the beginning tells, for a note too large to be cut at once.
    """
    uri = note_uri(scope.user, note.note_id)
    body = note.body if whole else note.body[:_GLANCE]
    title = note.title.strip() or abstract_of("", body[:_GLANCE], limit=60) or "(untitled)"
    abstract = abstract_of(title, body) or title
    overview = overview_of(title, body) if whole else None
    container = ContextNode(
        uri=str(uri),
        parent_uri=str(folder_uri(scope.user, note.folder)),
        level=ContextLevel.OVERVIEW,
        is_leaf=False,
        context_type=ContextType.RESOURCE,
        space=SpaceType.USER,
        layer=_LAYERS.get(note.kind, KnowledgeLayer.PROJECT),
        source_type=SOURCE_TYPES[note.kind],
        source_id=str(note.note_id),
        source_name=note.source_name or title,
        record_id=note.note_id,
        title=title,
        abstract=abstract,
        overview=overview,
        digest=digest_of(title, abstract, overview or ""),
        happened_at=note.dated or note.updated_at or datetime.now(UTC),
    )
    found = [_indexed(container, " ".join([title, *note.tags, abstract]))]
    found += _chunks(container, body, tags=" ".join(note.tags), first_line=note.first_line)
    return found if len(found) > 1 else [*found, _named(container, " ".join(note.tags))]


def file_nodes(scope: Scope, asset: Asset, document: Document | None) -> list[IndexedNode]:
    """A file as nodes: the container first, then the chunks of each of its parts, a page or a sheet or a minute each.

    Args:
        document: what a reader made of it; None before it was read, when only its name is known.
    """
    uri = asset_uri(scope.user, asset.asset_id)
    text = document.text if document else ""
    title = (document.title if document else "") or asset.name
    abstract = abstract_of(title, text) or title
    overview = overview_of(title, text)
    container = ContextNode(
        uri=str(uri),
        parent_uri=str(folder_uri(scope.user, asset.folder)),
        level=ContextLevel.OVERVIEW,
        is_leaf=False,
        context_type=ContextType.RESOURCE,
        space=SpaceType.USER,
        layer=KnowledgeLayer.PROJECT,
        source_type=document.source_type if document else None,
        source_id=str(asset.asset_id),
        source_name=asset.source_name or asset.name,
        record_id=asset.asset_id,
        title=title,
        abstract=abstract,
        overview=overview,
        digest=digest_of(title, abstract, overview or ""),
        happened_at=asset.added_at or datetime.now(UTC),
    )
    found = [_indexed(container, f"{spoken(f'{title} {asset.name}')} {abstract}")]
    for part in document.parts if document else ():
        place = f"{container.source_name}#{part.anchor}" if part.anchor else container.source_name
        base = replace(container, source_name=place)
        heading = f"{title} / {part.heading}" if part.heading else title
        found += _chunks(base, part.text, first_line=part.first_line, title=heading, before=len(found) - 1)
    if len(found) == 1:
        return [*found, _named(container, asset.name)]
    count = len(found) - 1
    return [found[0], *(IndexedNode(node=replace(leaf.node, count=count), terms=leaf.terms) for leaf in found[1:])]


def stage_nodes(
    scope: Scope,
    session: ChatSession,
    messages: Sequence[ChatMessage],
    *,
    first_position: int,
    visibility: Visibility,
) -> list[IndexedNode]:
    """A stage of a chat as nodes: the container first, then one leaf a message with words."""
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
    found = [_indexed(container, f"{title} {abstract}")]
    before: ChatMessage | None = None
    for place, message in enumerate(said):
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
            speaker=message.speaker or message.role.value,
            pos=first_position + place,
            prior=turn_prior(message, before),
            happened_at=message.sent_at,
        )
        said_leaf = _indexed(leaf, f"{message.speaker or ''} {message.content}")
        if names_a_time(message.content, said_at=message.sent_at):
            said_leaf = IndexedNode(node=said_leaf.node, terms={**said_leaf.terms, TIME_TERM: 1})
        found.append(said_leaf)
        before = message
    return found


def summarized(node: IndexedNode, *, abstract: str, overview: str | None, written_by: str) -> IndexedNode:
    """A container with better texts than its first ones, and who wrote them."""
    title = node.node.title
    newer = replace(
        node.node,
        abstract=abstract,
        overview=overview,
        written_by=written_by,
        digest=digest_of(title, abstract, overview or ""),
    )
    return IndexedNode(node=newer, terms=term_counts(f"{title} {node.node.source_name} {abstract}"))


def summary_leaf(stage: ContextNode) -> IndexedNode:
    """What a model said about a stage, as a leaf of its own, since it says it in words that no message has."""
    body = f"{stage.abstract}\n\n{stage.overview}" if stage.overview else stage.abstract
    leaf = replace(
        stage,
        uri=str(ContextUri.parse(stage.uri).child("summary")),
        parent_uri=stage.uri,
        level=ContextLevel.DETAIL,
        is_leaf=True,
        source_type=SourceType.CHAT_STAGE_SUMMARY,
        overview=None,
        body=body,
        digest=digest_of(body),
    )
    return _indexed(leaf, f"{stage.title}\n{body}")


def container_node(uri: ContextUri, parent: ContextUri | None, name: str, context_type: ContextType) -> ContextNode:
    """A container that only holds others: a root, a folder, a session, a kind of memory. It quotes no child yet."""
    return ContextNode(
        uri=str(uri),
        parent_uri=str(parent) if parent else None,
        level=ContextLevel.OVERVIEW,
        is_leaf=False,
        context_type=context_type,
        space=uri.space,
        layer=KnowledgeLayer.PROJECT,
        source_type=None,
        source_id=tree_source(str(uri)),
        abstract=name,
        title=name,
        digest=digest_of(name),
    )


def tree_source(uri: str) -> str:
    """The source id of a container of the tree."""
    return f"tree:{uri}"


def ancestors(user: str, parent_uri: str, *, title: str = "") -> list[ContextNode]:
    """The container that an address names and all above it, the root first.

    Args:
        title: what people call the lowest one, if not by the last part of its address.
    """
    root = user_root(user)
    parent = ContextUri.parse(parent_uri)
    found = [container_node(root, None, user, ContextType.RESOURCE)]
    for depth in range(2, len(parent.segments) + 1):
        uri = ContextUri(parent.space, parent.segments[:depth])
        above = root if depth == 2 else ContextUri(parent.space, parent.segments[: depth - 1])
        named = title if title and depth == len(parent.segments) else uri.segments[-1]
        found.append(container_node(uri, above, named, ContextType.RESOURCE))
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


def spoken(name: str) -> str:
    """A name, and its words as people would ask for them: `quarterly-figures.pdf` by `quarterly figures`."""
    apart = " ".join(_BETWEEN.split(name)).strip()
    return name if apart == name else f"{name} {apart}"


def digest_of(*parts: str) -> bytes:
    """32 bytes over the parts, in order."""
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()


def _chunks(
    container: ContextNode, text: str, *, tags: str = "", first_line: int = 1, title: str = "", before: int = 0
) -> Iterator[IndexedNode]:
    """The chunks of a text below its container; `before` of them are there already."""
    name = title or container.title
    parent = ContextUri.parse(container.uri)
    for chunk in chunk_markdown(text, record_id=container.source_id, first_line=first_line):
        heading = f"{name} / {chunk.heading}" if chunk.heading else name
        leaf = replace(
            container,
            uri=str(parent.child(str(before + chunk.ordinal))),
            parent_uri=container.uri,
            level=ContextLevel.DETAIL,
            is_leaf=True,
            title=heading,
            abstract=abstract_of("", chunk.text) or container.abstract,
            overview=None,
            body=chunk.text,
            digest=digest_of(chunk.text),
            ordinal=before + chunk.ordinal,
            count=chunk.count,
            lines=(chunk.first_line, chunk.last_line),
        )
        yield _indexed(leaf, f"{heading}\n{tags}\n{chunk.text}")


def _named(container: ContextNode, words: str) -> IndexedNode:
    """The one leaf of what has no text, or none yet: searches return leaves, and it is to be found by its name."""
    leaf = replace(
        container,
        uri=str(ContextUri.parse(container.uri).child("0")),
        parent_uri=container.uri,
        level=ContextLevel.DETAIL,
        is_leaf=True,
        overview=None,
        body=container.title,
        digest=digest_of(container.title),
    )
    return _indexed(leaf, spoken(f"{container.title} {words}"))


def _indexed(node: ContextNode, text: str) -> IndexedNode:
    words = term_counts(text)
    return IndexedNode(node=replace(node, length=sum(words.values())) if node.is_leaf else node, terms=words)
