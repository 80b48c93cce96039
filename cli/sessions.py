"""`pocketmind sessions`: list chats, show one, import them, commit one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Who, command
from cli.output import one_line, table

if TYPE_CHECKING:
    from cli.running import Call
    from context.truth import ChatMessage, ChatSession
    from storage.commits import Commit

app = typer.Typer(name="sessions", help="Chats: list, show, import, commit. 会话", no_args_is_help=True)
SessionId = Annotated[str, typer.Argument(metavar="ID", help="The session's id. 编号")]
NoVectors = Annotated[bool, typer.Option("--no-vectors", help="Leave vectors to a worker. 不计算向量")]
_SHOWN_BAD = 20
_SHOWN_SESSIONS = 20


@command(app, "list")
def list_all(
    who: Who,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="At most so many. 数量")] = 50,
) -> None:
    """List sessions, newest first. 列出会话"""
    from cli.running import opened

    with opened(who) as call:
        list_sessions(call, limit=limit)


def list_sessions(call: Call, *, limit: int) -> None:
    """Answer with the newest sessions."""
    from storage import sessions

    async def read() -> list[ChatSession]:
        async with call.engine.database.transaction(call.scope) as tx:
            return await sessions.list_sessions(tx, limit=limit)

    found = call.run(read())
    out = call.out
    if out.as_json:
        out.document({"sessions": [_plain(session) for session in found]})
    elif not found:
        out.notice("none_sessions")
    else:
        zone = call.engine.settings.zone
        rows = [
            [
                session.session_id,
                one_line(session.title, 60),
                session.last_seq,
                session.last_seq - session.committed_seq,
                f"{session.updated_at.astimezone(zone):%Y-%m-%d %H:%M}" if session.updated_at else "",
            ]
            for session in found
        ]
        out.show(table(*out.tell("col_sessions").split("|"), rows=rows))


@command(app, "show")
def show(
    who: Who,
    session_id: SessionId,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="The last so many. 最近数量")] = 200,
) -> None:
    """Show a session's messages and its commits. 查看会话"""
    from cli.running import as_id, opened
    from storage import commits, sessions

    with opened(who) as call:

        async def read() -> tuple[ChatSession, list[ChatMessage], list[Commit]]:
            identity = as_id(session_id, "session")
            async with call.engine.database.transaction(call.scope) as tx:
                session = await sessions.get(tx, identity)
                messages = await sessions.messages(tx, identity, limit=limit)
                return session, messages, await commits.of_session(tx, identity)

        session, messages, ended = call.run(read())
        out = call.out
        if out.as_json:
            told = {"messages": [_message(m) for m in messages], "commits": [_commit(c) for c in ended]}
            out.document({**_plain(session), "overview": session.overview, **told})
            return
        waiting = session.last_seq - session.committed_seq
        facts = {"title": session.title, "session_id": session.session_id, "policy": session.policy.value}
        out.aside(out.tell("session_head", **facts, messages=session.last_seq, waiting=waiting))
        if len(messages) < session.last_seq:
            out.notice("cut_messages", style="dim", shown=len(messages), total=session.last_seq)
        zone = call.engine.settings.zone
        for message in messages:
            who_spoke = message.speaker or message.role.value
            out.answer(f"#{message.seq} {message.sent_at.astimezone(zone):%Y-%m-%d %H:%M} {who_spoke}")
            out.answer(f"{message.content}\n")
        if ended:
            spans = [f"#{c.from_seq + 1}–{c.upto_seq} {c.state.value}" for c in ended]
            out.aside(out.tell("session_commits", commits=", ".join(spans)))


@command(app, "import")
def import_chat(
    who: Who,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="JSON lines (role, content, sent_at, ...), or an export of ChatGPT or Claude (.zip). 文件或导出压缩包",
        ),
    ],
    me: Annotated[str, typer.Option("--me", help="Your own name among the speakers of a group chat. 本人名字")] = "",
    no_commit: Annotated[bool, typer.Option("--no-commit", help="Only store the messages. 不整理记忆")] = False,
    no_vectors: NoVectors = False,
) -> None:
    """Import chats and distil them; again and again, only what is new. 导入对话"""
    from datetime import UTC, datetime

    from cli.conversations import import_archive, import_lines, opened_file
    from cli.finishing import finish
    from cli.running import opened
    from resources.chats.archives import opened_archive

    with opened_file(file) as content, opened_archive(content) as archive, opened(who) as call:
        out = call.out
        try:
            if archive is None:
                report = import_lines(call, content, name=file.name, me=me)
            else:
                undated = datetime.fromtimestamp(file.stat().st_mtime, UTC)
                report = import_archive(call, archive, undated=undated)
            _commit_all(call, report["sessions"], skip=no_commit)
        except KeyboardInterrupt:
            out.notice("sessions_interrupted", style="yellow")
            raise
        if out.as_json:
            out.document(report)
        else:
            _show_import(call, report)
        new = report["imported"] or report["assets"] or any(row["commits"] for row in report["sessions"])
        if no_commit:
            out.notice("commit_skipped")
        elif new:
            finish(call, no_vectors=no_vectors)
        if not report["sessions"]:
            out.notice("nothing_read", style="bold red", file=file)
            raise typer.Exit(1)


def _commit_all(call: Call, rows: list[dict[str, Any]], *, skip: bool) -> None:
    """Commit what no commit holds yet, the sessions that ended first before the others: what was said later replaces
    what was said before. Afterwards the rows are as they are reported."""
    from cli.commits import commit_session

    for row in rows:
        row["commits"] = []
    waiting = [] if skip else sorted((row for row in rows if row["waiting"]), key=lambda row: row["ended"])
    with call.out.progress("committing", total=len(waiting)) as bar:
        for done, row in enumerate(waiting, start=1):
            row["commits"] = call.run(commit_session(call.engine, call.scope, row["session_id"]))["commits"]
            bar.reach(done)
    for row in rows:
        row["session_id"] = str(row["session_id"])
        del row["waiting"], row["ended"]


@command(app, "commit")
def commit(who: Who, session_id: SessionId, no_vectors: NoVectors = False) -> None:
    """Archive what is new in a session and distil memories from it. 整理会话"""
    from cli.running import as_id, opened

    with opened(who) as call:
        if run_commit_of(call, as_id(session_id, "session"), no_vectors=no_vectors) in ("pending", "failed"):
            raise typer.Exit(1)


def run_commit_of(call: Call, session_id: Any, *, no_vectors: bool = False) -> str:
    """Commit a session to its end, answer with the report, finish what that left to do; the state it ended in."""
    from cli.commits import commit_session, show
    from cli.finishing import finish
    from storage import sessions

    async def counted() -> ChatSession:
        async with call.engine.database.transaction(call.scope) as tx:
            return await sessions.get(tx, session_id)

    session = call.run(counted())
    waiting = session.last_seq - session.committed_seq
    try:
        with call.out.progress("committing", total=waiting) as bar:
            work = commit_session(
                call.engine, call.scope, session_id, moved=lambda seq: bar.reach(seq - session.committed_seq)
            )
            report = call.run(work)
    except KeyboardInterrupt:
        call.out.notice("commit_interrupted", style="yellow")
        raise
    if call.out.as_json:
        call.out.document(report)
    else:
        show(call.out, report)
    if report["commits"]:
        finish(call, no_vectors=no_vectors)
    return str(report["state"])


def _show_import(call: Call, report: dict[str, Any]) -> None:
    out = call.out
    for row in report["failed"][:_SHOWN_BAD]:
        if "line" in row:
            out.notice("bad_line", style="yellow", **row)
        else:
            out.notice("bad_conversation" if row["conversation"] else "bad_archive", style="yellow", **row)
    if len(report["failed"]) > _SHOWN_BAD:
        key = "bad_lines_more" if report["source"] == "lines" else "bad_conversations_more"
        out.notice(key, style="yellow", count=len(report["failed"]) - _SHOWN_BAD)
    rows = [
        [
            row["session_id"],
            one_line(row["title"], 40),
            row["imported"],
            row["known"],
            ", ".join(c["state"] for c in row["commits"]),
            sum((c["stats"] or {}).get("memories_extracted", 0) for c in row["commits"]),
        ]
        for row in report["sessions"][:_SHOWN_SESSIONS]
    ]
    if rows:
        out.show(table(*out.tell("col_imported").split("|"), rows=rows))
    if len(report["sessions"]) > _SHOWN_SESSIONS:
        out.answer(out.tell("sessions_more", count=len(report["sessions"]) - _SHOWN_SESSIONS))
    if report["assets"]:
        out.answer(out.tell("assets_stored", count=report["assets"]))


def _plain(session: ChatSession) -> dict[str, Any]:
    return {
        "session_id": str(session.session_id),
        "title": session.title,
        "agent": session.agent,
        "policy": session.policy.value,
        "messages": session.last_seq,
        "uncommitted": session.last_seq - session.committed_seq,
        "updated_at": session.updated_at.isoformat() if session.updated_at else None,
    }


def _message(message: ChatMessage) -> dict[str, Any]:
    return {
        "seq": message.seq,
        "message_id": str(message.message_id),
        "role": message.role.value,
        "speaker": message.speaker,
        "content": message.content,
        "tool": message.tool,
        "state": message.state.value,
        "sent_at": message.sent_at.isoformat(),
        "timezone": message.zone,
        "run_id": str(message.run_id) if message.run_id else None,
    }


def _commit(commit: Commit) -> dict[str, Any]:
    return {
        "commit_id": str(commit.commit_id),
        "from_seq": commit.from_seq,
        "upto_seq": commit.upto_seq,
        "state": commit.state.value,
        "reason": commit.reason or "",
        "stats": dict(commit.stats),
    }
