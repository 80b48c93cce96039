"""`pocketmind resources`: the material that was made of notes, files and chats, what waits, and what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import Who, command
from cli.output import one_line, table
from context.types import ProjectionStatus, SourceType

if TYPE_CHECKING:
    from cli.output import Output
    from cli.resource_values import Listed, Material
    from engine.settings import Settings

app = typer.Typer(name="resources", help="Material made of notes, files, chats: list, show. 材料", no_args_is_help=True)
_SHOWN = (ProjectionStatus.FAILED, ProjectionStatus.PENDING, ProjectionStatus.READY)


@command(app, "list")
def list_all(
    who: Who,
    status: Annotated[
        ProjectionStatus | None, typer.Option("--status", help="Only pending, ready or failed. 状态")
    ] = None,
    kind: Annotated[SourceType | None, typer.Option("--type", help="Only what was made of this. 类型")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="At most so many. 数量")] = 50,
) -> None:
    """List material: what failed first, then what waits, then by the newest change. 列出材料"""
    from cli.resource_values import listed
    from cli.running import opened

    with opened(who) as call:

        async def read() -> Listed:
            async with call.engine.database.transaction(call.scope) as tx:
                return await listed(tx, status=status, kind=kind, limit=limit)

        found = call.run(read())
        if call.out.as_json:
            call.out.document(found.to_json())
        else:
            _show_list(call.out, found, call.engine.settings)


@command(app, "show")
def show(
    who: Who,
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="Id of the material or of its source, its beginning, or address. 编号")
    ],
    text: Annotated[bool, typer.Option("--text", help="With the text of every chunk. 显示全文")] = False,
) -> None:
    """Show material: its source, its summaries, its chunks, and what points where. 查看材料"""
    from cli.resource_tree import as_tree
    from cli.resource_values import find_resource, material_of
    from cli.running import opened

    with opened(who) as call:
        engine = call.engine

        async def read() -> Material:
            async with engine.database.transaction(call.scope) as tx:
                resource = await find_resource(tx, key)
                return await material_of(tx, resource, assets=engine.assets, engine=engine.engine_id)

        found = call.run(read())
        if call.out.as_json:
            call.out.document(found.to_json(text=text))
        else:
            call.out.show(as_tree(call.out, found, zone=engine.settings.zone, text=text))


def _show_list(out: Output, found: Listed, settings: Settings) -> None:
    numbers = [(status, sum(n for (_, s), n in found.counts.items() if s == status)) for status in _SHOWN]
    parts = [f"{out.tell(f'material_{status.value}')} {number}" for status, number in numbers]
    kinds = sorted({kind for kind, _ in found.counts})
    out.answer(" · ".join(parts + [f"{kind} {_of_kind(found, kind)}" for kind in kinds]))
    if not found.rows:
        out.notice("none_resources")
        return
    rows = [
        [
            str(row.resource.resource_id)[:8],
            out.tell(f"material_{row.resource.projection_status.value}"),
            row.resource.source_type.value,
            one_line(row.resource.title or row.title, 50),
            row.chunks,
            one_line(row.source, 50),
            f"{row.resource.updated_at.astimezone(settings.zone):%Y-%m-%d %H:%M}" if row.resource.updated_at else "",
            row.resource.reason or "",
        ]
        for row in found.rows
    ]
    out.show(table(*out.tell("col_resources").split("|"), rows=rows))
    total = sum(n for (kind, status), n in found.counts.items() if found.fits(kind, status))
    if total > len(rows):
        out.notice("resources_more", shown=len(rows), total=total)


def _of_kind(found: Listed, kind: str) -> int:
    return sum(number for (known, _), number in found.counts.items() if known == kind)
