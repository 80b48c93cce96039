"""Every read of the storage floor: Ann gets hers, a stranger gets what an unknown id gets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
import pytest

from context.errors import NotFoundError
from context.scope import Scope
from context.types import MemoryType, Status
from context.uri import session_uri, stage_uri
from engine.engine import Engine
from storage import (
    catalog,
    clock,
    commits,
    containers,
    events,
    imports,
    jobs,
    links,
    live,
    memories,
    notes,
    rebuild,
    refs,
    resources,
    sessions,
    traces,
    vectors,
)
from storage.database import Database, Transaction
from tests.isolation.conftest import ANN, CANARY, ROOT, STRANGERS, Call, Refusal, World, outcome

NOW = datetime(2027, 5, 3, tzinfo=UTC)
ALL = 2**62
QUESTION = np.full(384, 384**-0.5, np.float32)

READS: dict[str, Call] = {
    "assets.AssetStore.get": lambda tx, w, e: e.assets.get(tx, w.asset_id),
    "assets.AssetStore.hanging_on": lambda tx, w, e: e.assets.hanging_on(tx, [w.note_uri]),
    "assets.AssetStore.page": lambda tx, w, e: e.assets.page(tx, after=UUID(int=0), limit=9),
    "assets.AssetStore.read": lambda tx, w, e: e.assets.read(tx, w.asset_id),
    "catalog.bodies": lambda tx, w, e: catalog.bodies(tx, [w.leaf_vid]),
    "catalog.catalogue": lambda tx, w, e: catalog.catalogue(tx, miv=w.pin.miv, today=NOW),
    "catalog.children": lambda tx, w, e: _children(tx, w),
    "vectors.count_without_vector": lambda tx, w, e: vectors.count_without_vector(tx, engine="unseen"),
    "catalog.ever_had_children": lambda tx, w, e: catalog.ever_had_children(tx, w.note_uri),
    "catalog.former_of": lambda tx, w, e: catalog.former_of(tx, str(w.note_id)),
    "catalog.has_children": lambda tx, w, e: catalog.has_children(tx, w.note_uri),
    "catalog.leaf_counts": lambda tx, w, e: catalog.leaf_counts(tx, [str(w.note_id)]),
    "catalog.live_nodes": lambda tx, w, e: catalog.live_nodes(tx, [w.note_uri]),
    "catalog.live_of": lambda tx, w, e: catalog.live_of(tx, [str(w.note_id)]),
    "catalog.live_uris": lambda tx, w, e: catalog.live_uris(tx, [w.note_uri]),
    "live.read_nodes": lambda tx, w, e: live.read_nodes(tx, miv=w.pin.miv),
    "live.read_snapshot": lambda tx, w, e: _snapshot(tx, w),
    "vectors.turns_near": lambda tx, w, e: vectors.turns_near(tx, [w.turn_vid], engine=w.pin.engine),
    "catalog.vids_of": lambda tx, w, e: catalog.vids_of(tx, [w.note_uri], miv=w.pin.miv),
    "vectors.a_turn_of_each_stage": lambda tx, w, e: vectors.a_turn_of_each_stage(tx),
    "vectors.agents": lambda tx, w, e: vectors.agents(tx),
    "vectors.refusals": lambda tx, w, e: vectors.refusals(tx, engine="another"),
    "vectors.unembedded": lambda tx, w, e: vectors.unembedded(tx, [w.leaf_vid]),
    "vectors.without_vector": lambda tx, w, e: vectors.without_vector(tx, engine="unseen"),
    "clock.read": lambda tx, w, e: _miv(tx),
    "commits.get": lambda tx, w, e: commits.get(tx, w.commit_id),
    "commits.of_session": lambda tx, w, e: commits.of_session(tx, w.session_id),
    "commits.unfinished": lambda tx, w, e: commits.unfinished(tx, w.waiting_session),
    "containers.all_uris": lambda tx, w, e: containers.all_uris(tx),
    "containers.waiting": lambda tx, w, e: containers.waiting(tx),
    "events.after": lambda tx, w, e: events.after(tx),
    "imports.count": lambda tx, w, e: imports.count(tx, ROOT),
    "imports.holders": lambda tx, w, e: imports.holders(tx, [w.note_id]),
    "imports.known": lambda tx, w, e: imports.known(tx, ROOT, [f"{CANARY}.md"]),
    "imports.named": lambda tx, w, e: imports.named(tx, [sha256(CANARY.encode()).digest()]),
    "imports.page": lambda tx, w, e: imports.page(tx, ROOT, below=[""], after="", limit=9),
    "imports.roots": lambda tx, w, e: imports.roots(tx, [ROOT]),
    "imports.words": lambda tx, w, e: imports.words(tx, [w.leaf_vid]),
    "jobs.counts": lambda tx, w, e: jobs.counts(tx),
    "jobs.listed": lambda tx, w, e: jobs.listed(tx),
    "jobs.soon": lambda tx, w, e: jobs.soon(tx, jobs.EMBED),
    "links.callers": lambda tx, w, e: links.callers(tx, [w.note_id]),
    "links.callers_of_files": lambda tx, w, e: links.callers_of_files(tx, [f"{CANARY}.txt"]),
    "links.differing": lambda tx, w, e: links.differing(tx, {w.note_id: links.Calls()}),
    "links.unsettled": lambda tx, w, e: _unsettled(tx, w),
    "memories.by_merge_keys": lambda tx, w, e: memories.by_merge_keys(tx, [w.merge_key]),
    "memories.by_types": lambda tx, w, e: memories.by_types(tx, MemoryType),
    "memories.evidence_of": lambda tx, w, e: memories.evidence_of(tx, [w.memory_id]),
    "memories.get": lambda tx, w, e: memories.get(tx, w.memory_id),
    "memories.history": lambda tx, w, e: memories.history(tx, w.memory_id),
    "memories.list_memories": lambda tx, w, e: memories.list_memories(tx, statuses=Status),
    "memories.of_ids": lambda tx, w, e: memories.of_ids(tx, [w.memory_id]),
    "memories.overview": lambda tx, w, e: memories.overview(tx, miv=w.pin.miv),
    "memories.tombstones": lambda tx, w, e: memories.tombstones(tx, ["kanarik:gone"]),
    "notes.digests": lambda tx, w, e: notes.digests(tx, [w.note_id]),
    "notes.get": lambda tx, w, e: notes.get(tx, w.note_id),
    "notes.list_notes": lambda tx, w, e: notes.list_notes(tx),
    "notes.marks": lambda tx, w, e: notes.marks(tx, [w.note_id]),
    "notes.page": lambda tx, w, e: notes.page(tx, after=UUID(int=0), limit=9),
    "rebuild.agents": lambda tx, w, e: rebuild.agents(tx),
    "rebuild.archived": lambda tx, w, e: rebuild.archived(tx, after=UUID(int=0), limit=9),
    "rebuild.buried": lambda tx, w, e: _once_buried(tx, w, lambda: rebuild.buried(tx, [w.session_id])),
    "rebuild.committed": lambda tx, w, e: rebuild.committed(tx, after=UUID(int=0), limit=9),
    "rebuild.dangling": lambda tx, w, e: _dangling(tx, w),
    "rebuild.details": lambda tx, w, e: rebuild.details(tx, [w.leaf_vid]),
    "rebuild.evidence_commits": lambda tx, w, e: rebuild.evidence_commits(tx, [w.memory_id]),
    "rebuild.first_commits": lambda tx, w, e: rebuild.first_commits(tx, [w.memory_id]),
    "rebuild.intruders": lambda tx, w, e: rebuild.intruders(tx, [w.note_uri], source_ids=["x"]),
    "rebuild.lost_ends": lambda tx, w, e: rebuild.lost_ends(tx),
    "rebuild.lost_nodes": lambda tx, w, e: _once_buried(tx, w, lambda: rebuild.lost_nodes(tx)),
    "rebuild.lost_sources": lambda tx, w, e: _once_buried(tx, w, lambda: rebuild.lost_sources(tx)),
    "rebuild.memory_ids": lambda tx, w, e: rebuild.memory_ids(tx, after=UUID(int=0), limit=9),
    "rebuild.note_lengths": lambda tx, w, e: rebuild.note_lengths(tx, after=UUID(int=0), limit=9),
    "rebuild.references": lambda tx, w, e: rebuild.references(tx, [w.memory_uri]),
    "rebuild.sizes": lambda tx, w, e: _sizes(tx),
    "rebuild.standing": lambda tx, w, e: rebuild.standing(tx, [w.note_uri], since=NOW),
    "rebuild.there": lambda tx, w, e: rebuild.there(tx, [w.leaf_vid]),
    "rebuild.titles": lambda tx, w, e: rebuild.titles(tx, [w.session_id]),
    "rebuild.tops": lambda tx, w, e: rebuild.tops(tx),
    "rebuild.turns": lambda tx, w, e: rebuild.turns(tx, [str(stage_uri("ann", w.session_id, 1))]),
    "rebuild.waiting": lambda tx, w, e: rebuild.waiting(tx),
    "rebuild.word_sums": lambda tx, w, e: rebuild.word_sums(tx, [w.leaf_vid]),
    "refs.of": lambda tx, w, e: refs.of(tx, w.memory_uri),
    "refs.usage": lambda tx, w, e: refs.usage(tx, [w.memory_uri], miv=ALL),
    "resources.awaiting": lambda tx, w, e: resources.awaiting(tx),
    "refs.to": lambda tx, w, e: refs.to(tx, "pm://user/ann/notes/x"),
    "resources.beginning": lambda tx, w, e: resources.beginning(tx, str(w.note_id)[:8]),
    "resources.counts": lambda tx, w, e: resources.counts(tx),
    "resources.find": lambda tx, w, e: resources.find(tx, str(w.note_id)),
    "resources.listed": lambda tx, w, e: resources.listed(tx),
    "resources.of_source": lambda tx, w, e: resources.of_source(tx, str(w.note_id)),
    "resources.of_sources": lambda tx, w, e: resources.of_sources(tx, [str(w.note_id)]),
    "resources.page": lambda tx, w, e: resources.page(tx, after=UUID(int=0), limit=9),
    "sessions.get": lambda tx, w, e: sessions.get(tx, w.session_id),
    "sessions.places": lambda tx, w, e: sessions.places(tx, w.session_id, [w.message_id]),
    "sessions.list_sessions": lambda tx, w, e: sessions.list_sessions(tx),
    "sessions.messages": lambda tx, w, e: sessions.messages(tx, w.session_id),
    "traces.get": lambda tx, w, e: traces.get(tx, w.trace_id),
    "traces.model_output": lambda tx, w, e: traces.model_output(tx, task="t", model="m", prompt="p"),
    "traces.model_outputs_of": lambda tx, w, e: traces.model_outputs_of(tx, task="t", source_ids=[str(w.note_id)]),
    "traces.said_to": lambda tx, w, e: traces.said_to(tx, task="t", prompts=["p"]),
    "traces.of_session": lambda tx, w, e: traces.of_session(tx, w.session_id),
}
"""Each with Ann's ids. A stranger's answer must be empty, or NotFoundError in the words of an unknown id."""


async def _children(tx: Transaction, w: World) -> Any:
    return (await catalog.children(tx, w.note_uri, limit=9))[0]


async def _snapshot(tx: Transaction, w: World) -> list[object]:
    rows = await live.read_snapshot(
        tx, miv=w.pin.miv, engine=w.pin.engine, vectors=[QUESTION], terms=["kanarik", "greenhous", "过敏"]
    )
    return [*(rows.nodes or []), *rows.cosines, *rows.postings]


async def _sizes(tx: Transaction) -> int:
    found = await rebuild.sizes(tx)
    return found.notes + found.files + found.stages + found.memories


async def _once_buried(tx: Transaction, w: World, read: Callable[[], Awaitable[Any]]) -> Any:
    """What a read finds while a session is said to have been deleted."""
    async with tx.connection.transaction(force_rollback=True):
        await memories.bury(tx, str(session_uri("ann", w.session_id)))
        return await read()


async def _dangling(tx: Transaction, w: World) -> set[int]:
    async with tx.connection.transaction(force_rollback=True):
        await tx.execute("delete from pm.context_catalog where vid = %(vid)s and owner_id = %(owner)s", _of(w.leaf_vid))
        return await rebuild.dangling(tx)


async def _unsettled(tx: Transaction, w: World) -> list[Any]:
    async with tx.connection.transaction(force_rollback=True):
        await rebuild.forget_references(tx, await rebuild.references(tx, [w.note_uri]))
        missing, gone = await links.unsettled(tx, [w.note_id])
    return [*missing, *gone]


def _of(vid: int) -> dict[str, int]:
    return {"vid": vid}


async def _miv(tx: Transaction) -> int:
    return (await clock.read(tx, engine="x")).miv


@pytest.mark.parametrize("read", READS)
async def test_ann_reads_what_is_hers(world: World, shared: Engine, read: str) -> None:
    async with shared.database.transaction(ANN) as tx:
        assert await READS[read](tx, world, shared), "a probe that finds nothing proves nothing"


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_a_stranger_reads_nothing_and_learns_nothing(world: World, shared: Engine, stranger: str) -> None:
    ghost = world.ghost()
    for name, read in READS.items():
        hers = await outcome(read, STRANGERS[stranger], world, shared)
        nobodys = await outcome(read, STRANGERS[stranger], ghost, shared)
        assert hers == nobodys, f"{name} tells that the id exists"
        assert not hers or (isinstance(hers, Refusal) and hers.kind == "NotFoundError"), name


async def test_every_statement_asks_for_its_owner_even_where_no_wall_stands(world: World, shared: Engine) -> None:
    """The clauses alone: the superuser walks through the wall, so only what a statement says keeps Ann's rows."""
    open_field = Database(world.database.superuser, size=2)
    await open_field.open()
    for scope in STRANGERS.values():
        for name, read in READS.items():
            async with open_field.transaction(scope) as tx:
                try:
                    assert not await read(tx, world, shared), name
                except NotFoundError:
                    continue
    await open_field.close()


@pytest.mark.parametrize("identity", [("", ""), ("acme", ""), ("", "ann"), ("acme", "*"), ("*", "*")])
def test_half_an_identity_sees_nothing(world: World, identity: tuple[str, str]) -> None:
    tables = [name for (name,) in world.database.rows("select tablename from pg_tables where schemaname = 'pm'")]
    with psycopg.connect(world.database.app) as connection:
        connection.execute("select set_config('pm.tenant', %s, true), set_config('pm.user', %s, true)", identity)
        for table in [*(f"pm.{name}" for name in tables), "pm_checkpoint.checkpoints", "pm_jobs.procrastinate_jobs"]:
            assert connection.execute(f"table {table} limit 1".encode()).fetchall() == [], table


@pytest.mark.parametrize("stranger", STRANGERS)
def test_the_wall_holds_without_any_where_clause(world: World, stranger: str) -> None:
    """Row-level security alone: as if every statement of ours had forgotten its scope."""
    scope: Scope = STRANGERS[stranger]
    tables = [name for (name,) in world.database.rows("select tablename from pg_tables where schemaname = 'pm'")]
    with psycopg.connect(world.database.app) as connection:
        connection.execute(
            "select set_config('pm.tenant', %s, true), set_config('pm.user', %s, true)", (scope.tenant, scope.user)
        )
        for table in tables:
            assert world.database.table(f"pm.{table}"), f"pm.{table} is empty: the world lacks something"
            assert connection.execute(f"table pm.{table}".encode()).fetchall() == [], table
