"""The embedded PostgreSQL, with real processes: start, share, survive, refuse, stop."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from context.errors import ConfigurationError, ConflictError, StorageUnavailable
from storage import embedded
from storage.embedded import (
    EmbeddedServer,
    create_database,
    default_home,
    drop_database,
    ensure_server,
    server_status,
    stop_server,
)
from storage.roles import APP, JANITOR, OWNER, WORKER, ensure_roles

ROOT = os.geteuid() == 0
REPOSITORY = Path(__file__).parents[2]
ENSURE = """
    from pathlib import Path
    from storage.embedded import ensure_server
    server = ensure_server(Path({home!r}))
    print(server.started, server.pid, server.port, flush=True)
"""


def start_python(home: Path, code: str = "") -> subprocess.Popen[str]:
    """Another process that ensures the server of `home`, prints what it got, and goes on with `code`."""
    program = textwrap.dedent(ENSURE).format(home=str(home)) + textwrap.dedent(code)
    return subprocess.Popen([sys.executable, "-c", program], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def make_home() -> Iterator[Callable[[], Path]]:
    """Homes that an unprivileged user can enter, which pytest's own folders are not when root runs the tests."""
    homes: list[Path] = []

    def make() -> Path:
        folder = Path(tempfile.mkdtemp(prefix="pocketmind-", dir="/tmp"))
        folder.chmod(0o755)
        homes.append(folder / "home")
        return homes[-1]

    yield make
    for home in homes:
        if home.exists():
            stop_server(home)
        shutil.rmtree(home.parent)


@pytest.fixture(scope="module")
def home(make_home: Callable[[], Path]) -> Path:
    """A home whose server was started by another process, which was killed at once."""
    home = make_home()
    client = start_python(home, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    output, _ = client.communicate(timeout=60)
    assert client.returncode == -signal.SIGKILL
    assert output.startswith("True ")
    return home


@pytest.fixture
def server(home: Path) -> EmbeddedServer:
    return ensure_server(home)


def value(url: str, statement: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(statement.encode()).fetchone()
    return row[0] if row else None


def write_note(server: EmbeddedServer, text: str) -> None:
    with psycopg.connect(server.url(OWNER)) as connection:
        connection.execute("create table if not exists kept (line text)")
        connection.execute("insert into kept values (%s)", (text,))


def kill_server(server: EmbeddedServer) -> None:
    """SIGKILL to the postmaster and all its children at once."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children")
    for pid in [server.pid, *(map(int, children.read_text().split()) if children.exists() else ())]:
        os.kill(pid, signal.SIGKILL)


def test_the_first_call_starts_and_the_second_attaches(make_home: Callable[[], Path]) -> None:
    home = make_home()
    first = ensure_server(home)
    second = ensure_server(home)
    assert (first.started, second.started) == (True, False)
    assert (first.pid, first.port) == (second.pid, second.port)
    assert stop_server(home) is True
    assert stop_server(home) is False
    assert not server_status(home).running


def test_the_server_outlives_a_killed_client_and_stands_apart_from_it(server: EmbeddedServer) -> None:
    assert not server.started
    assert os.getpgid(server.pid) != os.getpgrp()
    assert os.getsid(server.pid) != os.getsid(0)
    if ROOT:
        assert os.stat(f"/proc/{server.pid}").st_uid != 0  # noqa: PTH116


def test_each_role_logs_in_with_its_own_rights(server: EmbeddedServer) -> None:
    assert value(server.url(APP), "select '[1,2,3]'::vector <-> '[1,2,4]'") == 1.0
    assert value(server.url(APP), "select current_setting('plan_cache_mode')") == "force_custom_plan"
    assert value(server.url(WORKER), "select current_setting('statement_timeout')") == "30s"
    for role in (OWNER, APP, WORKER):
        rights = "select rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication from pg_roles"
        assert value(server.url(role), rights + " where rolname = current_user") is False
    for role in (APP, WORKER):
        with psycopg.connect(server.url(role)) as connection:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("create table mine (line text)")
            connection.rollback()
            assert connection.execute("select pg_has_role(%s, 'usage')", (JANITOR,)).fetchone() == (False,)
            connection.execute("set local role pm_janitor")
            connection.rollback()
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("set local role pm_owner")
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(server.url(APP, "postgres"))


def test_nobody_enters_without_the_right_password(server: EmbeddedServer, home: Path) -> None:
    lines = (home / "data" / "pg_hba.conf").read_text().splitlines()
    methods = {line.split()[-1] for line in lines if line and not line.startswith("#")}
    assert methods == {"scram-sha-256"}
    assert value(server.superuser_url(), "show unix_socket_directories") == ""
    assert value(server.superuser_url(), "show listen_addresses") == "127.0.0.1"
    wrong = server.url(APP).replace(server.url(APP).split(":")[2][:8], "00000000")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(wrong)
    assert stat.S_IMODE((home / "postgres.secret").stat().st_mode) == 0o600
    assert (home / "postgres.secret").stat().st_uid == os.geteuid()
    assert not (home / "new").exists()  # initdb's password file went with it
    assert server.secret not in repr(server)
    with pytest.raises(ConfigurationError):
        server.url("postgres")


def test_the_cluster_is_utf8_whatever_the_locale_of_the_client(server: EmbeddedServer) -> None:
    assert value(server.url(APP), "show server_encoding") == "UTF8"
    assert value(server.url(APP), "select lower('ÀÉ') || '预算'") == "àé预算"
    assert value(server.url(APP), "show jit") == "off"
    assert value(server.url(APP), "show timezone") == "UTC"


def test_four_processes_at_once_share_one_server(make_home: Callable[[], Path]) -> None:
    home = make_home()
    clients = [start_python(home) for _ in range(4)]
    answers = [client.communicate(timeout=60)[0].split() for client in clients]
    assert sorted(answer[0] for answer in answers) == ["False", "False", "False", "True"]
    assert len({tuple(answer[1:]) for answer in answers}) == 1


def test_a_killed_server_starts_again_at_once_at_its_port_with_its_data(server: EmbeddedServer, home: Path) -> None:
    write_note(server, "before the crash 崩溃之前")
    kill_server(server)
    again = ensure_server(home)
    assert again.started
    assert (again.pid != server.pid, again.port) == (True, server.port)
    assert value(again.url(OWNER), "select line from kept") == "before the crash 崩溃之前"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="zombies are arranged with a Linux call")
def test_a_zombie_is_not_taken_for_a_server(home: Path) -> None:
    """The client becomes the parent of its orphans and never buries them, like the first process of a container."""
    stop_server(home)
    code = """
        import os, signal, time
        os.kill(server.pid, signal.SIGKILL)
        while ") Z " not in Path(f"/proc/{server.pid}/stat").read_text():
            time.sleep(0.01)
        again = ensure_server(Path(server.home))
        print(") Z " in Path(f"/proc/{server.pid}/stat").read_text(), again.started, again.pid != server.pid)
    """
    program = textwrap.dedent(ENSURE).format(home=str(home)) + textwrap.dedent(code)
    adopt = "import ctypes; assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0\n"  # PR_SET_CHILD_SUBREAPER
    done = subprocess.run([sys.executable, "-c", adopt + program], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.stdout.splitlines()[1:] == ["True True True"], done.stderr


def test_a_stale_pid_of_another_process_is_not_believed(home: Path) -> None:
    ensure_server(home)
    pid_file = home / "data" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    stop_server(home)
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    assert not server_status(home).running
    assert stop_server(home) is False  # and this process lives
    assert ensure_server(home).started


def test_a_port_that_somebody_took_is_given_up(home: Path) -> None:
    server = ensure_server(home)
    write_note(server, "kept")
    kill_server(server)
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        deadline = time.monotonic() + 5
        while True:
            try:
                other.bind(("127.0.0.1", server.port))
                break
            except OSError:  # the dead server's socket goes with its last child
                assert time.monotonic() < deadline
        other.listen()
        again = ensure_server(home)
        assert again.port != server.port
        assert value(again.url(OWNER), "select count(*) from kept where line = 'kept'") == 1


def test_a_home_whose_making_was_cut_short_is_made_anew(make_home: Callable[[], Path]) -> None:
    home = make_home()
    (home / "new" / "data" / "base").mkdir(parents=True)
    (home / "new" / "data" / "PG_VERSION").write_text("18\n")
    (home / "data").mkdir()
    server = ensure_server(home)
    assert value(server.url(APP), "select 1") == 1
    assert not (home / "new").exists()

    (home / "postgres.prepared").unlink()  # killed after the start, before roles and database were complete
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        connection.execute("drop database pocketmind with (force)")
        connection.execute("alter role pm_app password 'other' superuser inherit")
    assert not ensure_server(home).started
    assert value(server.url(APP), "select rolsuper or rolinherit from pg_roles where rolname = 'pm_app'") is False

    stop_server(home)
    (home / "data" / "postgresql.conf").write_text("shared_buffers = 'many'\n")
    (home / "data" / "pg_hba.conf").unlink()
    with pytest.raises(StorageUnavailable) as failure:
        ensure_server(home)
    assert "pg_hba.conf" in (failure.value.hint or "")

    (home / "postgres.secret").unlink()
    with pytest.raises(ConfigurationError, match=r"postgres\.secret is missing"):
        ensure_server(home)
    (home / "postgres.secret").write_text("0" * 64)
    (home / "data" / "PG_VERSION").write_text("17\n")
    with pytest.raises(ConfigurationError, match="made by PostgreSQL 17"):
        ensure_server(home)
    (home / "data" / "PG_VERSION").unlink()
    with pytest.raises(ConfigurationError, match="PG_VERSION") as refusal:
        ensure_server(home)
    assert "Move it away" in (refusal.value.hint or "")


def test_a_server_that_lives_out_of_sight_is_not_started_twice(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in two containers that share a folder: no pid to be seen, nobody at the port, yet two would ruin the data."""
    stop_server(home)
    monkeypatch.setattr(embedded, "_SECONDS", 0.2)
    with (home / "postgres.alive").open() as elsewhere:
        fcntl.flock(elsewhere, fcntl.LOCK_EX)
        with pytest.raises(StorageUnavailable, match="lives but does not answer"):
            ensure_server(home)
    monkeypatch.undo()
    assert ensure_server(home).started


def test_databases_are_made_with_vector_for_our_roles_only(server: EmbeddedServer) -> None:
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        connection.execute("create role stranger login password 'x'")
    try:
        create_database(server, 'te"st 测试')
        with pytest.raises(ConflictError):
            create_database(server, 'te"st 测试')
        assert value(server.url(OWNER, 'te"st 测试'), "select current_database()") == 'te"st 测试'
        create_database(server, "copy", template='te"st 测试')
        assert value(server.url(WORKER, "copy"), "select '[1]'::halfvec::text") == "[1]"
        for database in ("copy", "pocketmind", "postgres", "template1"):
            with pytest.raises(psycopg.OperationalError, match="permission denied"):
                psycopg.connect(server.superuser_url(database), user="stranger", password="x")
    finally:
        for name in ("copy", 'te"st 测试', "never was"):
            drop_database(server, name)
        with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
            connection.execute("drop role stranger")


def test_the_status_tells_what_lies_in_a_home(
    server: EmbeddedServer, home: Path, make_home: Callable[[], Path]
) -> None:
    status = server_status(home)
    assert (status.running, status.pid, status.port) == (True, server.pid, server.port)
    assert status.data_folder == home / "data"
    assert status.size_bytes > 10_000_000
    assert (status.version or "").startswith("18.")
    empty = make_home()
    assert server_status(empty) == embedded.EmbeddedStatus(
        running=False, pid=None, port=None, data_folder=empty / "data", size_bytes=0, version=None
    )
    assert stop_server(empty) is False
    assert not empty.exists()


def test_an_administrator_of_another_server_makes_the_roles(make_home: Callable[[], Path]) -> None:
    """With CREATEROLE only, from two databases at once; without it, the SQL to run is told."""
    server = ensure_server(make_home())
    passwords = {APP: "app 密码'\\", WORKER: "worker"}
    drop_database(server, "pocketmind")
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        connection.execute("drop role pm_app, pm_worker, pm_owner, pm_janitor")
        connection.execute("create role chief login createrole password 'c'")
        connection.execute("create role guest login password 'g'")
        connection.execute("create database other")
        connection.execute("grant connect on database postgres to public")

    def url(role: str, password: str, database: str) -> str:
        return make_conninfo(server.superuser_url(database), user=role, password=password)

    with pytest.raises(ConfigurationError) as refusal:
        ensure_roles(url("guest", "g", "postgres"), passwords)
    hint = refusal.value.hint or ""
    assert 'create role "pm_app" login noinherit' in hint
    assert 'grant "pm_janitor" to "pm_worker" with inherit false, set true;' in hint
    assert "密码" not in hint

    failures: list[Exception] = []

    def ensure(database: str) -> None:
        try:
            ensure_roles(url("chief", "c", database), passwords)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ensure, args=(name,)) for name in ("postgres", "other") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for role, password in passwords.items():
        assert value(url(role, password, "other"), "select current_setting('plan_cache_mode')") == "force_custom_plan"
        with psycopg.connect(url(role, password, "other")) as connection:
            connection.execute("set local role pm_janitor")
    assert value(server.superuser_url(), "select count(*) from pg_roles where rolname = 'pm_owner'") == 0
    ensure_roles(url(APP, passwords[APP], "other"), passwords)  # all is there: no right is needed


@pytest.mark.skipif(not ROOT, reason="about what root meets")
def test_root_is_told_of_a_home_that_the_server_cannot_enter(make_home: Callable[[], Path]) -> None:
    closed = make_home().parent
    closed.chmod(0o700)
    with pytest.raises(ConfigurationError, match=f"cannot enter {closed}") as refusal:
        ensure_server(closed / "below" / "home")
    assert "Choose a home" in (refusal.value.hint or "")
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert list(closed.iterdir()) == []
    assert default_home() == Path("/var/lib/pocketmind")


@pytest.mark.skipif(not ROOT or not shutil.which("setpriv"), reason="root gives up a capability with setpriv")
def test_root_that_may_not_change_its_user_is_told_so(make_home: Callable[[], Path]) -> None:
    home = make_home()
    program = textwrap.dedent(ENSURE).format(home=str(home))
    command = ["setpriv", "--bounding-set=-setuid,-setgid", "--inh-caps=-setuid,-setgid", sys.executable, "-c", program]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert "ConfigurationError: PostgreSQL refuses to run as root" in done.stderr
    assert not home.exists()


@pytest.mark.skipif(not ROOT, reason="the other tests run as an ordinary user already")
def test_an_ordinary_user_needs_no_copy_and_keeps_others_out(make_home: Callable[[], Path]) -> None:
    home = make_home()
    os.chown(home.parent, 65534, 65534)
    # The imports come first: the interpreter may lie in root's home, where this user cannot read.
    program = f"""
        import os
        from pathlib import Path
        import psycopg
        from storage.embedded import ensure_server, server_status, stop_server
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
        home = Path({str(home)!r})
        server = ensure_server(home)
        with psycopg.connect(server.url("pm_app")) as connection:
            print(connection.execute("select '[1]'::vector").fetchone()[0], ensure_server(home).started)
        print(list(home.glob("binaries*")), oct(home.stat().st_mode))
        print(stop_server(home))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["[1] False", "[] 0o40700", "True"], done.stderr
