"""The transaction helper: an identity lasts one transaction, cannot be overridden, and nobody sees nothing."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from context.errors import NotFoundError, StorageError, StorageUnavailable
from context.scope import Scope
from engine.engine import Engine
from storage import notes
from storage.database import Database
from tests.support import cluster
from tests.support.engines import save_note

IDENTITY = """select nullif(current_setting('pm.tenant', true), '') as tenant,
  nullif(current_setting('pm.user', true), '') as owner, (select count(*) from pm.note) as notes"""
SEEN = "select tenant_id, owner_id, body from pm.note"
TABLES = "select tablename from pg_tables where schemaname = 'pm' order by 1"


async def test_two_tenants_interleaved_on_one_connection_never_meet(
    engine: Engine, database: cluster.Database, scope: Scope, other_tenant: Scope
) -> None:
    for owner in (scope, other_tenant):
        await save_note(engine, owner, f"of {owner.tenant}")
    narrow = Database(database.app, size=1, wait=60)
    await narrow.open()

    async def look(number: int) -> None:
        owner = scope if number % 2 else other_tenant
        async with narrow.transaction(owner) as tx:
            rows = await tx.all(SEEN)
            await asyncio.sleep(0)
            assert [(row["tenant_id"], row["body"]) for row in rows] == [(owner.tenant, f"of {owner.tenant}")]
            if number % 7 == 0:
                raise NotFoundError("a turn that ends badly")
        async with narrow.pool.connection() as connection:
            left = await (await connection.execute(IDENTITY)).fetchone()
        assert left == {"tenant": None, "owner": None, "notes": 0}

    ended = await asyncio.gather(*(look(number) for number in range(200)), return_exceptions=True)
    await narrow.close()
    assert [type(end) for end in ended if end is not None] == [NotFoundError] * 29


async def test_a_cancelled_transaction_leaves_neither_rows_nor_identity(
    database: cluster.Database, scope: Scope
) -> None:
    narrow = Database(database.app, size=1)
    await narrow.open()
    inside = asyncio.Event()

    async def write() -> None:
        async with narrow.transaction(scope) as tx:
            await tx.execute("insert into pm.owner_clock values (%(tenant)s, %(owner)s, 1, 0, 8, 'x')")
            inside.set()
            await asyncio.sleep(30)

    writing = asyncio.create_task(write())
    await inside.wait()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    async with narrow.transaction(scope) as tx:
        assert await tx.all("select * from pm.owner_clock") == []
    await narrow.close()


async def test_a_caller_cannot_override_the_identity(engine: Engine, scope: Scope) -> None:
    forged = {"tenant": "globex", "owner": "bob", "agent": "spy"}
    async with engine.database.transaction(scope) as tx:
        row = await tx.one(
            "select %(tenant)s::text as tenant, %(owner)s::text as owner, %(agent)s::text as agent", forged
        )
        assert row == {"tenant": scope.tenant, "owner": scope.user, "agent": scope.agent}
        sent = await tx.pipelined([("select %(tenant)s::text, %(owner)s::text", forged)])
        assert sent == [[(scope.tenant, scope.user)]]


async def test_a_statement_that_names_another_owner_is_refused_by_the_wall(engine: Engine, scope: Scope) -> None:
    insert = "insert into pm.owner_clock values ({}, {}, 1, 0, 8, 'x')"
    for tenant, owner in (("'globex'", "%(owner)s"), ("%(tenant)s", "'bob'"), ("%(tenant)s", "'*'")):
        with pytest.raises(StorageError):
            async with engine.database.transaction(scope) as tx:
                await tx.connection.execute(
                    insert.format(tenant, owner).encode(), {"tenant": scope.tenant, "owner": scope.user}
                )


async def test_without_an_identity_every_table_is_empty_and_closed(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    await save_note(engine, scope, "something is stored")
    tables = [row[0] for row in database.rows(TABLES)]
    assert len(tables) >= 18
    with psycopg.connect(database.app, autocommit=True) as connection:
        for table in tables:
            count = sql.SQL("select count(*) from pm.{}").format(sql.Identifier(table))
            assert connection.execute(count).fetchone() == (0,), table
        for table in ("note", "event", "context_catalog"):
            insert = sql.SQL("insert into pm.{} (tenant_id, owner_id) values ('acme', 'ann')").format(
                sql.Identifier(table)
            )
            with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.NotNullViolation)):
                connection.execute(insert)
        assert connection.execute("delete from pm.note").rowcount == 0
        assert connection.execute("update pm.note set body = ''").rowcount == 0
    assert database.rows("select body from pm.note") == [("something is stored",)]


def test_nothing_can_be_stored_without_an_owner(database: cluster.Database) -> None:
    """Not even by the role that owns the tables: an object without an owner would be everybody's or nobody's."""
    columns = database.rows(
        "select table_name, column_name, domain_name, is_nullable from information_schema.columns"
        " where table_schema = 'pm' and column_name in ('tenant_id', 'owner_id')"
    )
    assert {(domain, nullable) for _, _, domain, nullable in columns} == {("id", "NO")}
    tables = database.rows("select tablename from pg_tables where schemaname = 'pm'")
    assert len(columns) == 2 * len(tables)
    for bad in ("", "x" * 257):
        with psycopg.connect(database.superuser) as connection, pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("insert into pm.owner_clock values ('acme', %s, 1, 0, 8, 'x')", (bad,))


async def test_no_free_connection_is_an_answer_and_not_a_wait(database: cluster.Database, scope: Scope) -> None:
    narrow = Database(database.app, size=1, wait=0.1)
    await narrow.open()
    async with narrow.transaction(scope):
        with pytest.raises(StorageUnavailable, match="free") as refused:
            async with narrow.transaction(scope):
                pass
    assert refused.value.retryable
    async with narrow.transaction(scope) as tx:
        with pytest.raises(NotFoundError):
            await notes.get(tx, uuid4())
    await narrow.close()


async def test_an_error_of_the_database_keeps_its_words_to_itself(engine: Engine, scope: Scope) -> None:
    async with engine.database.transaction(scope) as tx:
        with pytest.raises(StorageError) as refused:
            await tx.execute("select 'a secret of ann'::int")
    assert "secret" not in str(refused.value)
