"""The rig: a database of a measurement's own on an embedded PostgreSQL, and settings that no environment changes."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
from pydantic import SecretStr

from engine.settings import ChatSettings, ModelSettings, Settings
from memory.archive import ArchiveSettings
from retrievers.disclosure import DisclosureSettings
from storage.embedded import (
    EmbeddedServer,
    create_database,
    drop_database,
    ensure_server,
    server_status,
    stop_server,
)
from storage.roles import APP, OWNER, WORKER

Say = Callable[[str], None]
"""Tells the person who waits how far a measurement is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """A running server with an empty database.

    Attributes:
        start_seconds: of the first start (cluster made, server started, roles made), or of attaching where `home`
            had a server already. attach_seconds: of finding the running server again.
        fresh: whether the first start was one.
        postgres: version of the server.
    """

    server: EmbeddedServer
    database: str
    folder: Path
    start_seconds: float
    attach_seconds: float
    fresh: bool
    postgres: str

    def analyze(self) -> None:
        """Gather the planner's statistics now, as autovacuum does within a minute after a change."""
        with psycopg.connect(self.server.superuser_url(self.database), autocommit=True) as connection:
            connection.execute("analyze")

    def settings(self) -> Settings:
        """An engine on this database, without a chat model, as shipped: every other setting at its default.

        All of them are named here, since a variable of the environment would change what is measured.
        """
        return Settings(
            _env_file=None,
            database_url=SecretStr(self.server.url(APP, self.database)),
            admin_url=SecretStr(self.server.url(OWNER, self.database)),
            worker_url=SecretStr(self.server.url(WORKER, self.database)),
            pool_size=16,
            home=self.folder,
            openai_api_key=None,
            openai_base_url=None,
            chat_model=None,
            embedding_model=None,
            embedding_dimension=None,
            transcription_model=None,
            tenant="measured",
            user="me",
            agent="",
            time_zone="UTC",
            language="",
            skills_dir="",
            profile="measured",
            chat=ChatSettings(),
            models=ModelSettings(),
            disclosure=DisclosureSettings(),
            archive=ArchiveSettings(),
        )


def leave_when_told() -> None:
    """End by SystemExit on SIGTERM, so that a run that is stopped takes its server and its folder with it."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


@contextmanager
def own_database(home: Path | None) -> Iterator[Rig]:
    """A database for the length of the block; it is dropped at the end.

    Args:
        home: whose embedded server to use. It is started if need be and left as the starter leaves it: running. None
            makes a home in the folder for temporary files, and removes it with its server at the end.

    Raises:
        ConfigurationError, StorageUnavailable: the server does not start.
    """
    name = f"measured_{uuid4().hex[:12]}"
    # Not made by tempfile: its folders are closed, and root's server runs as a user who must enter.
    place = home or Path(tempfile.gettempdir()) / f"pocketmind-{name}"
    try:
        fresh = not (place / "data").exists()
        began = time.perf_counter()
        server = ensure_server(place)
        started = time.perf_counter()
        ensure_server(place)
        attached = time.perf_counter()
        create_database(server, name)
        try:
            yield Rig(
                server=server,
                database=name,
                folder=server.home / name,
                start_seconds=started - began,
                attach_seconds=attached - started,
                fresh=fresh,
                postgres=server_status(place).version or "",
            )
        finally:
            drop_database(server, name)
            shutil.rmtree(server.home / name, ignore_errors=True)
    finally:
        if home is None and place.exists():
            stop_server(place)
            shutil.rmtree(place)
