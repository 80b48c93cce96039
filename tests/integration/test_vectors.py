"""Vectors: filled for what has none, right by direct computation, refused one by one, and switched as a whole."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from context.derived import EngineIdentity
from context.errors import ModelOutputInvalid, ModelUnavailable
from context.scope import Scope
from context.truth import ChatMessage, ChatSession, MessageRole
from context.types import ContextType, ProjectionStatus, TaskType, Visibility
from context.window import WINDOW
from engine.engine import Engine
from memory.erasure import delete_notes
from memory.nodes import memory_node
from models.embedders import EmbedderHandle, embed_batch
from resources.vectors import fill_vectors
from retrievers.base import QueryPlan, TypedQuery
from retrievers.hierarchical import CatalogHierarchicalRetriever
from storage import catalog, clock, live, resources, sessions, vectors
from storage.catalog import IndexedNode
from tests.support import cluster
from tests.support.engines import memory_record, save_note, tell
from tests.support.hashing import hashed_vector


class HashedEmbeddings:
    """A quick embedder of another engine; away while told to, and it makes nothing of the word `毒`."""

    def __init__(self, dimension: int = 16) -> None:
        self.dimension = dimension
        self.broken = False
        self.asked = 0
        self.between: Callable[[], Awaitable[None]] | None = None

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += len(texts)
        if self.between is not None:
            await self.between()
        if self.broken:
            raise ModelUnavailable("The embedder is away.")
        return [
            [math.nan] * self.dimension if "毒" in text else hashed_vector(text, self.dimension).tolist()
            for text in texts
        ]

    async def aembed_query(self, text: str) -> list[float]:
        return (await self.aembed_documents([text]))[0]


def replaced(engine: Engine, handle: EmbedderHandle) -> Engine:
    """The engine as it would be with this embedder."""
    return replace(engine, embedder=handle, projector=replace(engine.projector, engine=str(handle.identity)))


def hashed(dimension: int = 16) -> tuple[EmbedderHandle, HashedEmbeddings]:
    embeddings: Any = HashedEmbeddings(dimension)
    identity = EngineIdentity(model="hashed", dimension=dimension)
    return EmbedderHandle(embeddings=embeddings, identity=identity, low=0.1, high=0.6), embeddings


async def pending(engine: Engine, scope: Scope, identity: str) -> int:
    async with engine.database.transaction(scope) as tx:
        return await vectors.count_without_vector(tx, engine=identity)


async def test_everything_live_gets_one_vector_and_no_more(
    engine: Engine, database: cluster.Database, scope: Scope, other_user: Scope
) -> None:
    await save_note(engine, scope, "# A\n\nfirst words\n\n# B\n\n第二段文字\n")
    await save_note(engine, other_user, "another's words")
    handle, _ = hashed()
    name = str(handle.identity)
    leaves = await pending(engine, scope, name)
    assert leaves == 2
    stored = await fill_vectors(engine.database, scope, handle)
    assert stored > leaves, "containers are embedded too"
    assert await pending(engine, scope, name) == 0
    assert await fill_vectors(engine.database, scope, handle) == 0
    assert await pending(engine, other_user, name) == 1
    lengths = database.rows("select sqrt(-(embedding <#> embedding)) from pm.vector")
    assert len(lengths) == stored
    assert all(abs(row[0] - 1) < 2e-3 for row in lengths), "half precision of unit vectors"


LINES = ["Where to?", "Lisbon in May.", "多少钱?", "大约三千。", "Good.", "Then Porto.", "And back by train."]


async def archived_talk(engine: Engine, scope: Scope) -> None:
    """A chat in two stages: no window reaches from one into the other."""
    session = ChatSession(session_id=uuid4(), title="trip")
    messages = [
        ChatMessage(
            message_id=uuid4(),
            role=MessageRole.USER if n % 2 == 0 else MessageRole.ASSISTANT,
            content=text,
            sent_at=datetime(2027, 5, 1, 10, n, tzinfo=UTC),
        )
        for n, text in enumerate(LINES)
    ]
    async with engine.database.transaction(scope) as tx:
        await sessions.create(tx, session)
        stored = await sessions.append(tx, session.session_id, messages)
        for part in (stored[:4], stored[4:]):
            miv = await clock.advance(tx, engine=engine.engine_id)
            await engine.projector.archive_stage(tx, session, part, miv=miv, visibility=Visibility.PRIVATE)


async def norms_are_of(engine: Engine, scope: Scope, embeddings: HashedEmbeddings) -> bool:
    """Whether the windows' lengths are those that this embedder's vectors give."""
    async with engine.database.transaction(scope) as tx:
        rows = await tx.all("select ordinal, norm, speaker, body from pm.context_catalog where pos > 0 order by pos")
    assert [row["ordinal"] for row in rows] == list(range(1, 8))
    made = np.array(await embeddings.aembed_documents([f"{row['speaker']}: {row['body']}" for row in rows]))
    expected = []
    for place in range(7):
        stage = range(4) if place < 4 else range(4, 7)
        near = [weight * made[place + offset] for offset, weight in WINDOW.items() if place + offset in stage]
        expected.append(float(np.linalg.norm(np.sum(near, axis=0))))
    return bool(np.allclose([row["norm"] for row in rows], expected, atol=2e-3))


async def test_norms_of_turns_equal_a_direct_computation(engine: Engine, scope: Scope) -> None:
    handle, embeddings = hashed(64)
    await save_note(replaced(engine, handle), scope, "the first thing this owner has")
    await archived_talk(engine, scope)
    await fill_vectors(engine.database, scope, handle)
    assert await norms_are_of(engine, scope, embeddings)


async def test_an_engine_answers_only_when_it_has_seen_everything(engine: Engine, scope: Scope) -> None:
    old, _ = hashed(16)
    new, broken = hashed(32)
    await save_note(engine, scope, "first note")
    await fill_vectors(engine.database, scope, old)

    async def current() -> str:
        async with engine.database.transaction(scope) as tx:
            return (await clock.read(tx, engine="none")).engine

    assert await current() == str(old.identity)
    for number in range(40):
        await save_note(engine, scope, f"note number {number}")
    await fill_vectors(engine.database, scope, new, most=32)
    assert await current() == str(old.identity), "half filled"
    broken.broken = True
    with pytest.raises(ModelUnavailable):
        await fill_vectors(engine.database, scope, new)
    assert await current() == str(old.identity), "the embedder failed"
    broken.broken = False
    await fill_vectors(engine.database, scope, new)
    assert await current() == str(new.identity)
    async with engine.database.transaction(scope) as tx:
        assert not await clock.switch_engine(tx, engine=str(old.identity)), "it has not seen the new notes"


async def test_a_node_erased_while_it_was_embedded_leaves_no_vector(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    note = await save_note(engine, scope, "soon gone")
    handle, _ = hashed()
    name = str(handle.identity)
    async with engine.database.transaction(scope) as tx:
        items = await vectors.unembedded(tx, await vectors.without_vector(tx, engine=name))
    made = await embed_batch(handle, [item.title for item in items], "passage")
    async with engine.database.transaction(scope) as tx:
        await delete_notes(tx, [note.note_id], engine=engine.engine_id, assets=engine.assets)
    async with engine.database.transaction(scope) as tx:
        await vectors.put_vectors(tx, items, [v for v in made if v is not None], engine=name)
    assert database.rows("select 1 from pm.vector v join pm.context_catalog c using (vid) where c.is_leaf") == []


# --- what cannot be embedded --------------------------------------------------------------------------------------


async def test_what_cannot_be_embedded_is_told_once_and_blocks_nothing(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    handle, embeddings = hashed()
    name = str(handle.identity)
    poison = await save_note(engine, scope, "一段有毒的文字")
    await save_note(engine, scope, "harmless words")
    await fill_vectors(engine.database, scope, handle)
    refused = database.rows("select engine, reason from pm.vector_refusal")
    assert refused == [(name, "The embedder gave a vector that is not finite.")] * 2, "the note and its chunk"
    async with engine.database.transaction(scope) as tx:
        assert await vectors.without_vector(tx, engine=name) == []
        assert await vectors.count_without_vector(tx, engine=name) == 0, "it does not wait: it will never come"
        assert await vectors.refusals(tx, engine=name) == {"The embedder gave a vector that is not finite.": 1}
        record = (await resources.of_source(tx, str(poison.note_id)))[0]
        assert record.projection_status is ProjectionStatus.READY
        assert (await clock.read(tx, engine="x")).engine == name, "and the switch is not held up"
    asked = embeddings.asked
    await fill_vectors(engine.database, scope, handle)
    assert embeddings.asked == asked, "the same engine is not asked again"
    await save_note(engine, scope, "一段无害的文字", note_id=poison.note_id)
    await fill_vectors(engine.database, scope, handle)
    assert embeddings.asked > asked, "other words are another matter"
    async with engine.database.transaction(scope) as tx:
        assert await vectors.refusals(tx, engine=name) == {}
        await delete_notes(tx, [poison.note_id], engine=engine.engine_id, assets=engine.assets)
    assert database.table("pm.vector_refusal") == [], "a refusal goes with its node"


async def test_an_embedder_that_embeds_nothing_refuses_no_node(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    await save_note(engine, scope, "words")
    handle, _ = hashed(16)
    lying = replace(handle, identity=EngineIdentity(model="hashed", dimension=99))
    with pytest.raises(ModelOutputInvalid, match="16 numbers where 99"):
        await fill_vectors(engine.database, scope, lying)
    assert database.table("pm.vector_refusal") == []
    async with engine.database.transaction(scope) as tx:
        assert (await clock.read(tx, engine="x")).engine == engine.engine_id


# --- another embedder ---------------------------------------------------------------------------------------------


async def test_another_embedder_takes_over_at_once_and_only_when_it_has_seen_all(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    """While the new index is built the old one answers, windows of chats and rows of one agent included."""
    old, old_embeddings = hashed(16)
    new, new_embeddings = hashed(32)
    first = replaced(engine, old)
    await save_note(first, scope, "red apples and pears")
    await archived_talk(first, scope)
    coder = replace(scope, agent="coder")
    await tell(first, coder, "我写代码。")
    case = memory_record("The build fails without the flag.", f"pm://user/ann/sessions/{uuid4()}", agent="coder")
    async with engine.database.transaction(coder) as tx:
        miv = await clock.advance(tx, engine=str(old.identity))
        await catalog.insert(tx, [IndexedNode(node=memory_node(case, "ann"), terms={"build": 1})], miv=miv)
    await save_note(first, scope, "一段有毒的文字")
    for who in (scope, coder):
        await fill_vectors(engine.database, who, old)

    plan = QueryPlan(
        task_type=TaskType.INFORMATIONAL,
        queries=(TypedQuery(query="red apples and pears", context_type=ContextType.RESOURCE, priority=1),),
    )
    searching = CatalogHierarchicalRetriever(database=engine.database, embedder=old, zone=UTC)
    searched: list[str] = []

    async def search() -> None:
        async with engine.database.transaction(scope) as tx:
            pin = await first.pin(tx, seq=0)
        found = await searching.retrieve(scope, plan, pin=pin, now=engine.now())
        assert "dense" in found.matches[0].parts, "the old index answers"
        assert [item.code for item in found.degradations if item.code == "engine_changed"] == []
        assert await norms_are_of(engine, scope, old_embeddings), "with its own windows"
        searched.append(pin.engine)

    new_embeddings.between = search
    await fill_vectors(engine.database, scope, new)
    new_embeddings.between = None
    assert len(searched) >= 2 and set(searched) == {str(old.identity)}
    async with engine.database.transaction(scope) as tx:
        assert (await clock.read(tx, engine="x")).engine == str(new.identity)
    assert await norms_are_of(engine, scope, new_embeddings)
    assert database.rows("select distinct engine from pm.vector") == [(str(new.identity),)], "the old ones are gone"
    assert database.rows("select distinct engine from pm.vector_refusal") == [(str(new.identity),)]
    seen = database.rows("select c.agent_id from pm.vector v join pm.context_catalog c using (vid) where c.is_leaf")
    assert ("coder",) in seen, "rows that only one agent sees were not forgotten"


async def test_no_switch_while_one_agent_s_row_is_unseen(engine: Engine, scope: Scope) -> None:
    coder = replace(scope, agent="coder")
    await save_note(engine, scope, "words")
    case = memory_record("Only the coder knows.", "pm://user/ann/sessions/x", agent="coder")
    new, _ = hashed(32)
    await fill_vectors(engine.database, scope, replace(new, identity=EngineIdentity(model="first", dimension=32)))
    async with engine.database.transaction(coder) as tx:
        miv = await clock.advance(tx, engine="x")
        await catalog.insert(tx, [IndexedNode(node=memory_node(case, "ann"), terms={})], miv=miv)
    name = str(new.identity)
    async with engine.database.transaction(scope) as tx:
        for item in await vectors.unembedded(tx, await vectors.without_vector(tx, engine=name)):
            await vectors.put_vectors(tx, [item], [hashed_vector(item.title, 32)], engine=name)
        assert not await clock.switch_engine(tx, engine=name, agents=["coder"])
        assert await clock.switch_engine(tx, engine=name), "the row is invisible to whoever does not name its agent"
        assert (await tx.one("select pm.agent() as agent")) == {"agent": ""}, "and one still is who one was"


async def test_progress_tells_how_much_there_is_from_the_start(engine: Engine, scope: Scope) -> None:
    for number in range(40):
        await save_note(engine, scope, f"note number {number}")
    handle, _ = hashed()
    heard: list[tuple[int, int]] = []
    stored = await fill_vectors(engine.database, scope, handle, moved=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (stored, stored)
    assert heard == sorted(heard) and {total for _, total in heard} == {stored}


# --- what the ranker reads ----------------------------------------------------------------------------------------


async def test_cosines_come_from_the_database_as_numpy_would_give_them(engine: Engine, scope: Scope) -> None:
    for text in ("red apples", "green pears", "红苹果"):
        await save_note(engine, scope, text)
    handle, _ = hashed(64)
    await fill_vectors(engine.database, scope, handle)
    question = hashed_vector("red apples and pears", 64)
    async with engine.database.transaction(scope) as tx:
        miv = (await clock.read(tx, engine="x")).miv
        rows = await live.read_snapshot(
            tx, miv=miv, engine=str(handle.identity), vectors=[question], terms=["apple", "苹果"]
        )
        vids, cosines = rows.cosines[0]
        texts = await catalog.bodies(tx, vids.tolist())
        memories = await live.read_snapshot(
            tx,
            miv=miv,
            engine=str(handle.identity),
            vectors=[question],
            terms=[],
            kinds=[ContextType.MEMORY],
            cached=True,
        )
    assert memories.cosines == {}
    assert len(vids) == len(rows.nodes or [])
    leaves = {vid: node for vid, (node, _) in texts.items() if node.is_leaf}
    assert len(leaves) == 3
    for vid, cosine in zip(vids.tolist(), cosines.tolist(), strict=True):
        if vid in leaves:
            vector = hashed_vector(f"{leaves[vid].title}\n{leaves[vid].body}", 64)
            assert cosine == pytest.approx(float(vector @ question), abs=2e-3)
