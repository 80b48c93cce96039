"""`pocketmind notes import`: the import with its progress, its report and, if asked for, the watch after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import typer

from cli.imports.batches import Choices, Work
from cli.imports.importing import import_vault, site_of
from cli.imports.report import Change, ImportReport, Outcome, show_report
from cli.imports.watch import Watch, follow_changes
from cli.running import Call
from resources.vaults.vault import list_vault, shown

T = TypeVar("T")
_QUIET = (Change.UNCHANGED, Change.SKIPPED_DELETED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attentive(Call):
    """A call that remembers Ctrl-C, since what it runs may stop at it and say so, but a watch is to end."""

    interrupted: Event = field(default_factory=Event)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return Call.run(self, work)
        except KeyboardInterrupt:
            self.interrupted.set()
            raise


def import_path(call: Call, path: Path, choices: Choices, *, watch: bool, finish: Callable[[Call], None]) -> None:
    """Import a folder or a file, say what came of it, and go on with what changes if that is asked for.

    Args:
        finish: what is to be done when something has changed.

    Raises:
        InvalidInputError: there is no such path, or nothing reads it.
        typer.Exit: nothing at all could be read.
    """
    out = call.out
    work = Work(
        engine=call.engine,
        scope=call.scope,
        site=call.run(site_of(call.engine, call.scope, path)),
        choices=choices,
    )
    changes = Watch(work.site) if watch else None
    report = ImportReport()
    try:
        listing = list_vault(work.site)
        with out.progress("importing", total=len(listing)) as bar:
            call.run(import_vault(work, listing, report, reach=bar.reach))
    except KeyboardInterrupt:
        stored = report.imported + report.updated + report.files + len(report.moved)
        out.notice("import_interrupted", style="yellow", stored=stored)
        raise
    if watch and out.as_json:
        out.answer(json.dumps(report.plain(), ensure_ascii=False))
    elif out.as_json:
        out.document(report.plain())
    elif not len(listing) and not listing.problems and not report.changed and not report.notices:
        out.notice("import_empty", folder=shown(str(path)))
    else:
        show_report(out, report)
    attentive = _Attentive(engine=call.engine, scope=call.scope, out=out, runner=call.runner)
    if report.changed:
        finish(attentive)
    if changes is not None:
        _stay(attentive, work, changes, finish)
    elif report.in_vain:
        raise typer.Exit(1)


def _stay(call: _Attentive, work: Work, changes: Watch, finish: Callable[[Call], None]) -> None:
    out = call.out

    def told(outcome: Outcome) -> None:
        if out.as_json or outcome.change in _QUIET:
            return
        if outcome.problem is None:
            out.answer(out.tell(f"watch_{outcome.change}", path=outcome.name, before=outcome.before))
        else:
            reason = (out.language == "zh" and outcome.problem.zh) or outcome.problem.reason
            out.notice("import_failed", style="yellow", path=outcome.name, reason=reason)

    def ended(report: ImportReport) -> None:
        if out.as_json and (report.changed or report.failed or report.conflicts or report.notices):
            out.answer(json.dumps(report.plain(), ensure_ascii=False))
        elif not out.as_json:
            for notice in report.notices:
                reason = (out.language == "zh" and notice.zh) or notice.reason
                out.notice("import_notices", style="yellow", path=notice.path, reason=reason)
        if report.changed:
            finish(call)
        if call.interrupted.is_set():
            raise KeyboardInterrupt

    if call.interrupted.is_set():
        out.notice("watch_ended")
        return
    out.notice("watch_began", path=shown(str(work.site.folder / work.site.below)))
    follow_changes(call, work, changes, told=told, ended=ended)
