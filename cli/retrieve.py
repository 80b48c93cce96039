"""`pocketmind retrieve` and `pocketmind context`: what a question finds, why, and what a model would be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Who, command
from cli.output import harmless, one_line, table

if TYPE_CHECKING:
    from cli.lookup import Lookup
    from cli.output import Output

_PARTS_LAST = ("calibrated", "hotness")
Query = Annotated[str, typer.Argument(metavar="QUERY", help="A question or words. 问题")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    command(app, "retrieve")(retrieve)
    command(app, "context")(context)


def retrieve(
    who: Who,
    query: Query,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="At most so many. 数量")] = 10,
    explain: Annotated[bool, typer.Option("--explain", help="Show the walk and every score's parts. 解释")] = False,
    as_of: Annotated[
        int | None, typer.Option("--as-of", metavar="MIV", min=0, help="What was true at this miv. 按历史时刻")
    ] = None,
) -> None:
    """Find notes, chats and memories for a question. 检索"""
    from cli.lookup import look_up, plain_match, told
    from cli.running import opened

    with opened(who) as call:
        found = call.run(look_up(call.engine, call.scope, query, limit=limit, always=True, as_of=as_of))
        out = call.out
        if out.as_json:
            body: dict[str, Any] = {
                "matches": [plain_match(found, match, explain=explain) for match in found.matches],
                "miv": found.pin.miv,
                "tier": found.selection.decision.tier,
                "plan": found.plan.to_json(),
                "degradations": told(found.degradations, found.language),
            }
            out.document({**body, "trajectory": [dict(step) for step in found.trajectory]} if explain else body)
            return
        _show_plan(out, found)
        for row in told(found.degradations, out.language):
            out.aside(row["text"], style="yellow")
        if not found.matches:
            out.notice("none_found")
        else:
            _show_matches(out, found)
        if explain:
            _show_walk(out, found)
            _show_parts(out, found)


def context(who: Who, query: Query) -> None:
    """Print exactly what a model would be shown for a question; the ledger goes to standard error. 注入内容"""
    from uuid import uuid4

    from cli.lookup import look_up, told
    from cli.running import opened

    with opened(who) as call:
        engine = call.engine
        found = call.run(look_up(engine, call.scope, query, limit=None, always=False))
        rendering = engine.assembler.render(
            call.scope, found.selection, language=found.language, fence=engine.fence(str(uuid4()))
        )
        shown = call.run(rendering)
        decision = found.selection.decision
        out = call.out
        tokens = shown.budget["message"]["tokens"]
        if out.as_json:
            out.document(
                {
                    "text": shown.text,
                    "tier": decision.tier,
                    "gate": {"tier": decision.tier, "reason": decision.reason},
                    "tokens": tokens,
                    "budget": {name: dict(row) for name, row in shown.budget.items()},
                    "ledger": [dict(row) for row in shown.ledger],
                    "miv": found.pin.miv,
                    "degradations": told(shown.degradations, found.language),
                }
            )
            return
        out.answer(shown.text)
        out.notice(
            "context_line", style="dim", tier=decision.tier, reason=decision.reason, tokens=tokens, miv=found.pin.miv
        )
        rows = [
            [row["decision"], row["tier"], row["section"], row.get("uri") or f"× {row.get('count', '')}", _why(row)]
            for row in shown.ledger
        ]
        out.err.print(table(*out.tell("col_ledger").split("|"), rows=rows))


def _why(row: Any) -> str:
    left_out = row.get("left_out")
    return str(row.get("reason") or (f"+ {left_out} left out" if left_out else ""))


def _show_plan(out: Output, found: Lookup) -> None:
    decision = found.selection.decision
    plan = found.plan
    words = {"task_type": plan.task_type.value, "source": plan.source, "queries": len(plan.queries)}
    out.notice("plan_line", style="dim", **words, tier=decision.tier, reason=decision.reason)
    if plan.windows:
        windows = ", ".join(f"{window.first}…{window.last}" for window in plan.windows)
        out.notice("windows_line", style="dim", windows=windows)


def _show_matches(out: Output, found: Lookup) -> None:
    rows = []
    for place, match in enumerate(found.matches, start=1):
        node = found.nodes[match.vid]
        kind = f"{match.context_type.value.lower()} · {node.layer.value}"
        text = one_line(node.body or node.abstract, 160)
        rows.append([place, f"{match.score:.3f}", kind, found.sources[match.vid], text])
    out.show(table(*out.tell("col_matches").split("|"), rows=rows))


def _show_walk(out: Output, found: Lookup) -> None:
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(out.tell("explain_walk"), style="bold"))
    branches: dict[str, Tree] = {}
    for step in found.trajectory:
        branch = branches.setdefault(step["leg"], tree.add(step["leg"]) if step["leg"] not in branches else tree)
        if step["step"] == "start":
            starts = branch.add(Text(out.tell("explain_start", count=len(step["from"]))))
            for uri in step["from"]:
                starts.add(Text(harmless(uri)))
        else:
            values = {key: value for key, value in step.items() if key not in ("step", "leg")}
            branch.add(Text(harmless(out.tell(f"explain_{step['step']}", **values))))
    out.show(tree)


def _show_parts(out: Output, found: Lookup) -> None:
    """Each match with the parts its raw score is the sum of, then what becomes of it, in numbers that can be added."""
    from rich.text import Text

    if not found.matches:
        return
    names = list(dict.fromkeys(name for match in found.matches for name in match.parts))
    names = [name for name in names if name not in _PARTS_LAST] + [name for name in _PARTS_LAST if name in names]
    inner = [name for name in names if name not in _PARTS_LAST]
    rows = []
    for place, match in enumerate(found.matches, start=1):
        arms = " ".join(f"{arm}#{rank}" for arm, rank in sorted(match.arms.items()))
        cells = [f"{match.parts[name]:.4f}" if name in match.parts else "" for name in inner]
        after = [f"{match.parts[name]:.4f}" if name in match.parts else "" for name in names if name in _PARTS_LAST]
        rows.append([place, *cells, f"{match.raw:.4f}", *after, f"{match.score:.4f}", arms, ",".join(match.words[:8])])
    columns = ["#", *inner, "= raw", *[name for name in names if name in _PARTS_LAST], "score", "arms", "words"]
    out.show(Text(f"\n{out.tell('explain_parts')}", style="bold"))
    out.show(table(*columns, rows=rows))
