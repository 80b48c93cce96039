"""`pocketmind memory`: what is remembered, by category, by question, and one memory with its evidence and history."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Who, command
from cli.output import one_line, table
from context.types import MemoryType, Status

if TYPE_CHECKING:
    from cli.running import Call
    from context.derived import Evidence, MemoryRecord

app = typer.Typer(name="memory", help="Memory: browse, search, show. 记忆", no_args_is_help=True)
_LISTED = 500


class Listed(StrEnum):
    """Which memories an audit lists."""

    ALL = "all"
    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


@command(app, "browse")
def browse(
    who: Who,
    status: Annotated[
        Listed | None, typer.Option("--status", help="List each memory of this status, with dates. 状态")
    ] = None,
) -> None:
    """Count and one line for each kind of memory; with --status every memory. 浏览"""
    from cli.running import opened

    with opened(who) as call:
        if status is None:
            browse_categories(call)
        else:
            _audit(call, status)


def browse_categories(call: Call) -> None:
    """Answer with count and abstract of each kind, as the model's own tool sees them."""

    async def read() -> dict[str, Any]:
        engine = call.engine
        async with engine.database.transaction(call.scope) as tx:
            pin = await engine.pin(tx, seq=0)
        return dict((await engine.memory_tools.browse_memory_categories(call.scope, pin=pin)).body)

    body = call.run(read())
    if call.out.as_json:
        call.out.document(body)
    else:
        rows = [[name, row["count"], row["abstract"]] for name, row in body.items()]
        call.out.show(table(*call.out.tell("col_browse").split("|"), rows=rows))


def _audit(call: Call, status: Listed) -> None:
    from storage import memories

    wanted = tuple(Status) if status is Listed.ALL else (Status(status.value),)

    async def read() -> list[MemoryRecord]:
        async with call.engine.database.transaction(call.scope) as tx:
            return await memories.list_memories(tx, statuses=wanted, limit=_LISTED)

    found = call.run(read())
    out = call.out
    if out.as_json:
        body = {}
        for kind in MemoryType:
            of_kind = [memory for memory in found if memory.memory_type is kind]
            newest = " / ".join(memory.abstract for memory in of_kind[:3])
            body[kind.value] = {
                "count": len(of_kind),
                "abstract": one_line(newest, 60),
                "memories": [_version(memory) for memory in of_kind],
            }
        out.document(body)
    elif not found:
        out.notice("none_memories")
    else:
        rows = [
            [
                memory.memory_id,
                memory.memory_type.value,
                memory.status.value,
                one_line(memory.abstract, 80),
                f"{memory.valid_from:%Y-%m-%d}" if memory.valid_from else "",
                f"{memory.valid_to:%Y-%m-%d}" if memory.valid_to else "",
                memory.reason or "",
            ]
            for memory in found
        ]
        out.show(table(*out.tell("col_audit").split("|"), rows=rows))


@command(app, "search")
def search(
    who: Who,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for. 查询")],
    kind: Annotated[MemoryType | None, typer.Option("--type", help="Only this kind. 类型")] = None,
) -> None:
    """The best memories for a question. 搜索"""
    from cli.running import opened
    from context.text import clean

    with opened(who) as call:

        async def read() -> dict[str, Any]:
            engine = call.engine
            async with engine.database.transaction(call.scope) as tx:
                pin = await engine.pin(tx, seq=0)
            found = await engine.memory_tools.search_memories(
                call.scope, clean(query).text, kind, pin=pin, now=engine.now()
            )
            return dict(found.body)

        body = call.run(read())
        out = call.out
        if out.as_json:
            out.document(body)
            return
        for line in body["degradations"]:
            out.aside(line)
        if not body["matches"]:
            out.notice("none_found")
            return
        rows = [[row["id"], row["type"], f"{row['score']:.3f}", row["abstract"]] for row in body["matches"]]
        out.show(table(*out.tell("col_search").split("|"), rows=rows))


@command(app, "show")
def show(who: Who, memory_id: Annotated[str, typer.Argument(metavar="ID", help="The memory's id. 编号")]) -> None:
    """One memory in full, with its evidence and its history. 查看记忆"""
    from cli.running import as_id, opened
    from memory.tools import uri_of
    from storage import memories

    with opened(who) as call:

        async def read() -> tuple[MemoryRecord, list[MemoryRecord]]:
            identity = as_id(memory_id, "memory")
            async with call.engine.database.transaction(call.scope) as tx:
                return await memories.get(tx, identity), await memories.history(tx, identity)

        memory, history = call.run(read())
        out = call.out
        if out.as_json:
            out.document(
                {
                    "uri": uri_of(memory, call.scope),
                    **_version(memory),
                    "evidence": [_source(item) for item in memory.evidence],
                    "history": [_version(version) for version in history],
                }
            )
            return
        facts = [memory.memory_type.value, memory.layer.value, memory.status.value, f"v{memory.version}"]
        out.aside(" · ".join([str(memory.memory_id), *facts, f"{memory.confidence:.2f}"]))
        out.answer(memory.abstract)
        if memory.content not in ("", memory.abstract):
            out.answer(memory.content)
        out.answer(f"\n{out.tell('evidence')}")
        for item in memory.evidence:
            out.answer(f"  “{item.quote}”\n    {item.source_uri}")
        if len(history) > 1:
            out.answer(f"\n{out.tell('history')}")
            for version in history:
                since = f"{version.valid_from:%Y-%m-%d}" if version.valid_from else "-"
                words = [f"v{version.version}", version.status.value, since, version.abstract, version.reason or ""]
                out.answer("  " + " · ".join(filter(None, words)))


def _version(memory: MemoryRecord) -> dict[str, Any]:
    times = ("event_time", "mention_time", "valid_from", "valid_to", "last_validated_at")
    return {
        "id": str(memory.memory_id),
        "version": memory.version,
        "type": memory.memory_type.value,
        "status": memory.status.value,
        "layer": memory.layer.value,
        "subject": memory.subject,
        "facet": memory.facet,
        "abstract": memory.abstract,
        "overview": memory.overview,
        "content": memory.content,
        "language": memory.language,
        "speaker": memory.speaker,
        "agent": memory.agent,
        "confidence": memory.confidence,
        "pinned": memory.pinned,
        "merge_key": memory.merge_key,
        **{name: _iso(getattr(memory, name)) for name in times},
        "superseded_by": str(memory.superseded_by) if memory.superseded_by else None,
        "commit_id": str(memory.commit_id) if memory.commit_id else None,
        "reason": memory.reason,
        "stats": dict(memory.stats),
    }


def _source(evidence: Evidence) -> dict[str, Any]:
    return {
        "source_uri": evidence.source_uri,
        "message_id": str(evidence.message_id) if evidence.message_id else None,
        "lines": list(evidence.lines) if evidence.lines else None,
        "quote": evidence.quote,
        "statement": evidence.statement,
        "captured_at": _iso(evidence.captured_at),
    }


def _iso(moment: Any) -> str | None:
    return moment.isoformat() if moment else None
