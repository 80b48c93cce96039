"""The embedded PostgreSQL with pgvector: found or started, from many processes at once, and left running.

What lies in its home is told in `storage/embedded_home.py`, what it is made with in `storage/embedded_install.py`.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import errors, sql

from context.errors import ConfigurationError, ConflictError, StorageUnavailable
from storage.embedded_home import (
    Account,
    EmbeddedStatus,
    Home,
    Recorded,
    default_home,
    folder_bytes,
    is_held,
    is_postgres,
    lives,
    locked,
    log_tail,
    make_folders,
    recorded_in,
    secret_of,
    translated,
)
from storage.embedded_install import HOST, SETTINGS, SUPERUSER, choose_account, initialise, provide_binaries
from storage.roles import APP, OWNER, WORKER, derive_password, ensure_roles, preparation_digest, query

__all__ = [
    "DATABASE",
    "EmbeddedServer",
    "EmbeddedStatus",
    "create_database",
    "default_home",
    "drop_database",
    "ensure_server",
    "server_status",
    "stop_server",
]

DATABASE = "pocketmind"

_LOGIN_ROLES = (OWNER, APP, WORKER)
_SECONDS = 60.0  # for a start or a stop: recovery after a crash replays at most max_wal_size (1 GB)
_LOG_BYTES = 5_000_000
_DETACH = '"$@" &'  # the shell ends at once, so the server's parent is init and not this process


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedServer:
    """A server that answers, and whether this call started it."""

    home: Path
    port: int
    pid: int
    started: bool
    secret: str = field(repr=False)

    def url(self, role: str, database: str = DATABASE) -> str:
        """A postgresql:// address for pm_owner, pm_app or pm_worker.

        Raises:
            ConfigurationError: another role.
        """
        if role not in _LOGIN_ROLES:
            raise ConfigurationError(f"No role {role!r} logs in here; there are {', '.join(_LOGIN_ROLES)}.")
        return self._url(role, database)

    def superuser_url(self, database: str = "postgres") -> str:
        """The superuser's address, for the starter and for tests only: it can run programs and read every row."""
        return self._url(SUPERUSER, database)

    def _url(self, role: str, database: str) -> str:
        password = quote(derive_password(self.secret, role), safe="")
        # Without sslmode, a PGSSLMODE=require meant for another server would refuse this one.
        return f"postgresql://{role}:{password}@{HOST}:{self.port}/{quote(database, safe='')}?sslmode=disable"


def ensure_server(home: Path) -> EmbeddedServer:
    """Attach to the server of this home; start it, and make it first, if need be. It outlives this process.

    Args:
        home: the folder of the module's docstring; made if it is missing.

    Raises:
        ConfigurationError: the home cannot be used as it is; the message says what to do.
        StorageUnavailable: the server does not start; the hint holds the end of its log.
    """
    place = Home(home.expanduser().resolve())
    with translated(place):
        if not place.initialised:
            choose_account(place)  # before anything is made in a place that cannot serve
        make_folders(place.path)
        with locked(place):
            secret = secret_of(place)
            server = _find(place, secret) or _start(place, secret)
            _prepare(place, server)
    return server


def stop_server(home: Path) -> bool:
    """Shut the server down (open transactions are rolled back) and wait for its end; False if none ran.

    Raises:
        StorageUnavailable: it does not end, or runs where its pid means nothing here.
    """
    place = Home(home.expanduser().resolve())
    with translated(place):
        if not place.file("lock").exists():
            return False
        with locked(place):
            return _stop(place)


def server_status(home: Path) -> EmbeddedStatus:
    """What lies in a home and whether its server answers; starts nothing, makes nothing."""
    place = Home(home.expanduser().resolve())
    with translated(place):
        recorded, version = recorded_in(place), None
        if recorded is not None and place.file("secret").exists():
            version = _server_version(place, _server_of(place, recorded, place.file("secret").read_text()))
        running = recorded if version is not None else None
        if version is None and place.initialised:
            version = (place.data / "PG_VERSION").read_text().strip()
        return EmbeddedStatus(
            running=running is not None,
            pid=running.pid if running else None,
            port=running.port if running else None,
            data_folder=place.data,
            size_bytes=folder_bytes(place.data),
            version=version,
        )


def create_database(server: EmbeddedServer, name: str, *, template: str = "template1") -> None:
    """Make a database owned by pm_owner that only our roles may enter; `template` must have no connections.

    Raises:
        ConflictError: it exists, or the template is in use.
    """
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        parts = (sql.Identifier(name), sql.Identifier(template), sql.Identifier(OWNER))
        try:
            connection.execute(sql.SQL("create database {} template {} owner {}").format(*parts))
        except (errors.DuplicateDatabase, errors.UniqueViolation, errors.ObjectInUse) as error:
            raise ConflictError(f"The database cannot be made: {error}") from error
        connection.execute(query("close_database", database=parts[0]))
        roles = {"app": sql.Identifier(APP), "worker": sql.Identifier(WORKER)}
        connection.execute(query("open_database", database=parts[0], **roles))


def drop_database(server: EmbeddedServer, name: str) -> None:
    """Remove a database with everything in it, ending its connections; nothing happens if there is none."""
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


def _server_of(place: Home, recorded: Recorded, secret: str, *, started: bool = False) -> EmbeddedServer:
    return EmbeddedServer(home=place.path, port=recorded.port, pid=recorded.pid, started=started, secret=secret)


def _stop(place: Home) -> bool:
    recorded = recorded_in(place)
    if recorded is None or not lives(place, recorded.pid):
        return False
    if is_postgres(place, recorded.pid) is False:
        raise StorageUnavailable("The server runs in another container.", hint="Stop it there.")
    os.kill(recorded.pid, signal.SIGINT)  # a fast shutdown
    deadline = time.monotonic() + _SECONDS
    while lives(place, recorded.pid):
        if time.monotonic() > deadline:
            raise StorageUnavailable(f"The server (pid {recorded.pid}) does not end.", hint=log_tail(place))
        time.sleep(0.02)
    return True


def _find(place: Home, secret: str, *, started: bool = False) -> EmbeddedServer | None:
    """The living server, waited for while it starts, recovers or ends; None if there is none (any more)."""
    deadline = time.monotonic() + _SECONDS
    while True:
        recorded, held = recorded_in(place), is_held(place)
        ours = recorded and is_postgres(place, recorded.pid)
        if recorded and recorded.ready and (held or ours is not False):
            server = _server_of(place, recorded, secret, started=started)
            if _server_version(place, server) is not None:
                return server
        if not held and not ours:
            (place.data / "postmaster.pid").unlink(missing_ok=True)  # PostgreSQL itself would trust a reused pid
            return None
        if time.monotonic() > deadline:
            raise StorageUnavailable(
                f"A server of {place.data} lives but does not answer.",
                hint=f"It may still recover, or run in another container. {log_tail(place)}",
            )
        time.sleep(0.02)


def _server_version(place: Home, server: EmbeddedServer) -> str | None:
    """The version of the server that serves our data folder at that port; None if there is none.

    Raises:
        ConfigurationError: it is there and refuses our password.
    """
    try:
        # Another program may have got the port: it must not be able to ask for the password in clear.
        with psycopg.connect(server.superuser_url(), connect_timeout=2, require_auth="scram-sha-256") as connection:
            settings = "select current_setting('data_directory'), current_setting('server_version')"
            row = connection.execute(settings).fetchone()
    except psycopg.OperationalError as error:
        if "password authentication failed" in str(error) and is_held(place):  # else it is somebody else's server
            message = f"{place.file('secret')} is not the secret that {place.data} was made with."
            raise ConfigurationError(message, hint="Put the right file back.") from error
        return None
    return str(row[1]) if row and row[0] == str(place.data) else None


def _start(place: Home, secret: str) -> EmbeddedServer:
    account = choose_account(place)
    binaries = provide_binaries(place, account)
    initialise(place, secret, account, binaries)
    log = place.file("log")
    if log.exists() and log.stat().st_size > _LOG_BYTES:
        log.rename(log.with_suffix(".log.1"))
    for port in _ports(place):
        written = log.stat().st_size if log.exists() else 0
        _launch(place, account, binaries, port)
        server = _find(place, secret, started=True)
        if server is not None:
            place.file("port").write_text(str(port))
            return server
        if "Address already in use" not in log_tail(place, start=written):
            break
    raise StorageUnavailable("The embedded PostgreSQL does not start.", hint=log_tail(place))


def _ports(place: Home) -> Iterator[int]:
    """The port of the last start if it is free, then free ones: between look and start somebody may take it."""
    stored = place.file("port").read_text() if place.file("port").exists() else "0"
    for wanted in (int(stored) if stored.isdecimal() else 0, 0, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as PostgreSQL does: TIME_WAIT is no hindrance
            try:
                probe.bind((HOST, wanted))
            except (OSError, OverflowError):
                continue
            port = int(probe.getsockname()[1])
        yield port


def _launch(place: Home, account: Account, binaries: Path, port: int) -> None:
    """Start the server in a session of its own and return at once; it holds `postgres.alive` from here on."""
    settings = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
    server = (binaries / "postgres", "-D", place.data, "-p", port, *settings)
    alive = os.open(place.file("alive"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    log = os.open(place.file("log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(alive, fcntl.LOCK_EX)
        streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
        account.run("/bin/sh", "-c", _DETACH, "sh", *server, **streams, pass_fds=(alive,), start_new_session=True)
    finally:
        os.close(alive)
        os.close(log)


def _prepare(place: Home, server: EmbeddedServer) -> None:
    """Make roles, extension and database; again only when the SQL has changed. Repeating it changes nothing."""
    marker, digest = place.file("prepared"), preparation_digest()
    if marker.exists() and marker.read_text() == digest:
        return
    ensure_roles(server.superuser_url(), {role: derive_password(server.secret, role) for role in _LOGIN_ROLES})
    with psycopg.connect(server.superuser_url("template1"), autocommit=True) as connection:
        connection.execute("create extension if not exists vector")
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        for name in ("postgres", "template1"):
            connection.execute(query("close_database", database=sql.Identifier(name)))
        known = connection.execute("select from pg_database where datname = %s", (DATABASE,)).fetchone()
    if known is None:
        create_database(server, DATABASE)
    marker.write_text(digest)
