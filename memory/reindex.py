"""Memories in a rebuild: indexed again from their records, not extracted again. And what answers used, from traces."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from context.scope import Scope
from context.types import RefType, Status, Visibility
from context.uri import session_uri
from memory import archive, link, nodes
from resources.rebuilding.files import FileStep, Read
from resources.rebuilding.links import LinkStep
from resources.rebuilding.rebuilder import Rebuilder
from resources.rebuilding.sources import NoteStep, StageStep
from resources.rebuilding.values import Change, Progress, Rebuilt, Step, Wanted
from resources.rebuilding.writes import compare
from storage import commits, memories, rebuild, traces
from storage.assets import AssetStore
from storage.database import Database, Transaction
from storage.rebuild import Reference

_MEMORIES = 100
_SESSIONS = 20
_ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)


async def rebuild_owner(
    database: Database,
    scope: Scope,
    *,
    engine: str,
    embeds: bool,
    assets: AssetStore,
    read: Read | None,
    visibility: Visibility,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Rebuilt:
    """Derive everything of one owner again, compare, and change only what differs.

    Args:
        engine: identity of the embedder; `embeds`: whether there is one.
        read: reads a stored file; None leaves files as they are.
        visibility: of transcripts of archived stages.

    Raises:
        StorageUnavailable: the database is away; what was done stays, and running again goes on.
    """
    steps: list[Step] = [NoteStep()]
    if read is not None:
        steps.append(FileStep(assets, read))
    steps += [StageStep(visibility), MemoryStep(), LinkStep(), UseStep()]
    rebuilder = Rebuilder(database, scope, engine=engine, embeds=embeds, dry_run=dry_run, progress=progress)
    return await rebuilder.run(steps)


def visibility_of(recall: str) -> Visibility:
    """How far transcripts of archived stages are seen, by the policy of recall (`user` or `session`)."""
    return Visibility.PRIVATE if recall == "user" else Visibility.SESSION_ONLY


class MemoryStep(Step):
    """Memories that hold, as leaves, with the references to their sources and to what superseded them."""

    name = "memories"
    per_agent = True

    async def total(self, tx: Transaction) -> int:
        """How many memories this agent has."""
        return (await rebuild.sizes(tx)).memories

    async def page(self, tx: Transaction, *, after: UUID) -> list[UUID]:
        """The next memories of this agent."""
        return await rebuild.memory_ids(tx, after=after, limit=_MEMORIES)

    async def compare(self, tx: Transaction, ids: Sequence[UUID]) -> list[Change]:
        """Memories that do not stand as their records say."""
        user = tx.scope.user
        found = await memories.of_ids(tx, ids)
        uris = {memory.memory_id: nodes.uri_of(memory, user) for memory in found}
        standing = await rebuild.references(tx, list(uris.values()))
        sources = await rebuild.evidence_commits(tx, list(uris))
        newer = await rebuild.first_commits(tx, [m.superseded_by for m in found if m.superseded_by])
        wanted = []
        for memory in found:
            uri = uris[memory.memory_id]
            asked = nodes.references(memory, user)
            commits = {
                reference: sources.get((memory.memory_id, reference[2]))
                if reference[1] is RefType.EVIDENCE
                else newer.get(memory.superseded_by or memory.memory_id)
                for reference in asked
            }
            own = {
                reference
                for reference in standing
                if (reference[0] == uri and reference[1] is RefType.EVIDENCE)
                or (reference[2] == uri and reference[1] is RefType.SUPERSEDES)
            }
            wanted.append(
                Wanted(
                    key=memory.memory_id,
                    source_id=str(memory.memory_id),
                    uri=uri,
                    nodes=(nodes.indexed(memory, user),) if memory.status is Status.CURRENT else (),
                    above=tuple(nodes.containers_above(nodes.owner_of(memory, user), memory.memory_type)),
                    missing={reference: commits[reference] for reference in asked if reference not in own},
                    extra=tuple(sorted(own - set(asked))),
                    event="memory.indexed",
                )
            )
        return await compare(tx, wanted)


class UseStep(Step):
    """What the answers of finished commits used: their session points there. Evidence must stand already.

    Nothing is taken away here: traces are kept for a month, what they say for longer.
    """

    name = "uses"
    counts = False

    async def total(self, tx: Transaction) -> int:
        """How many commits there are, which is at least as many as sessions."""
        return (await rebuild.sizes(tx)).stages

    async def page(self, tx: Transaction, *, after: UUID) -> list[UUID]:
        """The next sessions with a finished commit."""
        return await rebuild.committed(tx, after=after, limit=_SESSIONS)

    async def compare(self, tx: Transaction, ids: Sequence[UUID]) -> list[Change]:
        """Sessions that do not point to all that was used in them."""
        changes = []
        for session_id in ids:
            uri = str(session_uri(tx.scope.user, session_id))
            have = {target for _, kind, target in await rebuild.references(tx, [uri]) if kind is RefType.USED}
            missing = await _unlinked(tx, session_id, uri, have)
            if missing:
                changes.append(Change(wanted=Wanted(key=session_id, source_id=uri, uri=uri, missing=missing)))
        return changes


async def _unlinked(tx: Transaction, session_id: UUID, uri: str, have: set[str]) -> dict[Reference, UUID | None]:
    """What a session used and does not point to, with the commit that found it first. A commit whose session had become
    a temporary chat linked nothing, and has no figures."""
    told = await traces.of_session(tx, session_id)
    missing: dict[Reference, UUID | None] = {}
    for commit in await commits.of_session(tx, session_id) if told else ():
        if not commit.state.finished or "total_turns" not in commit.stats:
            continue
        used = link.used_in(await archive.load(tx, commit.commit_id), told).contexts
        lacking = [target for target in used if target not in have]
        there = await rebuild.standing(tx, lacking, since=commit.finished_at or _ALWAYS) if lacking else set()
        for target in lacking:
            if target in there:
                missing.setdefault((uri, RefType.USED, target), commit.commit_id)
    return missing
