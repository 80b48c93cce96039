"""Deleting what a person made: every version, word, vector, reference and summary of it goes in one transaction, and
every memory that nothing else supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from context.derived import MemoryRecord
from context.scope import Scope
from context.types import USER_MEMORY_TYPES, SpaceType, Status
from context.uri import ContextUri, asset_uri, memory_uri, note_uri
from memory import nodes
from memory.remerge import without_the_lost
from resources import tree
from storage import catalog, clock, events, imports, jobs, links, memories, notes, rebuild, refs, resources, traces
from storage.assets import AssetStore
from storage.database import Database, Transaction
from storage.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What a deletion took with it.

    Attributes:
        memories_poorer: memories that another source supports as well; they are told anew without the deleted one.
        bytes_to_discard: digests of files that no row names any more; for `discard_bytes` after the commit.
    """

    memories_erased: int
    memories_poorer: int
    bytes_to_discard: tuple[bytes, ...] = ()


async def discard_bytes(database: Database, scope: Scope, assets: AssetStore, erased: Erased) -> None:
    """Take the bytes of deleted files off the disk, once the deletion has committed."""
    if erased.bytes_to_discard:
        async with database.transaction(scope) as tx:
            await assets.discard(tx, erased.bytes_to_discard)


async def delete_notes(tx: Transaction, note_ids: Sequence[UUID], *, engine: str, assets: AssetStore) -> Erased:
    """Delete notes with the files that belong to them alone.

    Raises:
        NotFoundError: one is unknown, or another owner's; nothing is deleted.
    """
    uris = [str(note_uri(tx.scope.user, note_id)) for note_id in note_ids]
    callers = await links.callers(tx, note_ids)
    hanging = await assets.hanging_on(tx, uris)
    miv = await clock.advance(tx, engine=engine)
    await imports.bury(tx, note_ids)
    await notes.delete(tx, note_ids)
    erased = await _erase(tx, [str(note_id) for note_id in note_ids], uris, miv=miv, kind="note.deleted")
    await links.settle(tx, sorted(set(callers) - set(note_ids)))
    if not hanging:
        return erased
    files = await delete_files(tx, hanging, engine=engine, assets=assets)
    return Erased(
        memories_erased=erased.memories_erased + files.memories_erased,
        memories_poorer=erased.memories_poorer + files.memories_poorer,
        bytes_to_discard=files.bytes_to_discard,
    )


async def delete_files(tx: Transaction, asset_ids: Sequence[UUID], *, engine: str, assets: AssetStore) -> Erased:
    """Delete files with their material.

    Raises:
        NotFoundError: one is unknown, or another owner's; nothing is deleted.
    """
    uris = [str(asset_uri(tx.scope.user, asset_id)) for asset_id in asset_ids]
    miv = await clock.advance(tx, engine=engine)
    await imports.bury(tx, asset_ids)
    free = await assets.delete(tx, asset_ids)
    erased = await _erase(tx, [str(asset_id) for asset_id in asset_ids], uris, miv=miv, kind="file.deleted")
    return Erased(
        memories_erased=erased.memories_erased,
        memories_poorer=erased.memories_poorer,
        bytes_to_discard=tuple(free),
    )


async def _erase(tx: Transaction, source_ids: Sequence[str], uris: Sequence[str], *, miv: int, kind: str) -> Erased:
    orphans: list[UUID] = []
    poorer: dict[UUID, None] = {}
    for uri in uris:
        lost, left = await memories.forget_source(tx, uri)
        orphans += lost
        poorer |= dict.fromkeys(left)
        await memories.bury(tx, uri)
    parents = await catalog.erase_sources(tx, source_ids)
    retold: list[MemoryRecord] = []
    own = tx.scope.agent
    for agent in [*sorted(await rebuild.agents(tx) - {own}), own]:  # each sees what was distilled for it alone
        await clock.see_as(tx, agent)
        for memory in await memories.of_ids(tx, [found for found in poorer if found not in orphans]):
            left_over = without_the_lost(memory)
            if left_over is None:
                orphans.append(memory.memory_id)
            else:
                retold.append(left_over)
                parents |= await _put_back(tx, left_over, miv=miv)
        await memories.erase(tx, orphans)
        parents |= await catalog.erase_sources(tx, [str(found) for found in orphans])
    gone = [*source_ids, *(str(memory_id) for memory_id in orphans)]
    await resources.erase(tx, gone)
    await traces.erase_model_outputs(tx, gone)
    await refs.erase(tx, [*uris, *(uri for found in orphans for uri in _addresses(tx.scope.user, found))])
    await tree.wipe(tx, [uri for uri in parents if _tells_of_children(uri)], miv=miv)
    await jobs.defer(tx, jobs.EMBED, lock="embed")  # what the containers say now has no vector yet
    told = [Event(kind="memory.erased", uri=str(found), reason="last evidence deleted") for found in orphans]
    told += [Event(kind="memory.merged", uri=str(m.memory_id), reason="a source was deleted") for m in retold]
    await events.put(tx, [*(Event(kind=kind, uri=uri) for uri in uris), *told], miv=miv)
    return Erased(memories_erased=len(orphans), memories_poorer=len(retold))


async def _put_back(tx: Transaction, memory: MemoryRecord, *, miv: int) -> set[str]:
    """A memory as its remaining sources tell it, in the place of all its versions; the containers it was in."""
    memory = replace(memory, version=memory.version + 1)
    parents = await catalog.erase_sources(tx, [str(memory.memory_id)])
    await memories.forget_versions(tx, memory.memory_id)
    await memories.insert(tx, memory, miv=miv)
    if memory.status is Status.CURRENT:
        await catalog.insert(tx, [nodes.indexed(memory, tx.scope.user)], miv=miv)
    return parents


def _addresses(user: str, memory_id: UUID) -> list[str]:
    """Where a memory may have stood: its kind is gone with it."""
    return [str(memory_uri(user, kind, memory_id)) for kind in USER_MEMORY_TYPES]


def _tells_of_children(uri: str) -> bool:
    """Whether a container tells of what is in it: a folder, or a kind of the user's memories."""
    parsed = ContextUri.parse(uri)
    return parsed.space is SpaceType.USER and parsed.segments[1:2] in (("folders",), ("memories",))
