"""Running a command: settings, engine and scope opened for it, its coroutines run, its logs kept out of sight."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cli.options import Who
from cli.output import Output
from context.errors import NotFoundError
from context.scope import Scope, entered

if TYPE_CHECKING:
    from uuid import UUID

    from engine.engine import Engine
    from engine.settings import Settings

T = TypeVar("T")
_LOG = "pocketmind.log"
_NOUNS = {"note": "笔记", "session": "会话", "memory": "记忆"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A command at work: its engine, whose data it works on, and where its answer goes."""

    engine: Engine
    scope: Scope
    out: Output
    runner: asyncio.Runner

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine as the command's scope. Ctrl-C cancels it and is raised as KeyboardInterrupt."""

        async def scoped() -> T:
            with entered(self.scope):
                return await work

        return self.runner.run(scoped())


@contextmanager
def opened(who: Who) -> Iterator[Call]:
    """The engine, open for one command; an embedded database is started if need be, and that is said.

    Raises:
        PocketMindError: whatever `open_engine` refuses.
    """
    from engine.engine import open_engine  # heavy: `--help` must not wait for it

    settings, out = settings_for(who)
    scope = scope_of(who, settings)
    keep_logs(settings.home)
    stack = AsyncExitStack()
    with asyncio.Runner() as runner, ExitStack() as closing:
        with out.waiting("starting_database") if starts_database(settings) else nullcontext():
            engine = runner.run(stack.enter_async_context(open_engine(settings)))
        closing.callback(lambda: runner.run(stack.aclose()))
        yield Call(engine=engine, scope=scope, out=out, runner=runner)


def settings_for(who: Who) -> tuple[Settings, Output]:
    """The settings, and the voice that speaks as they say.

    Raises:
        ConfigurationError: a setting cannot be used.
    """
    from engine.settings import load_settings, speaks

    settings = load_settings()
    return settings, Output(language=speaks(settings), as_json=who.as_json)


def scope_of(who: Who, settings: Settings) -> Scope:
    """Whose data: what the command line says, else what the settings say.

    Raises:
        ScopeError: an id cannot be used.
    """
    return Scope(
        tenant=settings.tenant if who.tenant is None else who.tenant,
        user=settings.user if who.user is None else who.user,
        agent=settings.agent if who.agent is None else who.agent,
    )


def as_id(text: str, what: str) -> UUID:
    """An id from the command line; what is none is answered like an unknown one.

    Raises:
        NotFoundError: it is no id.
    """
    from uuid import UUID

    try:
        return UUID(text)
    except ValueError:
        named = text[:64]
        raise NotFoundError(f"There is no {what} {named}.", zh=f"没有{_NOUNS[what]} {named}。") from None


def keep_logs(home: Path) -> Path:
    """Send logs, with the tracebacks of what went on without a leg, to a file in the home and not to the terminal."""
    import structlog

    from engine.logs import configure_logs

    file = _LogFile(home / _LOG)
    configure_logs()
    structlog.configure(logger_factory=structlog.WriteLoggerFactory(file))  # type: ignore[arg-type]  # write and flush
    handler = logging.StreamHandler(file)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)
    return file.path


class _LogFile:
    """A log that is made when something is written, since a home may only be made by whoever starts its database."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, text: str) -> int:
        mode = 0o755 if os.geteuid() == 0 else 0o700  # as the database's starter makes a home
        self.path.parent.mkdir(mode=mode, parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace") as file:
            return file.write(text)

    def flush(self) -> None:
        """Every write is whole."""


def starts_database(settings: Settings) -> bool:
    """Whether opening the engine will start the embedded server, which takes a moment."""
    from storage.embedded import server_status

    return settings.database_url is None and not server_status(settings.home).running
