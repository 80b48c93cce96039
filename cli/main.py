"""The `pocketmind` command: its nouns, and how every failure becomes one message and an exit code."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from cli import (
    chat,
    database,
    doctor,
    evaluations,
    jobs,
    memory,
    notes,
    rebuild,
    resources,
    retrieve,
    serving,
    sessions,
)
from cli.output import Output
from context.errors import ConfigurationError, PocketMindError, SchemaMismatch
from context.types import Language

# LangGraph reads this once, when it is imported: values of unknown classes must not come back from checkpoints.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

REFUSED = 1
MISCONFIGURED = 2
_INTERRUPTED = 130

app = typer.Typer(
    name="pocketmind",
    help="Notes and chats become material, memory with evidence, and the right context. 笔记、对话与长期记忆",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _module in (serving, chat, retrieve, rebuild, doctor):
    _module.register(app)
for _group in (notes.app, sessions.app, memory.app, resources.app, jobs.app, database.app, evaluations.app):
    app.add_typer(_group)


def _tell_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"pocketmind {version('pocketmind')}\n")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool, typer.Option("--version", help="Show the version. 版本", is_eager=True, callback=_tell_version)
    ] = False,
) -> None:
    """Options of the command as a whole."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line. Exit code: 0 ok, 1 refused or failed, 2 usage or configuration, 130 interrupted."""
    for stream, errors in (
        (sys.stdin, "surrogateescape"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        if isinstance(stream, io.TextIOWrapper):  # odd bytes, or a terminal of another encoding, must stop nothing
            stream.reconfigure(errors=errors)
    try:
        app(list(arguments), prog_name="pocketmind")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else REFUSED
    except PocketMindError as error:
        _explain(error)
        return MISCONFIGURED if isinstance(error, ConfigurationError | SchemaMismatch) else REFUSED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:
        _confess(error)
        return REFUSED
    return 0


def main() -> None:
    """What the installed command calls."""
    sys.exit(run(sys.argv[1:]))


def _explain(error: PocketMindError) -> None:
    """What was refused or failed, and what to do: on standard error, without a traceback."""
    out = Output(language=_language())
    out.notice(f"error_{_kind(error)}", style="bold red", message=error.text(out.language))
    if error.hint:
        out.aside(f"  {error.hint}")


def _confess(error: Exception) -> None:
    """A mistake of ours: one line, and the traceback in the log."""
    from cli.running import keep_logs
    from engine.settings import load_settings
    from storage.embedded import default_home

    try:
        home = load_settings().home
    except PocketMindError:
        home = default_home()
    out = Output(language=_language())
    kind = type(error).__name__
    try:
        log = keep_logs(home)
        logging.getLogger("pocketmind.cli").error("unexpected %s", kind, exc_info=error)
    except OSError as unwritten:
        out.notice("bug_unlogged", style="bold red", kind=kind, message=str(error), reason=unwritten.strerror)
    else:
        out.notice("bug", style="bold red", kind=kind, log=log)


def _language() -> Language:
    from engine.settings import load_settings, speaks

    try:
        return speaks(load_settings())
    except PocketMindError:
        return speaks()


def _kind(error: PocketMindError) -> str:
    """The nearest class of an error that the table of messages knows."""
    known = ("ConfigurationError", "NotFoundError", "ConflictError", "CallerError", "StorageError", "ModelError")
    names = [cls.__name__ for cls in type(error).__mro__]
    return next((name for name in names if name in known), "PocketMindError")
