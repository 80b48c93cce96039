"""Forward-only migrations under a polled advisory lock; many processes may start on an empty database at once."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from typing import LiteralString

import procrastinate
import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row

from context.errors import ConfigurationError, SchemaMismatch, StorageUnavailable
from storage.database import SEARCH_PATH, Connection, checked_conninfo, unreachable
from storage.queries import queries

_LOCK = 6_046_193_077  # any constant will do; it only has to be ours
_FILE = re.compile(r"(\d{4})_\w+\.sql\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One file of `sql/migrations`."""

    number: int
    name: str
    sql: str
    digest: str


def migrations() -> tuple[Migration, ...]:
    """All migrations in order.

    Raises:
        SchemaMismatch: numbers are not 1, 2, 3, ...
    """
    found = []
    for entry in files("storage").joinpath("sql", "migrations").iterdir():
        if match := _FILE.match(entry.name):
            text = entry.read_text("utf-8")
            digest = hashlib.sha256(text.encode()).hexdigest()[:16]
            found.append(Migration(number=int(match[1]), name=entry.name, sql=text, digest=digest))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise SchemaMismatch("The migration files are not numbered 0001, 0002, ... without gaps.")
    return tuple(found)


async def migrate(admin_url: str, *, deadline: float = 60.0) -> int:
    """Bring the database to this code's schema.

    Args:
        admin_url: connection URL of the role that owns the schema (never of the app role).
        deadline: seconds to wait while another process migrates.

    Returns:
        How many migrations this call applied.

    Raises:
        SchemaMismatch: the database was migrated by newer code, or an applied file was changed since.
        StorageUnavailable: it cannot be reached, or another process held the lock past the deadline.
    """
    async with _locked(admin_url, deadline) as connection:
        statements = queries("migrate")
        await connection.execute(statements["prepare"])
        applied = {row["number"]: row["digest"] for row in await _rows(connection, statements["applied"])}
        known = migrations()
        if newer := set(applied) - {migration.number for migration in known}:
            raise SchemaMismatch(
                f"The database has migration {max(newer)}, which this version does not know.",
                hint="Install the newer version of pocketmind, or use another database.",
            )
        count = 0
        for migration in known:
            if migration.number not in applied:
                await _apply(connection, migration)
                count += 1
            elif applied[migration.number] != migration.digest:
                raise SchemaMismatch(f"{migration.name} was changed after it had been applied.")
        await _checkpoint_tables(connection)
        await _job_tables(connection)
    return count


async def owns_schema(url: str) -> bool:
    """Whether this role made our schema, or may make it because nobody has yet. An unreachable server says no; the
    pool will tell why."""
    try:
        async with await AsyncConnection.connect(
            checked_conninfo(url), connect_timeout=5, row_factory=dict_row
        ) as connection:
            return bool((await _rows(connection, queries("migrate")["owns_schema"]))[0]["owns"])
    except psycopg.OperationalError:
        return False


async def _apply(connection: Connection, migration: Migration) -> None:
    async with connection.transaction():
        await connection.execute(migration.sql.encode())  # our own file; bytes: sent as it is
        await connection.execute(
            queries("migrate")["record"],
            {"number": migration.number, "name": migration.name, "digest": migration.digest},
        )


async def _checkpoint_tables(connection: Connection) -> None:
    """LangGraph's own tables, then our wall round them; both do nothing when nothing changed."""
    wanted = len(AsyncPostgresSaver.MIGRATIONS) - 1
    have = await _rows(connection, queries("migrate")["checkpoint_version"])
    if have and have[0]["version"] == wanted:
        return
    await connection.execute(queries("migrate")["into_checkpoints"])
    await AsyncPostgresSaver(connection).setup()
    async with connection.transaction():
        await connection.execute(queries("migrate")["checkpoint_wall"])
        await connection.execute(queries("migrate")["set_library"], {"library": "checkpoint", "version": str(wanted)})


async def _job_tables(connection: Connection) -> None:
    """Procrastinate's own tables in a schema of their own, then our wall round them."""
    wanted = version("procrastinate")
    have = await _rows(connection, queries("migrate")["library"], {"library": "procrastinate"})
    if have:
        # Procrastinate changes its schema only with migrations named after a version; 3.10 is our floor.
        return
    async with connection.transaction():
        await connection.execute(queries("migrate")["into_jobs"])
        await connection.execute(procrastinate.schema.SchemaManager.get_schema())
        await connection.execute(queries("migrate")["jobs_wall"])
        await connection.execute(queries("migrate")["set_library"], {"library": "procrastinate", "version": wanted})


async def _rows(
    connection: Connection, statement: LiteralString, values: dict[str, str] | None = None
) -> list[DictRow]:
    return await (await connection.execute(statement, values)).fetchall()


@asynccontextmanager
async def _locked(admin_url: str, deadline: float) -> AsyncIterator[Connection]:
    """A connection that holds the migration lock.

    The lock is polled: a session that *waits* for it holds a snapshot, on which CREATE INDEX CONCURRENTLY (in
    LangGraph's setup) waits in turn, which is a deadlock.
    """
    try:
        connection = await AsyncConnection.connect(
            checked_conninfo(admin_url),
            autocommit=True,
            row_factory=dict_row,
            prepare_threshold=None,
            options=f"-c search_path={SEARCH_PATH} -c client_min_messages=warning",
            connect_timeout=5,
        )
    except psycopg.OperationalError as error:
        raise unreachable(admin_url, error) from error
    async with connection:
        waited = 0.0
        while not (await _rows(connection, queries("migrate")["try_lock"], {"key": str(_LOCK)}))[0]["locked"]:
            if waited >= deadline:
                raise StorageUnavailable("Another process has been migrating for too long; try again later.")
            await asyncio.sleep(0.05)
            waited += 0.05
        try:
            yield connection
        except psycopg.errors.InsufficientPrivilege as error:
            raise ConfigurationError(
                f"The role that migrates may not do so: {error.diag.message_primary}",
                hint="Give POCKETMIND_ADMIN_URL a role that owns the database.",
            ) from error
        finally:
            await connection.execute(queries("migrate")["unlock"], {"key": str(_LOCK)})
