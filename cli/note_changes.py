"""`pocketmind notes edit`, `mv` and `rm`: notes changed, moved and deleted."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Who, command
from cli.output import one_line
from context.truth import NoteKind

if TYPE_CHECKING:
    from cli.output import Output
    from cli.running import Call
    from context.errors import ConflictError
    from context.truth import Note
    from memory.erasure import Erased

NoteId = Annotated[str, typer.Argument(metavar="ID", help="The note's id, or its first 6 characters. 编号")]
NoteIds = Annotated[list[str], typer.Argument(metavar="ID", help="Ids, or their first 6 characters. 编号")]
NoVectors = Annotated[bool, typer.Option("--no-vectors", help="Leave vectors to a worker. 不计算向量")]
_FIELDS = ("title", "folder", "tags", "kind", "pinned", "body")
_AT_ONCE = 50
_SHOWN = 10
_YES = ("y", "yes", "是")


def register(app: typer.Typer) -> None:
    """Add the commands to those of notes."""
    command(app, "edit")(edit)
    command(app, "mv")(move)
    command(app, "rm")(remove)


def edit(
    who: Who,
    note_id: NoteId,
    title: Annotated[str | None, typer.Option("--title", "-t", help="Another title. 标题")] = None,
    body: Annotated[str | None, typer.Option("--body", "-b", help="Another text; - reads standard input. 正文")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="These tags instead; may be repeated. 标签")] = None,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="No tags any more. 去掉标签")] = False,
    folder: Annotated[str | None, typer.Option("--folder", help="Another folder, /-separated. 文件夹")] = None,
    kind: Annotated[NoteKind | None, typer.Option("--kind", help="Another kind. 类型")] = None,
    pin: Annotated[bool | None, typer.Option("--pin/--no-pin", help="Pin it, or not any more. 置顶")] = None,
    editor: Annotated[
        bool, typer.Option("--editor", "-e", help="Open the text in $VISUAL or $EDITOR. 用编辑器")
    ] = False,
    revision: Annotated[
        int | None, typer.Option("--revision", min=1, help="Only if the note still is at this one. 版本")
    ] = None,
    no_vectors: NoVectors = False,
) -> None:
    """Change what is given of a note and nothing else; with no option, its text in an editor. 修改笔记"""
    from cli.note_values import body_of, checked, folder_of, tags_of, title_of
    from cli.notes import follow
    from cli.running import opened, settings_for

    _, out = settings_for(who)
    if tag and no_tags:
        raise typer.BadParameter(out.tell("both_tags"))
    if body is not None and editor:
        raise typer.BadParameter(out.tell("both_bodies"))
    given: dict[str, Any] = {
        "title": None if title is None else title_of(title),
        "body": None if body is None else body_of(body),
        "tags": () if no_tags else tags_of(tag) if tag else None,
        "folder": None if folder is None else folder_of(folder),
        "kind": kind,
        "pinned": pin,
    }
    given = {name: value for name, value in given.items() if value is not None}
    if not given and not editor and not sys.stdin.isatty():
        raise typer.BadParameter(out.tell("edit_nothing"))
    with opened(who) as call:
        (before,) = call.run(_found(call, [note_id]))
        if revision is not None and revision != before.revision:
            raise _moved_on(before, expected=revision)
        with _written(before, out, asked=editor or not given) as written:
            after = checked(replace(before, **given, **written, updated_at=None))
            ((note, changed),) = call.run(_save(call, [before], [after]))
        _answer(call, [(before, note, changed)])
        if changed:
            follow(call, no_vectors=no_vectors)


def move(
    who: Who,
    note_ids: NoteIds,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Where to, /-separated; / is the top. 文件夹")],
    no_vectors: NoVectors = False,
) -> None:
    """Move notes to a folder; their addresses, and whatever points to them, stay. 移动笔记"""
    from cli.note_values import folder_of
    from cli.notes import follow
    from cli.running import opened

    to = folder_of(folder)
    with opened(who) as call:
        before = call.run(_found(call, note_ids))
        after = [replace(note, folder=to, updated_at=None) for note in before]
        saved = call.run(_save(call, before, after))
        _answer(call, [(old, note, changed) for old, (note, changed) in zip(before, saved, strict=True)])
        if any(changed for _, changed in saved):
            follow(call, no_vectors=no_vectors)  # the folders that notes have left and joined say so, too


def remove(
    who: Who,
    note_ids: NoteIds,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask. 不再询问")] = False,
) -> None:
    """Delete notes with every version, and what is known from them alone; this cannot be undone. 删除笔记"""
    from cli.running import opened, settings_for
    from memory.erasure import delete_notes, discard_bytes

    _, out = settings_for(who)
    if not yes and not sys.stdin.isatty():
        raise typer.BadParameter(out.tell("rm_needs_yes"))
    with opened(who) as call:
        engine = call.engine
        found = call.run(_found(call, note_ids))
        if not yes and not _agreed(out, found):
            out.notice("rm_kept")
            raise typer.Exit(1)
        ids = [note.note_id for note in found]

        async def erase() -> Erased:
            async with engine.database.transaction(call.scope) as tx:
                return await delete_notes(tx, ids, engine=engine.engine_id, assets=engine.assets)

        erased = call.run(erase())
        call.run(discard_bytes(engine.database, call.scope, engine.assets, erased))
        counts = {"memories_erased": erased.memories_erased, "memories_poorer": erased.memories_poorer}
        if out.as_json:
            out.document({"deleted": [str(note_id) for note_id in ids], **counts})
        else:
            out.answer(out.tell("rm_done", count=len(ids), **counts))


async def _found(call: Call, given: Sequence[str]) -> list[Note]:
    """The notes that are meant, each once."""
    from cli.note_values import find_note

    async with call.engine.database.transaction(call.scope) as tx:
        found = [await find_note(tx, text) for text in given]
    return list({note.note_id: note for note in found}.values())


@contextmanager
def _written(before: Note, out: Output, *, asked: bool) -> Iterator[dict[str, Any]]:
    """The text that the person has written in an editor, if it is asked for."""
    from cli.note_editor import edited

    if not asked:
        yield {}
        return
    with edited(before.body, out) as body:
        yield {"body": body}


async def _save(call: Call, before: Sequence[Note], after: Sequence[Note]) -> list[tuple[Note, list[str]]]:
    """Save notes as they are to be, all or none; each as it stands then, and what of it has changed.

    Raises:
        ConflictError: somebody else has changed or deleted one since it was read.
    """
    pairs = list(zip(before, after, strict=True))
    changed = {old.note_id: _differences(old, new) for old, new in pairs}
    fresh = [(old, new) for old, new in pairs if changed[old.note_id]]
    now = {old.note_id: old for old in before}
    if fresh:
        async with call.engine.database.transaction(call.scope) as tx:
            for start in range(0, len(fresh), _AT_ONCE):
                batch = [new for _, new in fresh[start : start + _AT_ONCE]]
                now |= {saved.note.note_id: saved.note for saved in await call.engine.projector.save_notes(tx, batch)}
            for old, _ in fresh:
                if now[old.note_id].revision != old.revision + 1:
                    raise _moved_on(now[old.note_id], expected=old.revision)
    return [(now[old.note_id], changed[old.note_id]) for old in before]


def _differences(old: Note, new: Note) -> list[str]:
    return [name for name in _FIELDS if getattr(old, name) != getattr(new, name)]


def _moved_on(note: Note, *, expected: int) -> ConflictError:
    from context.errors import ConflictError

    return ConflictError(
        f"Note {note.note_id} is not at revision {expected} any more: somebody has changed or deleted it.",
        hint=f"pocketmind notes show {note.note_id}",
        zh=f"笔记 {note.note_id} 已不是第 {expected} 版：有人改动或删除了它。",
    )


def _agreed(out: Output, found: Sequence[Note]) -> bool:
    """Whether the person wants these gone; asked beside the answer, so that a document stays one."""
    for note in found[:_SHOWN]:
        out.aside(f"  {note.note_id}  {one_line(note.title or note.body, 60)}")
    if len(found) > _SHOWN:
        out.notice("rm_more", count=len(found) - _SHOWN)
    out.err.print(out.tell("rm_ask", count=len(found)), end=" ", soft_wrap=True)
    return sys.stdin.readline().strip().lower() in _YES


def _answer(call: Call, rows: Sequence[tuple[Note, Note, list[str]]]) -> None:
    """Each note as it was, as it is, and what of it has changed."""
    from cli.note_values import plain_note

    out = call.out
    if out.as_json:
        plain = [{**plain_note(note, call.scope.user), "changed": names} for _, note, names in rows]
        out.document(plain[0] if len(plain) == 1 else {"notes": plain})
        return
    for old, note, names in rows:
        values = {"note_id": note.note_id, "revision": note.revision}
        out.answer(out.tell("note_changed" if names else "note_unchanged", **values))
        for name in names:
            out.answer(_change(out, name, getattr(old, name), getattr(note, name)))


def _change(out: Output, name: str, old: Any, new: Any) -> str:
    """One line on one field; of a text, how many lines came and went."""
    if name == "body":
        lost, come = Counter(old.splitlines()), Counter(new.splitlines())
        return out.tell("change_body", added=(come - lost).total(), removed=(lost - come).total())
    values = {"before": _shown(out, name, old), "after": _shown(out, name, new)}
    return out.tell("change_line", field=out.tell(f"field_{name}"), **values)


def _shown(out: Output, name: str, value: Any) -> str:
    if isinstance(value, bool):
        return out.tell("value_yes" if value else "value_no")
    if isinstance(value, tuple):
        return " ".join(f"#{tag}" for tag in value) or out.tell("value_none")
    return value or ("/" if name == "folder" else out.tell("value_none"))
