"""Labelled conversations in a measurement's database, each an owner of its own.

They come in as an import brings chats in: messages, then committed stages, then vectors. Nothing is distilled: what is
found is what was said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from uuid import NAMESPACE_URL, UUID, uuid5

from context.budget import count_tokens
from context.scope import Scope
from context.truth import ChatMessage, ChatSession
from context.uri import message_uri
from engine.engine import Engine
from evaluation.datasets import LabelledConversation, Sitting, Turn
from evaluation.kept_vectors import KeptVectors
from evaluation.samples import Samples
from memory import archive
from models.embedders import EmbedderHandle
from resources.vectors import Moved, fill_vectors
from storage import sessions

COUNTERS = ("chars/4 + 4", "o200k", "gate")
"""Ways to count tokens: the one under which the target was set, what a model pays, and what our own gates compare."""


@dataclass(slots=True, kw_only=True)
class LabelledStore:
    """One conversation as its owner's data.

    Attributes:
        units: address of a message to the unit that it is, or is part of.
        costs: way to count to unit to tokens, its speaker's name included.
        ingest: milliseconds of each sitting, stored and archived.
    """

    conversation: LabelledConversation
    scope: Scope
    units: dict[str, str] = field(default_factory=dict)
    costs: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in COUNTERS})
    ingest: Samples = field(default_factory=Samples)

    @property
    def turns(self) -> int:
        """How many messages there are."""
        return sum(len(sitting.turns) for sitting in self.conversation.sittings)

    async def bring_in(self, engine: Engine) -> None:
        """Store and archive every sitting, in order."""
        for sitting in self.conversation.sittings:
            with self.ingest.timed():
                await self._sitting(engine, sitting)
            for turn in sitting.turns:
                for name, tokens in counted(f"{turn.speaker or turn.role.value}: {turn.text}").items():
                    costs = self.costs[name]
                    costs[turn.unit] = costs.get(turn.unit, 0) + tokens

    async def fill(self, engine: Engine, embedder: EmbedderHandle, kept: KeptVectors, *, moved: Moved) -> None:
        """Give every message its vector."""
        await fill_vectors(engine.database, self.scope, replace(embedder, embeddings=kept), moved=moved)

    async def _sitting(self, engine: Engine, sitting: Sitting) -> None:
        session_id = uuid5(NAMESPACE_URL, f"pocketmind:evaluation:{self.scope.user}:{sitting.key}")
        said = [_message(session_id, place, turn) for place, turn in enumerate(sitting.turns)]
        async with engine.database.transaction(self.scope) as tx:
            await sessions.create(tx, ChatSession(session_id=session_id, title=sitting.key))
            stored = await sessions.append(tx, session_id, said)
        for turn, message in zip(sitting.turns, stored, strict=True):
            self.units[str(message_uri(self.scope.user, session_id, message.seq))] = turn.unit
        while await self._archived(engine, session_id):
            pass

    async def _archived(self, engine: Engine, session_id: UUID) -> bool:
        """Commit the next stage without distilling it; False when none is left."""
        async with engine.database.transaction(self.scope) as tx:
            claimed = await archive.claim(tx, session_id, settings=engine.settings.archive)
            if claimed is None:
                return False
            stage = await archive.load(tx, claimed.commit_id, lock=True)
            recall = engine.settings.archive.transcript_recall
            await archive.archive(tx, stage, engine.projector, engine=engine.engine_id, recall=recall)
            return True


def counted(text: str) -> Mapping[str, int]:
    """Tokens of a text by each of `COUNTERS`."""
    tokens = count_tokens(text)
    return dict(zip(COUNTERS, (tokens.repo, tokens.o200k, tokens.gate), strict=True))


def _message(session_id: UUID, place: int, turn: Turn) -> ChatMessage:
    return ChatMessage(
        message_id=uuid5(session_id, str(place)),
        role=turn.role,
        content=turn.text,
        sent_at=turn.sent_at,
        speaker=turn.speaker,
        zone="UTC",
    )
