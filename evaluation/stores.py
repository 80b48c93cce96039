"""Stores: owners in a measurement's database who have a known number of notes, made by the shipped path."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from context.scope import Scope
from engine.engine import Engine
from evaluation.samples import Samples
from evaluation.synthetic import TopicVectors, synthetic_note
from models.embedders import EmbedderHandle
from resources.vectors import fill_vectors
from storage import clock, live


@dataclass(slots=True, kw_only=True)
class Store:
    """One owner's notes.

    Attributes:
        ingest: milliseconds of each note: one transaction with truth, L0, chunks, words, catalogue, event and the
            request for a vector.
        vector_milliseconds: of storing one node's vector, without making it.
    """

    engine: Engine
    scope: Scope
    vectors: EmbedderHandle
    notes: int = 0
    ingest: Samples = field(default_factory=Samples)
    vector_milliseconds: float = 0.0

    async def grow(self, notes: int) -> None:
        """Save notes until there are so many. They have no vectors yet."""
        while self.notes < notes:
            note = synthetic_note(self.notes)
            with self.ingest.timed():
                async with self.engine.database.transaction(self.scope) as tx:
                    await self.engine.projector.save_note(tx, note)
            self.notes += 1

    async def fill(self) -> None:
        """Give every node its synthetic vector."""
        spent = Samples()
        with spent.timed():
            stored = await fill_vectors(self.engine.database, self.scope, self.vectors)
        self.vector_milliseconds = spent.milliseconds[0] / max(1, stored)

    async def nodes(self) -> int:
        """How many live nodes there are."""
        async with self.engine.database.transaction(self.scope) as tx:
            now = await clock.read(tx, engine=self.engine.engine_id)
            rows = await live.read_snapshot(tx, miv=now.miv, engine=now.engine, vectors=[], terms=[], cached=False)
        return len(rows.nodes or [])


def synthetic_handle(real: EmbedderHandle, vectors: TopicVectors) -> EmbedderHandle:
    """An embedder that makes synthetic vectors and passes for the real one, whose questions are asked against them."""
    return replace(real, embeddings=vectors)
