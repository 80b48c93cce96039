"""The home of the embedded PostgreSQL: its folders and files, who may use them, and what they say of a server.

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
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from platformdirs import user_data_path

from context.errors import ConfigurationError, StorageUnavailable

_LOCK_SECONDS = 120.0  # a start and a stop of other processes, one after the other
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The user that the server runs as; None: as we are."""

    uid: int | None = None
    gid: int | None = None

    def run(self, *command: object, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command to its end as this user, in a folder that everybody can enter."""
        words = [str(word) for word in command]
        options |= {"user": self.uid, "group": self.gid, "extra_groups": None if self.uid is None else []}
        return subprocess.run(words, cwd="/", env=_ENVIRONMENT, text=True, **options)  # noqa: S603 - our own binaries

    def own(self, path: Path) -> None:
        """Give a path to this user."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)


@dataclass(frozen=True, slots=True)
class Home:
    """The paths of a home."""

    path: Path

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def initialised(self) -> bool:
        return (self.data / "PG_VERSION").exists()

    def file(self, name: str) -> Path:
        """One of the files beside the data folder, such as `postgres.lock` for "lock"."""
        return self.path / f"postgres.{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedStatus:
    """What lies in a home. `size_bytes` is the data folder's; `version` PostgreSQL's, None before the first start."""

    running: bool
    pid: int | None
    port: int | None
    data_folder: Path
    size_bytes: int
    version: str | None


def default_home() -> Path:
    """Where the server lives unless a setting says otherwise. As root not below root's home, which is closed."""
    return Path("/var/lib/pocketmind") if os.geteuid() == 0 else user_data_path("pocketmind", appauthor=False)


@contextmanager
def translated(place: Home) -> Iterator[None]:
    """What the file system and the driver say, in our words."""
    try:
        yield
    except OSError as error:
        hint = "A home belongs to one user: be that user, or choose another home."
        raise ConfigurationError(f"The home {place.path} cannot be used: {error}.", hint=hint) from error
    except psycopg.Error as error:
        raise StorageUnavailable(f"The embedded PostgreSQL failed: {error}", hint=log_tail(place)) from error


def make_folders(path: Path) -> None:
    """Make the home and what is missing above it; folders that were there keep their modes."""
    for folder in reversed([folder for folder in (path, *path.parents) if not folder.exists()]):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755 if os.geteuid() == 0 else 0o700)  # as root, the server's user must pass


@contextmanager
def locked(place: Home) -> Iterator[None]:
    """Alone with the home; the kernel ends this when the process dies."""
    descriptor = os.open(place.file("lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + _LOCK_SECONDS
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


def secret_of(place: Home) -> str:
    """What the home's passwords are derived from: 64 hex digits, made at the first start.

    Raises:
        ConfigurationError: there is a cluster, but its secret is gone.
    """
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


def log_tail(place: Home, *, start: int = 0) -> str:
    """The last lines of the log that were written from byte `start` on."""
    log = place.file("log")
    if not log.exists():
        return f"There is no log at {log}."
    with log.open("rb") as file:
        file.seek(max(start, log.stat().st_size - 4000))
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join([f"The end of {log}:", *lines[-15:]])


def folder_bytes(folder: Path) -> int:
    """Bytes of all files below a folder; 0 if it is missing.

    A running server removes files and whole folders (a dropped database) while this looks; they count as nothing.
    """

    def gone(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            raise error

    total = 0
    for parent, _, names in os.walk(folder, onerror=gone):
        for name in names:
            try:
                total += Path(parent, name).lstat().st_size
            except FileNotFoundError:
                continue
    return total


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What postmaster.pid says, true or not."""

    pid: int
    port: int
    ready: bool


def recorded_in(place: Home) -> Recorded | None:
    """Lines 1, 4 and 8 of postmaster.pid (src/include/utils/pidfile.h); None if it is missing or half written."""
    try:
        lines = (place.data / "postmaster.pid").read_text().splitlines()
        return Recorded(pid=int(lines[0]), port=int(lines[3]), ready=lines[7:8] == ["ready   "])
    except (FileNotFoundError, ValueError, IndexError):
        return None


def is_held(place: Home) -> bool:
    """Whether any process of a server that we started lives, wherever that is."""
    descriptor = os.open(place.file("alive"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def is_postgres(place: Home, pid: int) -> bool | None:
    """Whether the pid is a living postgres of our data folder (a zombie has no command line); None without /proc."""
    if not Path("/proc/self/cmdline").exists():
        return None
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[0].endswith(b"postgres") and os.fsencode(place.data) in words


def lives(place: Home, pid: int) -> bool:
    """Whether a server of this data folder lives, also one that was started by hand."""
    return is_held(place) or bool(is_postgres(place, pid))
