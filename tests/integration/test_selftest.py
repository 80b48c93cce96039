"""The self-test at boot: it passes on our schema and finds each hole that is broken into it."""

from __future__ import annotations

from typing import Literal

import pytest

from context.errors import ConfigurationError
from storage.database import Database
from storage.selftest import findings, refuse_holes
from tests.support import cluster

TABLE = "create table pm.extra (tenant_id pm.id, owner_id pm.id, line text, primary key (tenant_id, owner_id, line))"
NOTE = """insert into pm.note (tenant_id, owner_id, note_id, title, body, digest)
  values ('a', 'b', gen_random_uuid(), '', '', '')"""

HOLES = {
    "a table without the wall": (TABLE, "pm.extra is not behind the wall"),
    "a wall that its owner may walk through": (
        "alter table pm.trace no force row level security",
        "pm.trace is not behind the wall",
    ),
    "a wall taken down": ("alter table pm.evidence disable row level security", "pm.evidence is not behind the wall"),
    "checkpoints without a wall": (
        "alter table pm_checkpoint.checkpoint_blobs disable row level security",
        "pm_checkpoint.checkpoint_blobs is not behind the wall",
    ),
    "jobs without a wall": (
        "alter table pm_jobs.procrastinate_jobs disable row level security",
        "pm_jobs.procrastinate_jobs is not behind the wall",
    ),
    "a loose unique key": ("create unique index loose on pm.note (note_id)", "loose does not begin with the tenant"),
    "a loose key on an expression": (
        "create unique index loose on pm.note (lower(title))",
        "loose does not begin with the tenant",
    ),
    "a view with its owner's rights": (
        "create view pm.everything as select * from pm.note",
        "everything runs with its owner's rights",
    ),
    "a function with its owner's rights": (
        "create function pm.peek() returns bigint language sql security definer as 'select count(*) from pm.note'",
        "peek runs with its owner's rights",
    ),
    "a policy for everybody": (
        f"create policy oops on pm.note for select using (true); {NOTE}",
        "Rows are visible with no identity set",
    ),
    "a policy for everybody on an empty table": (
        "create policy oops on pm.trace for select using (true)",
        "The policy oops on pm.trace does not ask for the tenant",
    ),
}


async def found_by(url: str) -> list[str]:
    database = Database(url, size=2)
    await database.open()
    try:
        return [finding.what for finding in await findings(database)]
    finally:
        await database.close()


async def test_our_own_schema_has_no_hole(database: cluster.Database) -> None:
    assert await found_by(database.app) == []


@pytest.mark.parametrize("hole", HOLES)
async def test_a_hole_is_found_and_nothing_is_served(database: cluster.Database, hole: str) -> None:
    statement, finding = HOLES[hole]
    database.rows(statement)
    assert any(finding in what for what in await found_by(database.app))
    opened = Database(database.app, size=2)
    await opened.open()
    with pytest.raises(ConfigurationError, match="not safe to serve"):
        await refuse_holes(opened)
    await opened.close()


@pytest.mark.parametrize(
    ("role", "finding"),
    [("superuser", "is a superuser"), ("superuser", "bypasses row-level security"), ("admin", "owns pm.note")],
)
async def test_a_role_that_stands_above_the_wall_is_refused(
    database: cluster.Database, role: Literal["superuser", "admin"], finding: str
) -> None:
    assert any(finding in what for what in await found_by(getattr(database, role)))
