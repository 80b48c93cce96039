"""One PostgreSQL for a whole test run, a migrated template in it, and a fresh database for whoever asks."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString
from uuid import uuid4

import psycopg
from psycopg.rows import TupleRow

from storage.embedded import EmbeddedServer, create_database, drop_database, ensure_server, stop_server
from storage.migrate import migrate
from storage.roles import APP, OWNER, WORKER

HOME_VARIABLE = "PYTEST_EMBEDDED_HOME"
"""Set by the process that starts the run and inherited by its workers, so that all of them share one server."""

_TEMPLATE = "tests_template"
# A test's server may lose everything with the machine, and is three times as quick for it.
_RECKLESS: tuple[LiteralString, ...] = (
    "alter system set fsync = off",
    "alter system set synchronous_commit = off",
    "alter system set full_page_writes = off",
    "select pg_reload_conf()",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """A database of the test server, as each role reaches it."""

    server: EmbeddedServer
    name: str

    @property
    def app(self) -> str:
        """The role that serves people."""
        return self.server.url(APP, self.name)

    @property
    def worker(self) -> str:
        """The role that runs jobs."""
        return self.server.url(WORKER, self.name)

    @property
    def admin(self) -> str:
        """The role that owns the schema."""
        return self.server.url(OWNER, self.name)

    @property
    def superuser(self) -> str:
        """The role for whom no wall stands: for looking at what is really stored, and for breaking things."""
        return self.server.superuser_url(self.name)

    def rows(self, statement: str, values: tuple[object, ...] = ()) -> list[TupleRow]:
        """What a statement returns to the superuser; nothing if it returns no rows."""
        with psycopg.connect(self.superuser, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def table(self, name: str) -> list[str]:
        """All rows of a table as text, in order."""
        return [row[0] for row in self.rows("select t::text from {} t order by 1".format(name))]  # noqa: S608, UP032

    def tables_with(self, text: str) -> set[str]:
        """The tables, checkpoints and jobs included, in which `text` stands: in a column of any kind, also as bytes."""
        names = self.rows(
            "select schemaname, tablename from pg_tables where schemaname in ('pm', 'pm_jobs', 'pm_checkpoint')"
        )
        raw = text.encode().hex()
        found = set()
        for name in (f"{schema}.{table}" for schema, table in names):
            if any(text.lower() in row.lower() or raw in row for row in self.table(name)):
                found.add(name)
        return found


def home_of_run() -> Path:
    """The server's home in this run: below /tmp and open to enter, since root's server runs as another user."""
    return Path(os.environ[HOME_VARIABLE])


def name_home() -> None:
    """Choose the run's home; called once, before any worker starts."""
    os.environ[HOME_VARIABLE] = f"/tmp/pocketmind-tests-{uuid4().hex[:12]}"  # noqa: S108 - a random name


def start_cluster() -> EmbeddedServer:
    """The run's server with its template, started by whoever comes first."""
    home = home_of_run()
    server = ensure_server(home)
    with _alone(home / "template.lock"):
        with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
            known = connection.execute("select from pg_database where datname = %s", (_TEMPLATE,)).fetchone()
            for statement in () if known else _RECKLESS:
                connection.execute(statement)
        if known is None:
            draft = f"{_TEMPLATE}_draft"
            create_database(server, draft)
            asyncio.run(migrate(server.url(OWNER, draft)))
            with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
                connection.execute(f'alter database "{draft}" rename to "{_TEMPLATE}"'.encode())
    return server


def remove_cluster() -> None:
    """Stop the run's server, if it was started, and leave nothing of it."""
    home = home_of_run()
    if home.exists():
        stop_server(home)
        shutil.rmtree(home)


@contextmanager
def new_database(server: EmbeddedServer, *, empty: bool = False) -> Iterator[Database]:
    """A database for the length of the block: migrated, or with nothing but the vector extension."""
    name = f"test_{uuid4().hex}"
    create_database(server, name, template="template1" if empty else _TEMPLATE)
    try:
        yield Database(server=server, name=name)
    finally:
        drop_database(server, name)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
