"""Every write of the storage floor, aimed at Ann's rows by a stranger: nothing of hers moves, and nothing is told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

import storage
from context.derived import MemoryRecord, Resource
from context.scope import Scope
from context.truth import ChatMessage, ChatSession, MessageRole, Note
from context.types import ContextType, MemoryPolicy, ProjectionStatus, RefType, SourceType, SpaceType, Visibility
from context.uri import folder_uri, user_root
from engine.engine import Engine
from resources.material import container_node, resource_id, tree_source
from storage import (
    catalog,
    clock,
    commits,
    containers,
    events,
    imports,
    jobs,
    links,
    memories,
    notes,
    rebuild,
    refs,
    resources,
    sessions,
    staging,
    traces,
    vectors,
)
from storage.catalog import IndexedNode
from storage.commits import Commit, CommitState
from storage.database import Transaction
from storage.imports import Origin
from storage.sessions import Lease
from storage.vectors import Unembedded
from tests.isolation.conftest import CANARY, ROOT, Call, Refusal, World, functions_with, outcome
from tests.isolation.test_reads import READS
from tests.support.engines import memory_record

WRITERS = {"another user": Scope(tenant="acme", user="carl"), "another tenant": Scope(tenant="initech", user="ann")}
NOW = datetime(2027, 5, 3, tzinfo=UTC)
ALL = 2**62

VECTOR = np.ones(384, np.float32)

WRITES: dict[str, Call] = {
    "assets.AssetStore.discard": lambda tx, w, e: e.assets.discard(tx, [bytes(32)]),
    "assets.AssetStore.delete": lambda tx, w, e: e.assets.delete(tx, [w.asset_id]),
    "catalog.apply": lambda tx, w, e: catalog.apply(tx, [catalog.Difference(ended=(w.leaf_vid,))], miv=ALL),
    "catalog.blank": lambda tx, w, e: catalog.blank(tx, [tree_source(str(folder_uri("ann", CANARY)))]),
    "catalog.close_uris": lambda tx, w, e: catalog.close_uris(tx, [w.leaf_uri], miv=ALL),
    "catalog.erase_sources": lambda tx, w, e: catalog.erase_sources(tx, [str(w.note_id)]),
    "vectors.put_vectors": lambda tx, w, e: vectors.put_vectors(tx, [_unembedded(w)], [VECTOR], engine="forged"),
    "catalog.replace_source": lambda tx, w, e: catalog.replace_source(tx, str(w.note_id), [], miv=ALL),
    "vectors.drop_engine": lambda tx, w, e: vectors.drop_engine(tx, engine=w.pin.engine, limit=99),
    "vectors.refuse": lambda tx, w, e: vectors.refuse(tx, {w.leaf_vid: "forged"}, engine="forged"),
    "vectors.set_norms": lambda tx, w, e: vectors.set_norms(tx, {w.turn_vid: 77.0}, engine=w.pin.engine),
    "clock.hold": lambda tx, w, e: clock.hold(tx),
    "clock.see_as": lambda tx, w, e: clock.see_as(tx, "a1"),
    "clock.switch_engine": lambda tx, w, e: clock.switch_engine(tx, engine="forged"),
    "commits.claim": lambda tx, w, e: commits.claim(
        tx, Commit(commit_id=uuid4(), session_id=w.session_id, from_seq=ALL, upto_seq=ALL)
    ),
    "commits.flip": lambda tx, w, e: commits.flip(
        tx, Commit(commit_id=w.waiting_commit, session_id=w.waiting_session, from_seq=0, upto_seq=1)
    ),
    "commits.keep_candidates": lambda tx, w, e: commits.keep_candidates(tx, w.waiting_commit, 0, [{"forged": 1}]),
    "commits.set_state": lambda tx, w, e: commits.set_state(tx, w.waiting_commit, CommitState.FAILED, "forged"),
    "commits.take": lambda tx, w, e: commits.take(tx, w.waiting_commit),
    "containers.forget": lambda tx, w, e: containers.forget(tx, [str(folder_uri("ann", CANARY))]),
    "containers.take": lambda tx, w, e: containers.take(tx, quiet=0, longest=0, limit=99),
    "imports.bury": lambda tx, w, e: imports.bury(tx, [w.note_id]),
    "imports.lift": lambda tx, w, e: imports.lift(tx, [f"{CANARY}:gone"]),
    "imports.take_over": lambda tx, w, e: imports.take_over(tx, bytes(32), inner=ROOT, prefix="forged/"),
    "links.replace": lambda tx, w, e: links.replace(tx, {w.note_id: links.Calls()}),
    "links.settle": lambda tx, w, e: links.settle(tx, [w.note_id]),
    "memories.close": lambda tx, w, e: memories.close(tx, w.memory_id, 1, miv=ALL),
    "memories.erase": lambda tx, w, e: memories.erase(tx, [w.memory_id]),
    "memories.forget_versions": lambda tx, w, e: memories.forget_versions(tx, w.memory_id),
    "memories.forget_source": lambda tx, w, e: memories.forget_source(tx, f"pm://user/ann/sessions/{w.session_id}"),
    "notes.delete": lambda tx, w, e: notes.delete(tx, [w.note_id]),
    "rebuild.drop_words": lambda tx, w, e: rebuild.drop_words(tx, [w.leaf_vid]),
    "rebuild.erase_records": lambda tx, w, e: rebuild.erase_records(tx, [resource_id(w.note_id)]),
    "rebuild.forget_references": lambda tx, w, e: rebuild.forget_references(
        tx, [(w.memory_uri, RefType.LINKS, "pm://user/ann/notes/x")]
    ),
    "rebuild.replace_words": lambda tx, w, e: rebuild.replace_words(tx, {w.leaf_vid: _forged_words()}),
    "refs.erase": lambda tx, w, e: refs.erase(tx, [w.memory_uri]),
    "resources.erase": lambda tx, w, e: resources.erase(tx, [str(w.note_id)]),
    "resources.give_reason": lambda tx, w, e: resources.give_reason(tx, str(w.note_id), "forged", failed=True),
    "resources.settle": lambda tx, w, e: resources.settle(tx, engine=w.pin.engine),
    "staging.publish": lambda tx, w, e: staging.publish(
        tx, str(w.note_id), catalog.Difference(ended=(w.leaf_vid,)), miv=ALL
    ),
    "sessions.abandon_turn": lambda tx, w, e: sessions.abandon_turn(tx, _lease(w)),
    "sessions.append": lambda tx, w, e: sessions.append(tx, w.session_id, [_message(w)]),
    "sessions.free_turn": lambda tx, w, e: sessions.free_turn(tx, _lease(w)),
    "sessions.mark_branches": lambda tx, w, e: sessions.mark_branches(
        tx, w.session_id, current=[], side=[w.message_id]
    ),
    "sessions.renew_turn": lambda tx, w, e: sessions.renew_turn(tx, _lease(w)),
    "sessions.set_overview": lambda tx, w, e: sessions.set_overview(tx, w.session_id, "forged"),
    "sessions.set_policy": lambda tx, w, e: sessions.set_policy(tx, w.session_id, MemoryPolicy.OFF),
    "sessions.take_turn": lambda tx, w, e: sessions.take_turn(tx, w.session_id, uuid4()),
    "traces.erase_model_outputs": lambda tx, w, e: traces.erase_model_outputs(tx, [str(w.note_id)]),
}
"""Each aims at something of Ann's. It must change nothing of hers, and say no more than of an unknown id."""

OWN: dict[str, Call] = {
    "assets.AssetStore.add": lambda tx, w, e: e.assets.add(
        tx, w.asset_id, data=b"mine", mime="text/plain", name="mine"
    ),
    "catalog.insert": lambda tx, w, e: catalog.insert(tx, [], miv=1),
    "clock.advance": lambda tx, w, e: clock.advance(tx, engine="mine"),
    "clock.take_positions": lambda tx, w, e: _positions(tx),
    "containers.touch": lambda tx, w, e: containers.touch(tx, [str(folder_uri("ann", CANARY))]),
    "events.put": lambda tx, w, e: events.put(tx, [events.Event(kind="mine")], miv=1),
    "imports.put": lambda tx, w, e: _import(tx, w, e),
    "jobs.defer": lambda tx, w, e: jobs.defer(tx, jobs.COMMIT, lock="mine", commit_id=w.commit_id),
    "memories.bury": lambda tx, w, e: memories.bury(tx, w.note_uri),
    "memories.insert": lambda tx, w, e: memories.insert(
        tx, memory_record("mine", w.note_uri, memory_id=w.memory_id), miv=1
    ),
    "refs.count_use": lambda tx, w, e: refs.count_use(tx, [w.memory_uri], commit_id=w.commit_id, miv=1, at=NOW),
    "refs.put": lambda tx, w, e: refs.put(tx, [(w.memory_uri, RefType.LINKS, "mine")]),
    "resources.put": lambda tx, w, e: resources.put(tx, _material(w)),
    "staging.stage": lambda tx, w, e: staging.stage(tx, []),
    "sessions.create": lambda tx, w, e: sessions.create(tx, ChatSession(session_id=w.session_id, title="mine")),
    "traces.keep_model_output": lambda tx, w, e: traces.keep_model_output(
        tx, task="t", model="m", prompt="p", source_id=str(w.note_id), output={"text": "mine"}
    ),
    "traces.put": lambda tx, w, e: traces.put(
        tx, traces.Trace(trace_id=w.trace_id, session_id=w.session_id, run_id=w.run_id, pin=w.pin, body={})
    ),
}
"""Each writes a row of the stranger's own under Ann's id: no clash tells that the id exists, hers stays as it is."""


async def _positions(tx: Transaction) -> None:
    await clock.advance(tx, engine="mine")
    await clock.take_positions(tx, 3)


async def _import(tx: Transaction, w: World, e: Engine) -> None:
    await e.projector.save_note(tx, Note(note_id=w.note_id, title="mine", body="mine"))
    await imports.put(tx, ROOT, [Origin(path=f"{CANARY}.md", note_id=w.note_id, file=bytes(32), reading=bytes(8))])


def _lease(w: World) -> Lease:
    return Lease(session_id=w.session_id, turn_id=uuid4(), fence=1)


def _material(w: World) -> Resource:
    return Resource(
        resource_id=resource_id(w.note_id),
        resource_type="note",
        source_type=SourceType.NOTE_BODY,
        source_id=str(w.note_id),
        space=SpaceType.USER,
        visibility=Visibility.PRIVATE,
        uri=w.note_uri,
        title="mine",
        digest=b"mine",
        projection_status=ProjectionStatus.READY,
    )


def _forged_words() -> IndexedNode:
    node = container_node(user_root("ann"), None, "forged", ContextType.RESOURCE)
    return IndexedNode(node=node, terms={"forged": 1})


def _memory(w: World) -> MemoryRecord:
    return memory_record("mine", w.note_uri, memory_id=w.memory_id)


def _unembedded(w: World) -> Unembedded:
    words: dict[str, Any] = {"title": "", "abstract": "", "body": None, "speaker": None}
    return Unembedded(vid=w.leaf_vid, context_type="RESOURCE", is_leaf=True, pos=0, **words)


def _message(w: World) -> ChatMessage:
    return ChatMessage(message_id=w.message_id, role=MessageRole.USER, content="forged", sent_at=NOW)


@pytest.mark.parametrize("writer", WRITERS)
async def test_a_stranger_s_write_moves_nothing_of_hers(world: World, shared: Engine, writer: str) -> None:
    before, ghost = world.rows_of_ann(), world.ghost()
    assert all(before.values()), "the world lacks something"
    for name, write in WRITES.items():
        hers = await outcome(write, WRITERS[writer], world, shared)
        nobodys = await outcome(write, WRITERS[writer], ghost, shared)
        assert hers == nobodys, f"{name} tells that the id exists"
    assert world.rows_of_ann() == before


@pytest.mark.parametrize("writer", WRITERS)
async def test_a_stranger_may_use_her_ids_for_rows_of_their_own(world: World, shared: Engine, writer: str) -> None:
    before = world.rows_of_ann()
    for name, write in OWN.items():
        assert not isinstance(await outcome(write, WRITERS[writer], world, shared), Refusal), name
    assert world.rows_of_ann() == before


def test_every_function_that_takes_a_transaction_is_on_one_of_the_lists() -> None:
    """A new read path of the storage floor arrives with its line, or this fails."""
    listed = [*READS, *WRITES, *OWN]
    assert functions_with(storage, "tx") == set(listed)
    assert len(listed) == len(set(listed))
