"""`pocketmind chat`: one message, or a conversation in the terminal, streamed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Who, command
from context.types import MemoryPolicy

if TYPE_CHECKING:
    from uuid import UUID

    from cli.running import Call
    from cli.turns import Told

_PROMPT = "› "


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "chat")(chat)


def chat(
    who: Who,
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="Ask this and end; - reads standard input. 单条消息")
    ] = None,
    session: Annotated[str | None, typer.Option("--session", "-s", help="Go on with this session. 继续会话")] = None,
    new: Annotated[bool, typer.Option("--new", help="Open a new session (the default). 新会话")] = False,
    memory: Annotated[
        MemoryPolicy | None,
        typer.Option("--memory", help="normal, read_only (recalls, leaves nothing), off (temporary chat). 记忆策略"),
    ] = None,
) -> None:
    """Talk with PocketMind; it answers from notes, chats and memories, and names its sources. 对话"""
    from cli.running import opened, settings_for

    _, out = settings_for(who)
    if new and session is not None:
        raise typer.BadParameter(out.tell("both_sessions"))
    if who.as_json and message is None:
        raise typer.BadParameter(out.tell("needs_message"))
    if message == "-":
        message = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    with opened(who) as call:
        session_id = _session(call, session, memory)
        if message is None:
            _converse(call, session_id)
        else:
            _ask_once(call, session_id, message)


def _session(call: Call, given: str | None, memory: MemoryPolicy | None) -> UUID:
    """The session to go on with, or a new one, with its memory policy set if one was named.

    Raises:
        NotFoundError: it is unknown, or another user's; the words are the same.
    """
    from uuid import uuid4

    from cli.running import as_id
    from context.truth import ChatSession
    from storage import sessions

    session_id = uuid4() if given is None else as_id(given, "session")

    async def prepared() -> None:
        async with call.engine.database.transaction(call.scope) as tx:
            if given is not None:
                await sessions.get(tx, session_id)
            elif memory is not None:
                await sessions.create(tx, ChatSession(session_id=session_id, agent=call.scope.agent, policy=memory))
            if given is not None and memory is not None:
                await sessions.set_policy(tx, session_id, memory)

    call.run(prepared())
    return session_id


def _ask_once(call: Call, session_id: UUID, message: str) -> None:
    from cli.turns import ask

    out = call.out
    if not out.as_json:
        out.notice("chat_session", style="dim", session_id=session_id)
    told = call.run(ask(call, session_id, message, say=None if out.as_json else out.answer))
    if out.as_json:
        out.document(told.document())
    else:
        _show_end(call, told)
    if told.state["answer"]["incomplete"]:
        raise typer.Exit(1)


def _show_end(call: Call, told: Told) -> None:
    for citation in told.citations:
        call.out.aside(f"[{citation['n']}] {citation['source_ref']}")
    for row in told.degradations():
        call.out.aside(row["text"], style="yellow")


def _converse(call: Call, session_id: UUID) -> None:
    """Prompt, answer, and again, until Ctrl-D. Ctrl-C stops an answer and nothing else."""
    from cli.turns import ask
    from context.errors import PocketMindError

    out = call.out
    interactive = sys.stdin.isatty()
    if interactive:
        import readline  # noqa: F401  # gives input() its line editing and history

        out.notice("chat_hello", style="dim", model=call.engine.model_name)
    out.notice("chat_session", style="dim", session_id=session_id)
    while True:
        try:
            said = input(_PROMPT if interactive else "").strip()
        except EOFError:
            break
        except KeyboardInterrupt:
            out.notice("chat_idle", style="dim")
            continue
        try:
            if said.startswith("/"):
                if (name := said.split()[0]) == "/quit":
                    break
                session_id = _command(call, session_id, name)
            elif said:
                _show_end(call, call.run(ask(call, session_id, said, say=out.answer)))
        except KeyboardInterrupt:
            out.notice("chat_stopped", style="dim")
        except PocketMindError as error:  # the next message may do better
            out.aside(" ".join(filter(None, [error.text(out.language), error.hint])), style="bold red")


def _command(call: Call, session_id: UUID, name: str) -> UUID:
    """Run a `/` command; the session to go on with."""
    from uuid import uuid4

    from cli.memory import browse_categories
    from cli.sessions import list_sessions, run_commit_of

    if name == "/new":
        session_id = uuid4()
        call.out.notice("chat_session", style="dim", session_id=session_id)
        return session_id
    commands: dict[str, Callable[[], Any]] = {
        "/commit": lambda: run_commit_of(call, session_id),
        "/sessions": lambda: list_sessions(call, limit=10),
        "/memory": lambda: browse_categories(call),
        "/help": lambda: call.out.notice("chat_help"),
    }
    if name in commands:
        commands[name]()
    else:
        call.out.notice("chat_unknown", name=name)
    return session_id
