"""`pocketmind db`: the embedded PostgreSQL, started, stopped and looked at."""

from __future__ import annotations

from contextlib import nullcontext

import typer

from cli.options import Who, command
from cli.output import Output

app = typer.Typer(name="db", help="The embedded PostgreSQL: start, stop, status. 内嵌数据库", no_args_is_help=True)


@command(app, "start")
def start(who: Who) -> None:
    """Start it, or say that it runs. 启动"""
    from cli.running import settings_for, starts_database
    from storage.embedded import ensure_server

    settings, out = settings_for(who)
    _refuse_external(out, external=settings.database_url is not None)
    with out.waiting("starting_database") if starts_database(settings) else nullcontext():
        server = ensure_server(settings.home)
    if out.as_json:
        out.document({"running": True, "started": server.started, "port": server.port, "pid": server.pid})
    else:
        out.answer(out.tell("db_started" if server.started else "db_runs", port=server.port, pid=server.pid))


@command(app, "stop")
def stop(who: Who) -> None:
    """Stop it; nothing is lost. 停止"""
    from cli.running import settings_for
    from storage.embedded import stop_server

    settings, out = settings_for(who)
    _refuse_external(out, external=settings.database_url is not None)
    stopped = stop_server(settings.home)
    if out.as_json:
        out.document({"running": False, "stopped": stopped})
    else:
        out.answer(out.tell("db_stopped" if stopped else "db_idle"))


@command(app, "status")
def status(who: Who) -> None:
    """Say whether it runs, where, and how large it is. 状态"""
    from cli.running import settings_for
    from storage.embedded import server_status

    settings, out = settings_for(who)
    external = settings.database_url is not None
    found = server_status(settings.home)
    if external:
        out.notice("db_external")
    if out.as_json:
        out.document(
            {
                "external": external,
                "running": found.running,
                "version": found.version,
                "port": found.port,
                "pid": found.pid,
                "data_folder": str(found.data_folder),
                "size_bytes": found.size_bytes,
            }
        )
    elif not external:
        out.answer(
            out.tell(
                "db_status",
                state=out.tell("state_running" if found.running else "state_stopped"),
                version=found.version or "-",
                port=found.port or "-",
                pid=found.pid or "-",
                folder=found.data_folder,
                size=found.size_bytes / 1_000_000,
            )
        )


def _refuse_external(out: Output, *, external: bool) -> None:
    from context.errors import ConfigurationError

    if external:
        raise ConfigurationError(out.tell("db_external"))
