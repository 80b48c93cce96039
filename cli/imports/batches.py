"""One batch of an import: what its files mean for what is stored, and writing that in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from uuid import UUID

from cli.imports.report import Change, Outcome
from context.errors import PocketMindError, StorageUnavailable
from context.uri import asset_uri, note_uri
from resources.readers.registry import mime_of
from resources.vaults.files import Found, unreadable
from resources.vaults.gone import Gone
from resources.vaults.relocation import relocate_file
from resources.vaults.vault import Problem, as_text, id_of, root_of
from storage import clock, imports, memories, notes
from storage.imports import Origin

if TYPE_CHECKING:
    from context.scope import Scope
    from context.truth import Asset, Note
    from engine.engine import Engine
    from resources.vaults.vault import Site
    from storage.database import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the person decided.

    Attributes:
        prune: delete however many files are gone; keep_deleted: delete none.
        restore_deleted: bring back what was deleted in PocketMind.
        take_files: where both a note and its file changed, the file wins.
    """

    prune: bool = False
    keep_deleted: bool = False
    restore_deleted: bool = False
    take_files: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What every part of an import needs."""

    engine: Engine
    scope: Scope
    site: Site
    choices: Choices


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What is known of a file: what it gave last, where it was then if it moved, its id, and whether it was deleted."""

    source_id: UUID
    origin: Origin | None = None
    moved_from: str | None = None
    buried: bool = False


async def store(work: Work, found: Sequence[Found], gone: Gone) -> list[Outcome]:
    """Store what files gave, all of one kind, in one transaction; if that is refused, one by one.

    Args:
        gone: files that are missing; those that are found again elsewhere are taken from it.

    Raises:
        StorageUnavailable: the database is gone; what was stored before stays.
    """
    write = _store_notes if found[0].note is not None else _store_files
    try:
        return await write(work, found, gone)
    except StorageUnavailable:
        raise
    except (PocketMindError, OSError) as error:
        if len(found) == 1:
            return [Outcome(change=Change.FAILED, name=found[0].name, problem=_problem(found[0].name, error))]
    return [outcome for one in found for outcome in await store(work, [one], gone)]


async def _store_notes(work: Work, found: Sequence[Found], gone: Gone) -> list[Outcome]:
    outcomes: list[Outcome] = []
    async with work.engine.database.transaction(work.scope) as tx:
        await clock.hold(tx)  # what is decided here must still hold when it is written
        looks = await _look(tx, work, found, gone)
        saving: list[Note] = []
        origins: list[Origin] = []
        fresh: dict[UUID, str] = {}
        for one in found:
            look = looks[one.path]
            assert one.note is not None  # noqa: S101  # a batch holds files of one kind
            note = replace(one.note, note_id=look.source_id)
            made = notes.content_digest(note)
            if look.buried and not work.choices.restore_deleted:
                outcomes.append(_skipped(one.name))
                continue
            origin = look.origin
            if origin is None:
                fresh[note.note_id] = one.name
                saving.append(note)
            elif origin.standing == made:
                outcomes.append(_outcome(work, one, look, Change.UNCHANGED))
            elif not origin.edited or (origin.file != one.digest and work.choices.take_files):
                outcomes.append(_outcome(work, one, look, Change.UPDATED))
                saving.append(note)
            elif origin.file == one.digest:  # the words are the person's, the place is the file's
                standing = await notes.get(tx, note.note_id)
                placed = replace(standing, folder=note.folder, source_name=note.source_name)
                outcomes.append(_outcome(work, one, look, Change.UNCHANGED if placed == standing else Change.UPDATED))
                saving.append(placed)
            else:
                outcomes.append(_conflict(one.name))
                continue
            origins.append(Origin(path=one.path, note_id=note.note_id, file=one.digest, reading=one.reading, made=made))
        for stored in await work.engine.projector.save_notes(tx, saving) if saving else ():
            if name := fresh.get(stored.note.note_id):
                kind = Change.IMPORTED if stored.note.revision == 1 else Change.UPDATED
                outcomes.append(Outcome(change=kind if stored.changed else Change.UNCHANGED, name=name))
        await _settle(tx, work, origins, looks)
    _forget(gone, looks, origins)
    return outcomes


async def _store_files(work: Work, found: Sequence[Found], gone: Gone) -> list[Outcome]:
    outcomes: list[Outcome] = []
    engine, assets = work.engine, work.engine.assets
    async with engine.database.transaction(work.scope) as tx:
        await clock.hold(tx)
        looks = await _look(tx, work, found, gone)
        added: list[tuple[Asset, Found]] = []
        origins: list[Origin] = []
        for one in found:
            look = looks[one.path]
            if look.buried and not work.choices.restore_deleted:
                outcomes.append(_skipped(one.name))
                continue
            place = PurePosixPath(one.name)
            asset = await assets.add(
                tx,
                look.source_id,
                data=one.file,
                mime=mime_of(place.name),
                name=place.name,
                folder=one.name.rpartition("/")[0],
                source_name=one.name,
            )
            added.append((asset, one))
            origins.append(Origin(path=one.path, asset_id=asset.asset_id, file=asset.digest, reading=one.reading))
        for asset, one in added:
            is_new = await engine.projector.save_file(tx, asset)
            is_moved = not is_new and await relocate_file(tx, asset, engine=engine.engine_id)
            if is_moved:
                await engine.projector.request_vectors(tx)
            kind = Change.FILE if is_new else Change.UPDATED if is_moved else Change.UNCHANGED
            outcomes.append(_outcome(work, one, looks[one.path], kind))
        await _settle(tx, work, origins, looks)
        before = {(asset, origin.file) for asset, one in added if (origin := looks[one.path].origin)}
        needed = await imports.named(tx, [digest for _, digest in before])
        stale = [digest for _, digest in before if digest not in needed]
    async with engine.database.transaction(work.scope) as tx:
        await assets.discard(tx, stale)
    _forget(gone, looks, origins)
    return outcomes


async def _look(tx: Transaction, work: Work, found: Sequence[Found], gone: Gone) -> dict[str, _Look]:
    root = work.site.root
    known = await imports.known(tx, root, [one.path for one in found])
    looks = {path: _Look(source_id=origin.source_id, origin=origin) for path, origin in known.items()}
    new = [one for one in found if one.path not in known]
    if not new:
        return looks
    moved = gone.matched(new)
    sources = await imports.known(tx, root, list(moved.values())) if moved else {}
    ids = await _free_ids(tx, [one for one in new if moved.get(one.path) not in sources])
    marks = {one.path: _marks(work, one) for one in new}
    deleted = await memories.tombstones(tx, [mark for pair in marks.values() for mark in pair])
    for one in new:
        buried = any((mark, "", "") in deleted for mark in marks[one.path])
        origin = sources.get(moved.get(one.path, ""))
        if origin is not None:
            looks[one.path] = _Look(source_id=origin.source_id, origin=origin, moved_from=origin.path)
        else:
            source_id, origin = ids[one.path]
            looks[one.path] = _Look(source_id=source_id, origin=origin, buried=buried)
    return looks


async def _free_ids(tx: Transaction, new: Sequence[Found]) -> dict[str, tuple[UUID, Origin | None]]:
    """By path: the id of a file that is new to its folder, and what it gave if it was imported by itself before.

    The id that its place gives may be held by a note that lay there once and has moved since.
    """
    found: dict[str, tuple[UUID, Origin | None]] = {}
    waiting, again = list(new), 0
    while waiting:
        wanted = {one.path: id_of(one.file, again) for one in waiting}
        held = await imports.holders(tx, list(wanted.values()))
        for one in waiting:
            source_id = wanted[one.path]
            alone = (root_of(one.file), as_text(one.file.name))
            if source_id not in held:
                found[one.path] = source_id, None
            elif held[source_id] == alone:
                found[one.path] = source_id, (await imports.known(tx, alone[0], [alone[1]]))[alone[1]]
        waiting, again = [one for one in waiting if one.path not in found], again + 1
    return found


async def _settle(tx: Transaction, work: Work, origins: Sequence[Origin], looks: dict[str, _Look]) -> None:
    await imports.put(tx, work.site.root, origins)
    lifted = [
        mark
        for origin in origins
        if looks[origin.path].buried or looks[origin.path].moved_from is not None
        for mark in (imports.key_of(work.site.root, origin.path), _uri(work.scope, origin))
    ]
    if lifted:
        await imports.lift(tx, lifted)


def _marks(work: Work, one: Found) -> tuple[str, str]:
    """What tombstones of a file, or of the note or asset that its place gives, are called."""
    user, source_id = work.scope.user, id_of(one.file)
    uri = asset_uri(user, source_id) if one.note is None else note_uri(user, source_id)
    return imports.key_of(work.site.root, one.path), str(uri)


def _uri(scope: Scope, origin: Origin) -> str:
    make = asset_uri if origin.asset_id else note_uri
    return str(make(scope.user, origin.source_id))


def _forget(gone: Gone, looks: dict[str, _Look], origins: Sequence[Origin]) -> None:
    """What was found elsewhere is not gone; only now, since the transaction might have failed."""
    for origin in origins:
        if (before := looks[origin.path].moved_from) is not None:
            gone.discard(before)


def _outcome(work: Work, one: Found, look: _Look, change: Change) -> Outcome:
    if look.moved_from is not None:
        return Outcome(change=Change.MOVED, name=one.name, before=work.site.named(look.moved_from))
    return Outcome(change=change, name=one.name)


def _skipped(name: str) -> Outcome:
    problem = Problem(
        path=name,
        reason="It was deleted in PocketMind and stays so; --restore-deleted brings it back.",
        zh="已在 PocketMind 中删除，不再导入；--restore-deleted 可恢复。",
    )
    return Outcome(change=Change.SKIPPED_DELETED, name=name, problem=problem)


def _conflict(name: str) -> Outcome:
    problem = Problem(
        path=name,
        reason="The note was changed in PocketMind and the file as well; --take-files lets the file win.",
        zh="笔记在 PocketMind 中改过，文件也改过；--take-files 以文件为准。",
    )
    return Outcome(change=Change.CONFLICT, name=name, problem=problem)


def _problem(name: str, error: PocketMindError | OSError) -> Problem:
    if isinstance(error, OSError):
        return unreadable(name, error)
    return Problem(path=name, reason=error.message, zh=error.zh or "")
