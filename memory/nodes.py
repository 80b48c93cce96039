"""Memories as nodes of the catalogue: one rule for the merge that makes them and for a rebuild."""

from __future__ import annotations

from dataclasses import replace

from context.derived import ContextNode, MemoryRecord
from context.terms import term_counts
from context.types import ContextLevel, ContextType, MemoryType, RefType, SourceType, SpaceType, Visibility
from context.uri import agent_root, memory_type_uri, memory_uri, user_root
from resources.material import container_node, digest_of
from storage.catalog import IndexedNode

NOBODY = "default"
"""In whose name a memory of an AGENT type stands that no agent distilled."""


def owner_of(memory: MemoryRecord, user: str) -> str:
    """In whose name a memory stands: the user's, or the agent's that it was distilled for."""
    return user if memory.memory_type.space is SpaceType.USER else memory.agent or NOBODY


def uri_of(memory: MemoryRecord, user: str) -> str:
    """The address of a memory."""
    return str(memory_uri(owner_of(memory, user), memory.memory_type, memory.memory_id))


def indexed(memory: MemoryRecord, user: str) -> IndexedNode:
    """A memory as a leaf of the catalogue, with the words it is found by."""
    words = term_counts(f"{memory.abstract} {memory.content}")
    node = memory_node(memory, owner_of(memory, user))
    return IndexedNode(node=replace(node, length=sum(words.values())), terms=words)


def containers_above(owner: str, memory_type: MemoryType) -> list[ContextNode]:
    """The kind of a memory and all above it, the root first."""
    kind = memory_type_uri(owner, memory_type)
    root = user_root(owner) if memory_type.space is SpaceType.USER else agent_root(owner)
    every = root.child("memories")
    return [
        container_node(root, None, owner, ContextType.RESOURCE),
        container_node(every, root, "memories", ContextType.MEMORY),
        container_node(kind, every, memory_type.value, ContextType.MEMORY),
    ]


def references(memory: MemoryRecord, user: str) -> list[tuple[str, RefType, str]]:
    """A memory points to its sources, and what superseded it points to it."""
    uri = uri_of(memory, user)
    found = [(uri, RefType.EVIDENCE, source) for source in dict.fromkeys(e.source_uri for e in memory.evidence)]
    if memory.superseded_by:
        newer = memory_uri(owner_of(memory, user), memory.memory_type, memory.superseded_by)
        found.append((str(newer), RefType.SUPERSEDES, uri))
    return found


def memory_node(memory: MemoryRecord, owner: str) -> ContextNode:
    """A memory as a node, without its words."""
    return ContextNode(
        uri=str(memory_uri(owner, memory.memory_type, memory.memory_id)),
        parent_uri=str(memory_type_uri(owner, memory.memory_type)),
        level=ContextLevel.DETAIL,
        is_leaf=True,
        context_type=ContextType.MEMORY,
        space=memory.memory_type.space,
        layer=memory.layer,
        source_type=SourceType.MEMORY,
        source_id=str(memory.memory_id),
        source_name=memory.memory_type.value,
        record_id=memory.memory_id,
        abstract=memory.abstract,
        overview=memory.overview,
        body=memory.abstract if memory.overview == memory.abstract else memory.overview,
        digest=digest_of(memory.content),
        title=memory.subject if memory.subject != "user" else memory.memory_type.value,
        status=memory.status,
        visibility=Visibility.PRIVATE,
        agent=memory.agent,
        happened_at=memory.event_time or memory.last_validated_at or memory.mention_time,
    )
