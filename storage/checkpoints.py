"""The LangGraph saver: pooled, behind row-level security, with an identity for every call.

Half of the calls a server makes carry no user in their config (measured), so the identity is resolved by us: the
scope that was entered, else the user the server signed in, else the call is refused. Deletions that a server makes
with no identity at all run as the janitor, a role that may only delete checkpoints.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg import AsyncCursor
from psycopg.rows import DictRow, dict_row
from psycopg_pool import PoolTimeout

from context.errors import ScopeError, StorageUnavailable
from context.scope import Scope, current_scope
from storage.database import Database, translated
from storage.queries import queries

_SQL = queries("checkpoints")
_scope: ContextVar[Scope | None] = ContextVar("pocketmind_checkpoint_scope", default=None)
_snapshot: ContextVar[bool] = ContextVar("pocketmind_checkpoint_snapshot", default=False)

IdentityOf = Callable[[RunnableConfig | None], Scope | None]


def nobody(_config: RunnableConfig | None) -> Scope | None:
    """No server: only an entered scope counts."""
    return None


class PooledSaver(AsyncPostgresSaver):
    """A saver without the stock one's global lock; several calls run at once on the pool.

    Args:
        database: the application's pool.
        signed_in: finds the user that a server has verified for this call, or None.
    """

    def __init__(self, database: Database, *, signed_in: IdentityOf = nobody) -> None:
        # An empty allow-list: state holds plain values only, and a class in a checkpoint is an attack.
        super().__init__(database.pool, serde=JsonPlusSerializer(allowed_msgpack_modules=[]))
        self._database = database
        self._signed_in = signed_in

    @contextmanager
    def _as(self, config: RunnableConfig | None) -> Iterator[None]:
        scope = current_scope() or self._signed_in(config)
        if scope is None:
            raise ScopeError("Nobody is signed in: checkpoints are read and written for a known user only.")
        token = _scope.set(scope)
        try:
            yield
        finally:
            _scope.reset(token)

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        scope = _scope.get()
        if scope is None:
            raise ScopeError("Nobody is signed in: checkpoints are read and written for a known user only.")
        try:
            async with self._database.transaction(scope, snapshot=_snapshot.get()) as tx:
                connection = tx.connection
                if pipeline:
                    async with connection.pipeline(), connection.cursor(binary=True, row_factory=dict_row) as cursor:
                        yield cursor
                else:
                    async with connection.cursor(binary=True, row_factory=dict_row) as cursor:
                        yield cursor
        except psycopg.Error as error:
            raise translated(error) from error

    async def setup(self) -> None:
        """Nothing to do: migrations make the tables."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint of the caller's own thread, or None."""
        with self._as(config):
            return await super().aget_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # the base class names it so
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """The caller's own checkpoints, newest first."""
        with self._as(config):
            found = [row async for row in super().alist(config, filter=filter, before=before, limit=limit)]
        for row in found:  # outside the block: a generator may be left half-read in another context
            yield row

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint for the caller."""
        with self._as(config):
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the pending writes of a task for the caller."""
        with self._as(config):
            await super().aput_writes(config, writes, task_id, task_path)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Prune the caller's own threads."""
        # The stock saver asks for one snapshot inside the transaction that we have begun: too late, unless it is one.
        token = _snapshot.set(True)
        try:
            with self._as(None):
                await super().aprune(thread_ids, strategy=strategy)
        finally:
            _snapshot.reset(token)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread: the caller's own, or, with no identity at all, as the janitor."""
        await self._delete(_SQL_THREAD, {"thread_id": str(thread_id)})

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that these runs wrote (a server rolls back a run this way)."""
        await self._delete(_SQL_RUNS, {"run_ids": [str(run_id) for run_id in run_ids]})

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy one of the caller's threads with its whole history."""
        values = {"source": str(source_thread_id), "target": str(target_thread_id)}
        with self._as(None):
            async with self._cursor() as cursor:
                for name in ("copy_checkpoints", "copy_blobs", "copy_writes"):
                    await cursor.execute(_SQL[name], values)

    async def _delete(self, names: tuple[str, ...], values: Mapping[str, Any]) -> None:
        scope = current_scope() or self._signed_in(None)
        if scope is not None:
            async with self._database.transaction(scope) as tx:
                for name in names:
                    await tx.execute(_SQL[name], values)
            return
        try:
            async with self._database.pool.connection() as connection, connection.transaction():
                await connection.execute(_SQL["become_janitor"])
                for name in names:
                    await connection.execute(_SQL[name], values)
        except PoolTimeout as error:
            raise StorageUnavailable("No database connection is free; try again in a moment.") from error
        except psycopg.Error as error:
            raise translated(error) from error


_SQL_THREAD = ("delete_writes", "delete_blobs", "delete_checkpoints")
_SQL_RUNS = ("delete_writes_of_runs", "delete_checkpoints_of_runs")
