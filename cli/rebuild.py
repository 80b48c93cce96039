"""`pocketmind rebuild`: everything that follows from truth, derived again; only what differs is changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import Who, command

if TYPE_CHECKING:
    from cli.output import Output
    from cli.running import Call
    from context.scope import Scope
    from context.truth import Asset
    from resources.readers.document import Document
    from resources.rebuilding.values import Rebuilt

_KINDS = ("notes", "files", "stages", "memories", "containers")
_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "rebuild")(rebuild)


def rebuild(
    who: Who,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change. 只检查，不修改")] = False,
    no_vectors: Annotated[bool, typer.Option("--no-vectors", help="Leave vectors to a worker. 不计算向量")] = False,
) -> None:
    """Derive the index again from notes, files, chats and memories, and mend what differs. 重建索引"""
    from cli.finishing import finish
    from cli.running import opened

    with opened(who) as call:
        try:
            report = _run(call, dry_run=dry_run)
        except KeyboardInterrupt:
            call.out.notice("rebuild_interrupted", style="yellow")
            raise
        if call.out.as_json:
            call.out.document(report.to_json())
        else:
            _show(call.out, report)
        if dry_run:
            return
        finish(call, no_vectors=no_vectors)
        for agent in () if no_vectors else report.pending:
            if agent != call.scope.agent:  # what was distilled for one agent, only that agent can see
                finish(replace(call, scope=replace(call.scope, agent=agent)))


def _run(call: Call, *, dry_run: bool) -> Rebuilt:
    from memory.reindex import rebuild_owner, visibility_of
    from resources.reading import document_of

    engine, out = call.engine, call.out

    async def read(scope: Scope, asset: Asset) -> Document:
        return await document_of(engine.database, scope, engine.assets, asset, transcriber=engine.transcriber)

    with out.progress("rebuilding", total=1) as bar:

        def reach(name: str, done: int, total: int) -> None:
            bar.reach(done, total, doing=out.tell(f"rebuild_{name}"))

        return call.run(
            rebuild_owner(
                engine.database,
                call.scope,
                engine=engine.engine_id,
                embeds=engine.embedder is not None,
                assets=engine.assets,
                read=read,
                visibility=visibility_of(engine.settings.archive.transcript_recall),
                dry_run=dry_run,
                progress=reach,
            )
        )


def _show(out: Output, report: Rebuilt) -> None:
    counts = [f"{out.tell(f'rebuild_{name}')} {report.sources.get(name, 0)}" for name in _KINDS]
    out.answer(" · ".join(counts))
    tally = report.tally
    if not tally:
        out.answer(out.tell("rebuild_intact"))
    else:
        out.answer(
            out.tell(
                "rebuild_would" if report.dry_run else "rebuild_done",
                changed=tally.changed,
                records=tally.records,
                references=tally.references,
                words=tally.words_repaired,
                erased=tally.erased,
            )
        )
    for item in report.unreadable[:_SHOWN]:
        reason = item.reason_zh if out.language == "zh" and item.reason_zh else item.reason
        out.notice("rebuild_unreadable", style="yellow", name=item.name, reason=reason)
    if len(report.unreadable) > _SHOWN:
        out.notice("not_read_more", style="yellow", count=len(report.unreadable) - _SHOWN)
