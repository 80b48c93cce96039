"""Jobs: part of the transaction they serve, seen by their owner and by workers, never forged."""

from __future__ import annotations

from uuid import uuid4

import psycopg
import pytest

from context.errors import StorageError
from context.scope import Scope
from engine.engine import Engine
from storage import jobs
from tests.support import cluster
from tests.support.engines import save_note

FORGED = """insert into pm_jobs.procrastinate_jobs (queue_name, task_name, priority, lock, args, status)
  values ('pocketmind', 'embed', 0, 'l', %s::jsonb, 'todo')"""


async def seen(engine: Engine, scope: Scope) -> dict[tuple[str, str], int]:
    async with engine.database.transaction(scope) as tx:
        return await jobs.counts(tx)


async def test_a_job_lives_and_dies_with_its_transaction(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    with pytest.raises(RuntimeError):
        async with engine.database.transaction(scope) as tx:
            await jobs.defer(tx, jobs.COMMIT, lock="s", commit_id=uuid4())
            raise RuntimeError("rolled back")
    assert database.table("pm_jobs.procrastinate_jobs") == []
    async with engine.database.transaction(scope) as tx:
        await jobs.defer(tx, jobs.COMMIT, lock="s", commit_id=uuid4())
    assert await seen(engine, scope) == {("commit", "todo"): 1}


async def test_a_job_is_deferred_once_for_each_transaction_and_another_user_does_not_see_it(
    engine: Engine, database: cluster.Database, scope: Scope, other_user: Scope, other_tenant: Scope
) -> None:
    async with engine.database.transaction(scope) as tx:
        for _ in range(3):
            await jobs.defer(tx, jobs.EMBED, lock="embed")
    assert await seen(engine, scope) == {("embed", "todo"): 1}
    await save_note(engine, scope, "one")
    assert await seen(engine, scope) == {("embed", "todo"): 2}, "a job that waits may run before this note is there"
    assert await seen(engine, other_user) == await seen(engine, other_tenant) == {}
    await save_note(engine, other_user, "mine")
    assert await seen(engine, other_user) == {("embed", "todo"): 1}, "another's job does not stand for mine"
    async with jobs.open_queue(database.worker).open_async() as queue:
        found = await queue.job_manager.list_jobs_async()
    assert {(job.task_kwargs["tenant"], job.task_kwargs["user"]) for job in found} == {("acme", "ann"), ("acme", "bob")}
    assert len({job.lock for job in found}) == 2, "two users' jobs do not wait for each other"


async def test_jobs_carry_ids_and_no_words(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    await save_note(engine, scope, "kanarik sings", title="kanarik")
    assert database.table("pm_jobs.procrastinate_jobs") != []
    assert not any("kanarik" in row for row in database.table("pm_jobs.procrastinate_jobs"))


@pytest.mark.parametrize(
    "args",
    ['{"tenant": "globex", "user": "ann"}', '{"tenant": "acme", "user": "bob"}', '{"tenant": "acme"}', "{}"],
)
def test_a_forged_owner_is_refused(database: cluster.Database, args: str) -> None:
    with psycopg.connect(database.app) as connection:
        connection.execute("select set_config('pm.tenant', 'acme', true), set_config('pm.user', 'ann', true)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(FORGED, (args,))


async def test_jobs_cannot_be_taken_or_changed_by_the_serving_role(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    await save_note(engine, scope, "mine")
    for statement in ("update pm_jobs.procrastinate_jobs set args = '{}'", "delete from pm_jobs.procrastinate_jobs"):
        with psycopg.connect(database.app) as connection:
            connection.execute("select set_config('pm.tenant', 'acme', true), set_config('pm.user', 'ann', true)")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())
    with psycopg.connect(database.app) as connection:
        row = connection.execute("select count(*) from pm_jobs.procrastinate_jobs").fetchone()
        assert row == (0,), "nobody sees no job"


def test_the_worker_role_sees_jobs_and_nobody_s_words(database: cluster.Database) -> None:
    tables = [row[0] for row in database.rows("select tablename from pg_tables where schemaname = 'pm'")]
    for table in tables:
        with psycopg.connect(database.worker) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"table pm.{table}".encode())


async def test_only_one_s_own_failed_jobs_are_seen_and_retried(
    engine: Engine, database: cluster.Database, scope: Scope, other_user: Scope, other_tenant: Scope
) -> None:
    everybody = (scope, other_user, other_tenant)
    for who in everybody:
        async with engine.database.transaction(who) as tx:
            for number in range(3):
                await jobs.defer(tx, jobs.COMMIT, lock=f"s{number}", commit_id=uuid4())
    for lock, values in (
        ("s0", "status = 'failed', attempts = 9"),
        ("s1", "attempts = 3, scheduled_at = now() + '1 hour'"),
    ):
        update = f"update procrastinate_jobs set {values} where lock like '%{lock}'"  # noqa: S608
        database.rows(f"set search_path to pm_jobs, public; {update}")
    mine: dict[Scope, int] = {}
    for who in everybody:
        async with engine.database.transaction(who) as tx:
            (dead,) = await jobs.listed(tx, failed=True)
            assert [job.status for job in await jobs.listed(tx)] == ["failed", "todo", "todo"]
            assert not await jobs.soon(tx, jobs.EMBED) and await jobs.soon(tx, jobs.COMMIT)
        mine[who] = dead.job_id

    def untried() -> set[tuple[object, ...]]:
        rows = "select args ->> 'tenant', args ->> 'user' from pm_jobs.procrastinate_jobs where attempts = 0"
        return set(database.rows(f"{rows} and scheduled_at is not null"))

    for who in (other_user, other_tenant):
        assert await jobs.retry(database.worker, scope, job_id=mine[who]) == []
    assert untried() == set()
    assert await jobs.retry(database.worker, scope, job_id=mine[scope]) == [mine[scope]]
    assert len(await jobs.retry(database.worker, scope)) == 1, "and the one that waited for its next try"
    assert untried() == {("acme", "ann")}
    with pytest.raises(StorageError):
        await jobs.retry(database.app, scope)


def test_a_job_names_its_scope() -> None:
    assert jobs.scope_of({"tenant": "acme", "user": "ann", "agent": "a1", "commit_id": "x"}) == Scope(
        tenant="acme", user="ann", agent="a1"
    )
