"""Migrations: many starters at once, and every database that this code must not touch."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import psycopg
import pytest

from context.errors import ConfigurationError, SchemaMismatch
from engine.engine import open_engine
from storage.database import Database
from storage.migrate import migrate, migrations
from storage.selftest import findings, refuse_holes
from tests.support import cluster
from tests.support.engines import settings_for

REPOSITORY = Path(__file__).parents[2]
MIGRATE = "import asyncio, sys; from storage.migrate import migrate; print(asyncio.run(migrate(sys.argv[1])))"


async def test_four_processes_start_on_an_empty_database_and_one_of_them_migrates(
    empty_database: cluster.Database,
) -> None:
    command = [sys.executable, "-c", MIGRATE, empty_database.admin]
    started = [
        await asyncio.create_subprocess_exec(*command, cwd=REPOSITORY, stdout=asyncio.subprocess.PIPE) for _ in range(4)
    ]
    applied = sorted([int((await process.communicate())[0]) for process in started])
    assert [process.returncode for process in started] == [0, 0, 0, 0]
    assert applied == [0, 0, 0, len(migrations())]
    database = Database(empty_database.app, size=2)
    await database.open()
    assert await findings(database) == []
    await database.close()


async def test_an_applied_file_may_not_change(database: cluster.Database) -> None:
    assert await migrate(database.admin) == 0
    database.rows("update pm_meta.migration set digest = 'edited' where number = 2")
    with pytest.raises(SchemaMismatch, match=r"0002_\w+\.sql was changed"):
        await migrate(database.admin)


async def test_a_database_of_newer_code_is_left_alone(database: cluster.Database, tmp_path: Path) -> None:
    database.rows("insert into pm_meta.migration (number, name, digest) values (999, 'later', '')")
    with pytest.raises(SchemaMismatch, match="999"):
        await migrate(database.admin)
    with pytest.raises(SchemaMismatch, match="999"):
        async with open_engine(settings_for(database, tmp_path, admin_url=None)):
            pass


async def test_without_an_owner_an_unmigrated_database_says_who_must_act(
    empty_database: cluster.Database, tmp_path: Path
) -> None:
    with pytest.raises(SchemaMismatch) as refused:
        async with open_engine(settings_for(empty_database, tmp_path, admin_url=None)):
            pass
    assert "POCKETMIND_ADMIN_URL" in (refused.value.hint or "")


async def test_a_role_that_may_not_migrate_is_told_so(empty_database: cluster.Database) -> None:
    with pytest.raises(ConfigurationError, match="may not"):
        await migrate(empty_database.app)


def test_the_serving_roles_own_nothing_and_may_make_nothing(database: cluster.Database) -> None:
    owned = """select objid from pg_shdepend d join pg_roles r on r.oid = d.refobjid
      where d.deptype = 'o' and r.rolname in ('pm_app', 'pm_worker', 'pm_janitor')"""
    assert database.rows(owned) == []
    for url in (database.app, database.worker):
        for schema in ("pm", "pm_jobs", "pm_checkpoint", "pm_meta", "public"):
            with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"create table {schema}.mine (line text)".encode())
    with psycopg.connect(database.app) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("truncate pm.note")
    with psycopg.connect(database.app) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("alter table pm.note disable row level security")


async def test_another_schema_version_is_refused_at_boot(database: cluster.Database) -> None:
    database.rows("delete from pm_meta.migration where number = 4")
    opened = Database(database.app, size=2)
    await opened.open()
    with pytest.raises(SchemaMismatch, match="has migration 3"):
        await refuse_holes(opened)
    await opened.close()
