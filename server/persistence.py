"""The checkpointer that `langgraph.json` names: our saver on the shared engine's pool."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.engine import shared_engine
from storage.checkpoints import PooledSaver


@asynccontextmanager
async def checkpointer() -> AsyncIterator[PooledSaver]:
    """The saver, as long as the server runs; the engine itself is closed by the application's lifespan."""
    yield (await shared_engine()).saver
