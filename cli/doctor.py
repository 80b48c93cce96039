"""`pocketmind doctor`: every effective setting and its source, and every part looked at, whatever else is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from cli.options import Who, command
from cli.output import Output, table

if TYPE_CHECKING:
    from cli.checks import Check
    from cli.effective import Effective


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "doctor")(doctor)


def doctor(who: Who) -> None:
    """Look at everything; exit code 0 when all is well, 1 with problems. 体检"""
    import asyncio

    from cli.checks import Check, check_all
    from cli.effective import effective_settings, unknown_variables
    from cli.running import keep_logs, scope_of, settings_for
    from context.errors import PocketMindError
    from engine.settings import speaks

    checks: list[Check] = []
    rows = effective_settings()
    try:
        settings, out = settings_for(who)
        scope = scope_of(who, settings)
    except PocketMindError as error:
        out = Output(language=speaks(), as_json=who.as_json)
        checks.append(Check(part="settings", state="problem", detail=error.message, remedy=error.hint or ""))
    else:
        keep_logs(settings.home)
        checks.append(
            Check(part="settings", detail=f"{sum(row.source != 'default' for row in rows)} of {len(rows)} set")
        )
        checks += asyncio.run(check_all(settings, scope))
    checks[1:1] = [
        Check(part="settings", state="note", detail=f"{name} is set, and no setting has that name.")
        for name in unknown_variables()
    ]
    problems = [check for check in checks if check.state == "problem"]
    if out.as_json:
        out.document(_document(rows, checks, problems))
    else:
        _show(out, rows, checks, problems)
    if problems:
        raise typer.Exit(1)


def _document(rows: list[Effective], checks: list[Check], problems: list[Check]) -> dict[str, Any]:
    return {
        "ok": not problems,
        "settings": [{"name": row.name, "value": row.value, "source": row.source} for row in rows],
        "checks": [check.to_json() for check in checks],
        "problems": [check.to_json() for check in problems],
    }


def _show(out: Output, rows: list[Effective], checks: list[Check], problems: list[Check]) -> None:
    out.show(table(*out.tell("col_settings").split("|"), rows=[[row.name, row.value, row.source] for row in rows]))
    out.answer("")
    cells = [[check.part, out.tell(f"check_{check.state}"), check.detail] for check in checks]
    out.show(table(*out.tell("col_checks").split("|"), rows=cells))
    out.answer("")
    if not problems:
        out.answer(out.tell("doctor_ok"))
        return
    out.answer(out.tell("doctor_problems", count=len(problems)))
    for check in problems:
        out.answer(f"  ✗ {check.part}: {check.detail}" + (f"\n    {check.remedy}" if check.remedy else ""))
