"""What a tenant shares is read by its users and written by none; what one agent distilled no other agent sees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from context.errors import NotFoundError, StorageError
from context.scope import Scope
from context.types import MemoryType, Status
from engine.engine import Engine
from memory.nodes import memory_node
from storage import catalog, live, memories
from storage.catalog import IndexedNode
from tests.isolation.conftest import World
from tests.support import cluster
from tests.support.engines import memory_record

SHARE = """do $$ declare t text; columns text; begin
  set session_replication_role = replica;
  for t in select tablename from pg_tables where schemaname = 'pm' loop
    select string_agg(quote_ident(column_name), ', ') into columns from information_schema.columns
      where table_schema = 'pm' and table_name = t and column_name <> 'owner_id';
    execute format('insert into pm.%I (owner_id, %s) overriding system value
      select ''*'', %s from pm.%I where tenant_id = ''acme'' and owner_id = ''ann''', t, columns, columns, t);
  end loop;
end $$"""


@pytest.fixture(scope="module")
def shared_rows(world: World) -> Iterator[World]:
    """Every row of Ann's a second time, as her tenant's shared one, for the length of the tests below."""
    world.database.rows(SHARE)
    yield world
    for (table,) in world.database.rows("select tablename from pg_tables where schemaname = 'pm'"):
        world.database.rows(f"delete from pm.{table} where owner_id = '*'")  # noqa: S608


@contextmanager
def logged_in(database: cluster.Database, tenant: str, user: str) -> Iterator[psycopg.Connection[Any]]:
    """The application's role in a transaction of this identity, rolled back at the end."""
    with psycopg.connect(database.app) as connection:
        connection.execute("select set_config('pm.tenant', %s, true), set_config('pm.user', %s, true)", (tenant, user))
        yield connection
        connection.rollback()


def tables(world: World) -> list[str]:
    names = world.database.rows("select tablename from pg_tables where schemaname = 'pm' order by 1")
    return [f"pm.{name}" for (name,) in names]


def test_a_tenant_s_shared_rows_are_seen_by_its_users_alone(shared_rows: World) -> None:
    for table in tables(shared_rows):
        for tenant, user, seen in (("acme", "bob", True), ("globex", "bob", False), ("acme", "", False)):
            with logged_in(shared_rows.database, tenant, user) as connection:
                row = connection.execute(f"select count(*) > 0 from {table} where owner_id = '*'".encode()).fetchone()  # noqa: S608
                assert row == (seen,), (table, tenant, user)


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_shared_rows_are_written_deleted_and_stolen_by_nobody(shared_rows: World, user: str) -> None:
    for table in tables(shared_rows):
        before = shared_rows.database.table(table)
        for statement in (
            f"update {table} set owner_id = '{user}' where owner_id = '*'",  # noqa: S608
            f"update {table} set tenant_id = tenant_id where owner_id = '*'",  # noqa: S608
            f"delete from {table} where owner_id = '*'",  # noqa: S608
            f"insert into {table} (tenant_id, owner_id) values ('acme', '*')",  # noqa: S608
        ):
            with logged_in(shared_rows.database, "acme", user) as connection:
                try:
                    assert connection.execute(statement.encode()).rowcount == 0, statement
                    assert not statement.startswith("insert"), statement
                except psycopg.errors.InsufficientPrivilege:
                    continue
        assert shared_rows.database.table(table) == before


def test_own_rows_are_given_to_nobody(world: World) -> None:
    """Neither shared, which would show them to all, nor pushed into another's memory."""
    for table in tables(world):
        for owner, tenant in (("*", "acme"), ("bob", "acme"), ("ann", "globex")):
            statement = f"update {table} set owner_id = '{owner}', tenant_id = '{tenant}' where owner_id = 'ann'"  # noqa: S608
            with (
                logged_in(world.database, "acme", "ann") as connection,
                pytest.raises(psycopg.errors.InsufficientPrivilege),
            ):
                connection.execute(statement.encode())


async def test_our_own_reads_leave_shared_rows_out(shared_rows: World, shared: Engine) -> None:
    """Nothing is shared by the product yet; a row that is there must not slip into somebody's answer."""
    bob = Scope(tenant="acme", user="bob")
    async with shared.database.transaction(bob) as tx:
        rows = await live.read_snapshot(tx, miv=2**62, engine=shared_rows.pin.engine, vectors=[], terms=["kanarik"])
        assert (rows.nodes, rows.postings) == ([], {})
        assert await memories.list_memories(tx, statuses=Status) == []


# -- agents ----------------------------------------------------------------------------------------------------------


async def test_what_an_agent_distilled_is_seen_by_that_agent_alone(engine: Engine, scope: Scope) -> None:
    of_one = replace(scope, agent="a1")
    record = memory_record("the deploy needs a warm cache", "pm://user/ann/sessions/s/messages/1", agent="a1")
    async with engine.database.transaction(of_one) as tx:
        await memories.insert(tx, record, miv=1)
        node = memory_node(record, "a1")
        await catalog.insert(tx, [IndexedNode(node=node, terms={"cach": 1})], miv=1)
        vids = await catalog.vids_of(tx, [node.uri], miv=1)

    async def seen(agent: str) -> dict[str, bool]:
        async with engine.database.transaction(replace(scope, agent=agent)) as tx:
            try:
                got = bool(await memories.get(tx, record.memory_id))
            except NotFoundError:
                got = False
            rows = await live.read_snapshot(tx, miv=1, engine="x", vectors=[], terms=["cach"])
            return {
                "get": got,
                "history": bool(await memories.history(tx, record.memory_id)),
                "by_types": bool(await memories.by_types(tx, [MemoryType.CASE])),
                "by_merge_keys": bool(await memories.by_merge_keys(tx, [record.merge_key])),
                "list": bool(await memories.list_memories(tx, statuses=Status)),
                "overview": bool(await memories.overview(tx, miv=1)),
                "evidence": bool(await memories.evidence_of(tx, [record.memory_id])),
                "live": bool(rows.nodes),
                "bodies": bool(await catalog.bodies(tx, vids)),
                "uri": bool(await catalog.live_uris(tx, [node.uri]) or await catalog.vids_of(tx, [node.uri], miv=1)),
            }

    assert set((await seen("a1")).values()) == {True}
    for other in ("", "a2", "A1", "a", "a1 ", "a11", "a_", "%", "*"):
        found = await seen(other)
        assert not any(found.values()), (other, found)
    for agent in ("", "a2"):
        async with engine.database.transaction(replace(scope, agent=agent)) as tx:
            assert not await memories.close(tx, record.memory_id, 1, miv=2)
            with pytest.raises(StorageError):
                async with tx.connection.transaction():
                    await memories.insert(tx, replace(record, version=2), miv=2)


async def test_memories_of_the_user_are_seen_through_every_agent(engine: Engine, scope: Scope) -> None:
    record = memory_record("ann likes tea", "pm://user/ann/sessions/s/messages/1")
    async with engine.database.transaction(replace(scope, agent="a1")) as tx:
        await memories.insert(tx, record, miv=1)
    for agent in ("", "a1", "a2"):
        async with engine.database.transaction(replace(scope, agent=agent)) as tx:
            assert (await memories.get(tx, record.memory_id)).abstract == "ann likes tea"
