"""`pocketmind run`, `pocketmind worker` and `pocketmind token`: the server, its worker apart, and what lets one in."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from typing import Annotated

import typer

from cli.options import Who, command


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    command(app, "run", as_json=False)(run)
    command(app, "worker", as_json=False)(worker)
    command(app, "token", as_json=False)(token)


def run(
    who: Who,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on. 监听地址")] = None,
    port: Annotated[int | None, typer.Option("--port", min=1, max=65_535, help="Port. 端口")] = None,
    no_studio: Annotated[bool, typer.Option("--no-studio", help="Refuse LangSmith Studio. 不允许 Studio")] = False,
) -> None:
    """Start PocketMind: database, both graphs, a worker. 启动服务"""
    for name in ("tenant", "user", "agent"):
        if (value := getattr(who, name)) is not None:
            os.environ[f"POCKETMIND_{name.upper()}"] = value
    words = [sys.executable, "-P", "-m", "server.launch"]  # -P: a folder `server` in the working folder is not ours
    words += ["--host", host] if host is not None else []
    words += ["--port", str(port)] if port is not None else []
    words += ["--no-studio"] if no_studio else []
    sys.stdout.flush()
    os.execv(sys.executable, words)  # noqa: S606  # our own interpreter and module; signals go to it directly


def worker(who: Who) -> None:
    """Work through the queue of jobs apart from the server: vectors and commits. 独立工作进程"""
    from cli.running import opened
    from engine.logs import configure_logs
    from server.worker import run_worker

    with opened(who) as call:
        configure_logs(level=logging.INFO)  # to standard error: whoever runs a worker reads its log there

        async def work() -> None:
            stop = asyncio.Event()
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, stop.set)
            call.out.notice("worker_started")
            await run_worker(call.engine, stop=stop)

        call.run(work())
        call.out.notice("worker_stopped")


def token(who: Who) -> None:
    """Print the local token, which signs this machine's own user in over HTTP. 本机令牌"""
    from cli.running import settings_for
    from server.token import local_token

    settings, out = settings_for(who)
    out.answer(local_token(settings.home))
