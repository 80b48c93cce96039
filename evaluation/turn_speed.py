"""How long a chat turn takes apart from its model, how it grows with the conversation, and what it leaves behind."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import PrivateAttr

from context.errors import ModelError
from engine.engine import Engine
from evaluation.samples import Samples
from evaluation.stores import Store
from evaluation.synthetic import synthetic_question
from evaluation.yardsticks import checkpoint_bytes
from graphs.runs import run_turn
from models.offline import OfflineBrain


class TimedBrain(OfflineBrain):
    """The offline brain with a stopwatch, so that its time can be taken off a turn's."""

    _spent: float = PrivateAttr(default=0.0)

    def take_milliseconds(self) -> float:
        """What it has spent since it was last asked."""
        spent, self._spent = self._spent, 0.0
        return spent * 1000

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        began = time.perf_counter()
        async for chunk in super()._astream(messages, stop, run_manager, **kwargs):
            self._spent += time.perf_counter() - began
            yield chunk
            began = time.perf_counter()
        self._spent += time.perf_counter() - began


@dataclass(slots=True, kw_only=True)
class TurnTimes:
    """Milliseconds of the turns of one session.

    Attributes:
        ours: without the model's time, in order. model: the offline brain's own.
        stages: of each stage that reports itself; retrieval's branches overlap.
        live_bytes, stored_bytes: of the thread's checkpoints at the end.
    """

    session_id: UUID = field(default_factory=uuid4)
    ours: Samples = field(default_factory=Samples)
    model: Samples = field(default_factory=Samples)
    stages: dict[str, Samples] = field(default_factory=lambda: defaultdict(Samples))
    cited: int = 0
    live_bytes: int = 0
    stored_bytes: int = 0


async def time_turns(stores: Sequence[Store], *, turns: int) -> list[TurnTimes]:
    """Hold one conversation of so many turns in every store, a turn here and a turn there.

    Raises:
        ModelError: an answer is incomplete, so its time means nothing.
    """
    real = stores[0].engine
    brain = TimedBrain(embeddings=real.embedder.embeddings if real.embedder else None)
    engine = replace(real, chat_model=brain)
    for store in stores:  # the first turns pay for imports and for reading the live nodes
        await _turn(engine, brain, store, TurnTimes(), "你好，请问发票核验的预算是多少？")
        await _turn(engine, brain, store, TurnTimes(), "What is the budget of the tax report?")
    times = [TurnTimes() for _ in stores]
    for number in range(turns):
        for place, (store, found) in enumerate(zip(stores, times, strict=True)):
            await _turn(engine, brain, store, found, synthetic_question(number, series=f"turn:{place}"))
    for store, found in zip(stores, times, strict=True):
        async with engine.database.transaction(store.scope) as tx:
            found.live_bytes, found.stored_bytes = await checkpoint_bytes(tx, found.session_id)
    return times


async def _turn(engine: Engine, brain: TimedBrain, store: Store, times: TurnTimes, text: str) -> None:
    state: dict[str, Any] = {}
    brain.take_milliseconds()
    began = time.perf_counter()
    async for part in run_turn(engine, store.scope, times.session_id, text):
        if part.kind == "end":
            state = part.value
        elif part.kind == "event" and part.value.get("state") == "finished":
            times.stages[part.value["stage"]].add(part.value["milliseconds"])
    whole = (time.perf_counter() - began) * 1000
    spent = brain.take_milliseconds()
    if state["answer"]["incomplete"]:
        raise ModelError("A turn of the measurement ended without a whole answer.")
    times.ours.add(whole - spent)
    times.model.add(spent)
    times.cited += bool(state["answer"]["citations"])
