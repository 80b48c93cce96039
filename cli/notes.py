"""`pocketmind notes`: import a folder, add one, list them, show one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Who, command
from cli.output import one_line, table
from context.truth import NoteKind

if TYPE_CHECKING:
    from cli.running import Call
    from context.truth import Note
    from resources.markdown_folder import FolderListing

app = typer.Typer(name="notes", help="Notes: import, add, list, show. 笔记", no_args_is_help=True)
NoVectors = Annotated[bool, typer.Option("--no-vectors", help="Leave vectors to a worker. 不计算向量")]


@command(app, "import")
def import_folder(
    who: Who,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of Markdown, such as a vault. 文件夹")],
    no_vectors: NoVectors = False,
) -> None:
    """Import a folder of Markdown and text files; again and again, only what changed. 导入文件夹"""
    from cli.importing import import_files
    from cli.running import opened
    from resources.markdown_folder import list_folder

    listing = list_folder(folder)
    with opened(who) as call:
        out = call.out
        try:
            report = import_files(call, listing)
        except KeyboardInterrupt:
            out.notice("import_interrupted", style="yellow")
            raise
        if out.as_json:
            out.document(report)
        else:
            _show_import(call, listing, folder, report)
        if report["imported"] or report["updated"]:
            _follow(call, no_vectors=no_vectors)
        if report["failed"] and not any(report[key] for key in ("imported", "updated", "unchanged")):
            raise typer.Exit(1)


@command(app, "add")
def add(
    who: Who,
    body: Annotated[str, typer.Option("--body", "-b", help="Its text; - reads standard input. 正文")],
    title: Annotated[str, typer.Option("--title", "-t", help="Its title. 标题")] = "",
    kind: Annotated[NoteKind, typer.Option("--kind", help="What kind of note. 类型")] = NoteKind.NOTE,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated. 标签")] = None,
    folder: Annotated[str, typer.Option("--folder", help="Its folder, /-separated. 文件夹")] = "",
    no_vectors: NoVectors = False,
) -> None:
    """Add a note. 新增笔记"""
    from uuid import uuid4

    from cli.running import opened
    from context.condense import one_line as joined
    from context.errors import InvalidInputError
    from context.text import clean
    from context.truth import Note
    from resources.markdown_folder import MAX_BYTES

    text = clean(sys.stdin.buffer.read().decode("utf-8", "replace") if body == "-" else body).text
    named = joined(clean(title).text)
    if not text.strip() and not named:
        raise InvalidInputError("The note is empty; give it a title or a text.", zh="笔记是空的；请写标题或正文。")
    if len(text.encode()) > MAX_BYTES:
        most = MAX_BYTES // 1_000_000
        raise InvalidInputError(
            f"The note is larger than {most} MB; a note of that size is a dump.", zh=f"笔记超过 {most} MB。"
        )
    note = Note(
        note_id=uuid4(),
        title=named,
        body=text,
        kind=kind,
        folder="/".join(part.strip() for part in clean(folder).text.split("/") if part.strip(" .")),
        tags=tuple(dict.fromkeys(joined(clean(item).text).lstrip("#") for item in tag or [] if item.strip("# "))),
    )
    with opened(who) as call:

        async def save() -> Note:
            async with call.engine.database.transaction(call.scope) as tx:
                return (await call.engine.projector.save_note(tx, note)).note

        saved = call.run(save())
        if call.out.as_json:
            call.out.document(_plain(saved, call.scope.user))
        else:
            call.out.answer(call.out.tell("note_added", note_id=saved.note_id))
        _follow(call, no_vectors=no_vectors)


@command(app, "list")
def list_all(
    who: Who,
    folder: Annotated[str | None, typer.Option("--folder", help="Only this folder and below. 文件夹")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="At most so many. 数量")] = 50,
) -> None:
    """List notes, newest change first. 列出笔记"""
    from cli.running import opened
    from context.text import clean
    from storage import notes

    below = None if folder is None else clean(folder).text.strip("/")
    with opened(who) as call:

        async def read() -> list[Note]:
            async with call.engine.database.transaction(call.scope) as tx:
                return await notes.list_notes(tx, folder=below, limit=limit)

        found = call.run(read())
        out = call.out
        if out.as_json:
            rows = [_plain(note, call.scope.user) for note in found]
            out.document({"notes": [{key: row[key] for key in row if key != "body"} for row in rows]})
        elif not found:
            out.notice("none_notes")
        else:
            zone = call.engine.settings.zone
            cells = [
                [
                    note.note_id,
                    note.kind.value,
                    one_line(note.title or note.body, 60),
                    note.folder,
                    " ".join(f"#{tag}" for tag in note.tags),
                    f"{note.updated_at.astimezone(zone):%Y-%m-%d %H:%M}" if note.updated_at else "",
                ]
                for note in found
            ]
            out.show(table(*out.tell("col_notes").split("|"), rows=cells))


@command(app, "show")
def show(who: Who, note_id: Annotated[str, typer.Argument(metavar="ID", help="The note's id. 编号")]) -> None:
    """Show a note with its text. 查看笔记"""
    from cli.running import as_id, opened
    from storage import notes

    with opened(who) as call:

        async def read() -> Note:
            async with call.engine.database.transaction(call.scope) as tx:
                return await notes.get(tx, as_id(note_id, "note"))

        note = call.run(read())
        if call.out.as_json:
            call.out.document(_plain(note, call.scope.user))
            return
        tags = " ".join(f"#{tag}" for tag in note.tags)
        facts = [str(note.note_id), note.kind.value, note.source_name or note.folder, tags, f"{note.updated_at}"]
        call.out.aside(" · ".join(filter(None, facts)))
        if note.title:
            call.out.aside(note.title, style="bold")
        call.out.answer(note.body)


def _follow(call: Call, *, no_vectors: bool) -> None:
    from cli.vectors import fill

    if no_vectors:
        call.out.notice("vectors_skipped")
    else:
        fill(call)


def _show_import(call: Call, listing: FolderListing, folder: Path, report: dict[str, Any]) -> None:
    out = call.out
    if not listing.files and not listing.problems:
        out.notice("import_empty", folder=folder)
        return
    for key in ("failed", "notice"):
        for row in report["notices" if key == "notice" else key]:
            out.notice(f"import_{key}", style="yellow", path=row["path"], reason=row["reason"])
    counts = {key: report[key] for key in ("imported", "updated", "unchanged")}
    out.answer(out.tell("import_summary", **counts, failed=len(report["failed"])))


def _plain(note: Note, user: str) -> dict[str, Any]:
    from context.uri import note_uri

    return {
        "note_id": str(note.note_id),
        "uri": str(note_uri(user, note.note_id)),
        "title": note.title,
        "kind": note.kind.value,
        "folder": note.folder,
        "tags": list(note.tags),
        "source_name": note.source_name,
        "source_url": note.source_url,
        "first_line": note.first_line,
        "pinned": note.pinned,
        "revision": note.revision,
        "updated_at": note.updated_at.isoformat() if note.updated_at else None,
        "body": note.body,
    }
