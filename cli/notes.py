"""`pocketmind notes`: import a folder, add one, list them, show one. Changing them: `cli.note_changes`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import note_changes
from cli.options import Who, command
from cli.output import one_line, table
from context.truth import NoteKind

if TYPE_CHECKING:
    from cli.running import Call
    from context.truth import Note

app = typer.Typer(name="notes", help="Notes: import, add, list, show, edit, mv, rm. 笔记", no_args_is_help=True)
NoVectors = Annotated[bool, typer.Option("--no-vectors", help="Leave vectors to a worker. 不计算向量")]


@command(app, "import")
def import_folder(
    who: Who,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A folder such as a vault, or a file. 文件夹或文件")],
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and import what changes. 持续导入改动")] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete however many files are gone. 文件大量消失也删除")
    ] = False,
    keep_deleted: Annotated[
        bool, typer.Option("--keep-deleted", help="Delete nothing when files are gone. 文件消失也不删除")
    ] = False,
    restore_deleted: Annotated[
        bool, typer.Option("--restore-deleted", help="Bring back what was deleted here. 恢复在此删除的笔记")
    ] = False,
    take_files: Annotated[
        bool, typer.Option("--take-files", help="Where both sides changed, the file wins. 两边都改过时以文件为准")
    ] = False,
    no_vectors: NoVectors = False,
) -> None:
    """Import a folder of notes and files, or a file; again and again, only what changed. 导入文件夹"""
    from functools import partial

    from cli.imports.batches import Choices
    from cli.imports.command import import_path
    from cli.running import opened, settings_for

    if prune and keep_deleted:
        raise typer.BadParameter(settings_for(who)[1].tell("both_deletions"))
    choices = Choices(prune=prune, keep_deleted=keep_deleted, restore_deleted=restore_deleted, take_files=take_files)
    with opened(who) as call:
        import_path(call, path, choices, watch=watch, finish=partial(follow, no_vectors=no_vectors))


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

    from cli.note_values import body_of, checked, folder_of, plain_note, tags_of, title_of
    from cli.running import opened
    from context.truth import Note

    note = Note(
        note_id=uuid4(),
        title=title_of(title),
        body=body_of(body),
        kind=kind,
        folder=folder_of(folder),
        tags=tags_of(tag or []),
    )
    checked(note)
    with opened(who) as call:

        async def save() -> Note:
            async with call.engine.database.transaction(call.scope) as tx:
                return (await call.engine.projector.save_note(tx, note)).note

        saved = call.run(save())
        if call.out.as_json:
            call.out.document(plain_note(saved, call.scope.user))
        else:
            call.out.answer(call.out.tell("note_added", note_id=saved.note_id))
        follow(call, no_vectors=no_vectors)


@command(app, "list")
def list_all(
    who: Who,
    folder: Annotated[str | None, typer.Option("--folder", help="Only this folder and below. 文件夹")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="At most so many. 数量")] = 50,
) -> None:
    """List notes, newest change first. 列出笔记"""
    from cli.note_values import plain_note
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
            rows = [plain_note(note, call.scope.user) for note in found]
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
def show(
    who: Who,
    note_id: Annotated[str, typer.Argument(metavar="ID", help="The note's id, or its first 6 characters. 编号")],
) -> None:
    """Show a note with its text. 查看笔记"""
    from cli.note_values import find_note, plain_note
    from cli.running import opened

    with opened(who) as call:

        async def read() -> Note:
            async with call.engine.database.transaction(call.scope) as tx:
                return await find_note(tx, note_id)

        note = call.run(read())
        if call.out.as_json:
            call.out.document(plain_note(note, call.scope.user))
            return
        tags = " ".join(f"#{tag}" for tag in note.tags)
        facts = [str(note.note_id), note.kind.value, note.source_name or note.folder, tags, f"{note.updated_at}"]
        call.out.aside(" · ".join(filter(None, facts)))
        if note.title:
            call.out.aside(note.title, style="bold")
        call.out.answer(note.body)


note_changes.register(app)


def follow(call: Call, *, no_vectors: bool) -> None:
    """Do at once what a command has left to do for what it wrote."""
    from cli.finishing import finish

    finish(call, no_vectors=no_vectors)
