"""The pool and `transaction(scope)`: the only way to get a cursor on user data."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, LiteralString

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, AsyncCursor
from psycopg.conninfo import make_conninfo
from psycopg.rows import DictRow, TupleRow, dict_row, tuple_row
from psycopg.types.json import set_json_dumps
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from context.errors import ConfigurationError, StorageError, StorageUnavailable
from context.scope import Scope
from storage.encoding import dump_json

Connection = AsyncConnection[DictRow]
Statement = tuple[LiteralString, Mapping[str, Any] | None]
"""A query and its values."""

SEARCH_PATH = "public,pm_jobs,pm_checkpoint"

# Role settings are lost after SET ROLE and are not there on a role the operator made: every connection carries them.
# force_custom_plan: a generic plan made for a big tenant starves a small one (measured: 0 of 20 rows).
OPTIONS = (
    f"-c search_path={SEARCH_PATH} -c plan_cache_mode=force_custom_plan -c statement_timeout=30s"
    " -c idle_in_transaction_session_timeout=30s -c lock_timeout=10s -c timezone=UTC"
    " -c max_parallel_workers_per_gather=0 -c jit=off"
)

_SNAPSHOT = "set transaction isolation level repeatable read"
_ENTER = (
    "select set_config('pm.tenant', %(tenant)s, true), set_config('pm.user', %(owner)s, true),"
    " set_config('pm.agent', %(agent)s, true)"
)


@dataclass(frozen=True, slots=True)
class Transaction:
    """An open transaction of one scope. Its tenant, owner and agent are parameters of every statement.

    Attributes:
        deferred: jobs that this transaction has asked for, so that each is deferred once.
    """

    scope: Scope
    connection: Connection
    deferred: set[tuple[str, ...]] = field(default_factory=set)

    def _params(self, values: Mapping[str, Any] | None) -> dict[str, Any]:
        identity = {"tenant": self.scope.tenant, "owner": self.scope.user, "agent": self.scope.agent}
        return {**(values or {}), **identity}

    async def execute(
        self, statement: LiteralString, values: Mapping[str, Any] | None = None, *, binary: bool = False
    ) -> AsyncCursor[DictRow]:
        """Run a statement; `%(tenant)s`, `%(owner)s` and `%(agent)s` are filled in and cannot be overridden."""
        try:
            return await self.connection.execute(statement, self._params(values), binary=binary)
        except psycopg.Error as error:
            raise translated(error) from error

    async def all(self, statement: LiteralString, values: Mapping[str, Any] | None = None) -> list[DictRow]:
        """All rows of a query."""
        return await (await self.execute(statement, values)).fetchall()

    async def one(self, statement: LiteralString, values: Mapping[str, Any] | None = None) -> DictRow | None:
        """The first row of a query, or None."""
        return await (await self.execute(statement, values)).fetchone()

    async def pipelined(self, statements: Sequence[Statement]) -> list[list[TupleRow]]:
        """Send several statements in one round trip; the rows of each, in order, as tuples (none of a statement that
        gives no rows)."""
        try:
            async with self.connection.pipeline():
                cursors = [self.connection.cursor(binary=True, row_factory=tuple_row) for _ in statements]
                for cursor, (statement, values) in zip(cursors, statements, strict=True):
                    await cursor.execute(statement, self._params(values))
            return [await cursor.fetchall() if cursor.description else [] for cursor in cursors]
        except psycopg.Error as error:
            raise translated(error) from error


class Database:
    """The application's pool, logged in as the role that owns nothing and bypasses nothing.

    Args:
        url: connection URL of the app role.
        size: the most connections at once.
        wait: seconds to wait for a free connection before StorageUnavailable.
    """

    def __init__(self, url: str, *, size: int = 16, wait: float = 5.0) -> None:
        self.url = url
        self.pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            checked_conninfo(url),
            min_size=1,
            max_size=size,
            timeout=wait,
            max_idle=120,
            max_lifetime=1800,
            open=False,
            connection_class=AsyncConnection[DictRow],
            configure=_configure,
            check=AsyncConnectionPool.check_connection,
            kwargs={
                "autocommit": True,
                "row_factory": dict_row,
                "options": OPTIONS,
                "connect_timeout": 5,
                "application_name": "pocketmind",
            },
        )

    async def open(self) -> None:
        """Open the pool.

        Raises:
            StorageUnavailable: the database cannot be reached.
        """
        await _reached(self.url)  # at once and with the reason; the pool would try for a while and hide it
        try:
            await self.pool.open(wait=True, timeout=10)
        except (PoolTimeout, psycopg.Error) as error:
            await self.pool.close()
            raise StorageUnavailable(f"The database at {_where(self.url)} was slow to answer; try again.") from error

    async def close(self) -> None:
        """Give back every connection."""
        await self.pool.close()

    @asynccontextmanager
    async def transaction(self, scope: Scope, *, snapshot: bool = False) -> AsyncIterator[Transaction]:
        """Begin a transaction as `scope`; commit at the end of the block, roll back on an exception.

        Args:
            snapshot: all its statements see what was committed when it began (REPEATABLE READ).

        Raises:
            StorageUnavailable: no connection is free, or the database is gone.
        """
        try:
            async with self.pool.connection() as connection, connection.transaction():
                if snapshot:
                    await connection.execute(_SNAPSHOT)  # before any statement that sees rows
                identity = {"tenant": scope.tenant, "owner": scope.user, "agent": scope.agent}
                await connection.execute(_ENTER, identity)
                yield Transaction(scope, connection)
        except PoolTimeout as error:
            raise StorageUnavailable("No database connection is free; try again in a moment.") from error
        except psycopg.Error as error:
            raise translated(error) from error


async def _configure(connection: Connection) -> None:
    await register_vector_async(connection)
    set_json_dumps(dump_json, connection)


def checked_conninfo(url: str) -> str:
    """`url` as a psycopg conninfo string.

    Raises:
        ConfigurationError: it cannot be read; the message does not repeat it, since it may hold a password.
    """
    try:
        return make_conninfo(url)
    except psycopg.ProgrammingError as error:
        raise ConfigurationError(
            "DATABASE_URL is not a PostgreSQL connection URL.", hint="postgresql://user:password@host:5432/database"
        ) from error


async def _reached(url: str) -> None:
    try:
        async with await AsyncConnection.connect(checked_conninfo(url), connect_timeout=5):
            return
    except psycopg.OperationalError as error:
        raise unreachable(url, error) from error


def unreachable(url: str, error: psycopg.OperationalError) -> StorageUnavailable:
    """Why a database cannot be reached, in the server's own first line."""
    lines = str(error).strip().splitlines()
    reason = lines[0] if lines else type(error).__name__
    return StorageUnavailable(
        f"The database at {_where(url)} cannot be reached: {reason}",
        hint="Check DATABASE_URL, or unset it to use the embedded PostgreSQL.",
    )


def _where(url: str) -> str:
    parts = psycopg.conninfo.conninfo_to_dict(checked_conninfo(url))
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"


def translated(error: psycopg.Error) -> StorageError:
    """A driver's error as one of ours; the driver's own text stays in `__cause__`, since it may quote values."""
    if isinstance(error, psycopg.OperationalError) and not isinstance(error, psycopg.errors.DiskFull):
        return StorageUnavailable(f"The database did not answer ({type(error).__name__}); try again.")
    return StorageError(f"The database refused a statement ({type(error).__name__}).")
