"""Vectors: filled for what has none, right by direct computation, and answering only when all are there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from context.derived import EngineIdentity
from context.errors import ModelUnavailable
from context.scope import Scope
from context.truth import ChatMessage, ChatSession, MessageRole
from context.types import Visibility
from context.window import WINDOW
from engine.engine import Engine
from models.embedders import EmbedderHandle, embed_batch
from resources.erasure import delete_notes
from resources.vectors import fill_vectors
from storage import catalog, clock, sessions, vectors
from tests.support import cluster
from tests.support.engines import save_note
from tests.support.hashing import hashed_vector


class HashedEmbeddings:
    """A quick embedder of another engine; refuses while told to."""

    def __init__(self, dimension: int = 16) -> None:
        self.dimension = dimension
        self.broken = False

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.broken:
            raise ModelUnavailable("The embedder is away.")
        return [hashed_vector(text, self.dimension).tolist() for text in texts]

    async def aembed_query(self, text: str) -> list[float]:
        return (await self.aembed_documents([text]))[0]


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


async def test_norms_of_turns_equal_a_direct_computation(engine: Engine, scope: Scope) -> None:
    session = ChatSession(session_id=uuid4(), title="trip")
    lines = ["Where to?", "Lisbon in May.", "多少钱?", "大约三千。", "Good.", "Then Porto.", "And back by train."]
    messages = [
        ChatMessage(
            message_id=uuid4(),
            role=MessageRole.USER if n % 2 == 0 else MessageRole.ASSISTANT,
            content=text,
            sent_at=datetime(2027, 5, 1, 10, n, tzinfo=UTC),
        )
        for n, text in enumerate(lines)
    ]
    handle, embeddings = hashed(64)
    async with engine.database.transaction(scope) as tx:
        await sessions.create(tx, session)
        stored = await sessions.append(tx, session.session_id, messages)
        for part in (stored[:4], stored[4:]):  # two stages: no window reaches from one into the other
            miv = await clock.advance(tx, engine=str(handle.identity))
            await engine.projector.archive_stage(tx, session, part, miv=miv, visibility=Visibility.PRIVATE)
    await fill_vectors(engine.database, scope, handle)
    async with engine.database.transaction(scope) as tx:
        rows = await tx.all("select ordinal, norm, speaker, body from pm.context_catalog where pos > 0 order by pos")
    assert [row["ordinal"] for row in rows] == list(range(1, 8))
    vectors = np.array(await embeddings.aembed_documents([f"{row['speaker']}: {row['body']}" for row in rows]))
    for place, row in enumerate(rows):
        stage = range(4) if place < 4 else range(4, 7)
        expected = sum(
            (weight * vectors[place + offset] for offset, weight in WINDOW.items() if place + offset in stage),
            np.zeros(64),
        )
        assert row["norm"] == pytest.approx(float(np.linalg.norm(expected)), abs=2e-3), row["body"]


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
        items = await vectors.without_vector(tx, engine=name, limit=10)
    made = await embed_batch(handle, [item.title for item in items], "passage")
    async with engine.database.transaction(scope) as tx:
        await delete_notes(tx, [note.note_id], engine=engine.engine_id, assets=engine.assets)
    async with engine.database.transaction(scope) as tx:
        await vectors.put_vectors(tx, items, [v for v in made if v is not None], engine=name)
    assert database.rows("select 1 from pm.vector v join pm.context_catalog c using (vid) where c.is_leaf") == []


async def test_cosines_come_from_the_database_as_numpy_would_give_them(engine: Engine, scope: Scope) -> None:
    for text in ("red apples", "green pears", "红苹果"):
        await save_note(engine, scope, text)
    handle, _ = hashed(64)
    await fill_vectors(engine.database, scope, handle)
    question = hashed_vector("red apples and pears", 64)
    async with engine.database.transaction(scope) as tx:
        miv = (await clock.read(tx, engine="x")).miv
        rows = await catalog.read_snapshot(
            tx, miv=miv, engine=str(handle.identity), vectors=[question], terms=["apple", "苹果"]
        )
        texts = await catalog.bodies(tx, [vid for vid, _, _ in rows.cosines])
    assert len(rows.cosines) == len(rows.nodes or [])
    leaves = {vid: node for vid, (node, _) in texts.items() if node.is_leaf}
    assert len(leaves) == 3
    for vid, query, cosine in rows.cosines:
        if vid in leaves:
            vector = hashed_vector(f"{leaves[vid].title}\n{leaves[vid].body}", 64)
            assert query == 1
            assert cosine == pytest.approx(float(vector @ question), abs=2e-3)
