"""Links between notes: the names a note has, the names it calls others by, and the references that both make.

References are the join of the two sides, so a link to a note that comes later is found when it comes, and rebuilding
finds the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import TupleRow

from context.types import RefType
from context.uri import asset_uri, note_uri
from storage import refs
from storage.database import Statement, Transaction
from storage.queries import queries

_SQL = queries("links")
_SUFFIX = re.compile(r"\.[^./]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Both sides of one note: `names` it answers to; `targets` it links to, as (last part, whole), in lower case."""

    names: tuple[str, ...] = ()
    targets: tuple[tuple[str, str], ...] = ()


def replace_statements(calls: Mapping[UUID, Calls]) -> list[Statement]:
    """Say what notes are called and what they link to. The rows of the first are the notes whose references this may
    change, for `settle`; a note that links to nothing is among them only if somebody links to it."""
    ids = list(calls)
    names = sorted({name for one in calls.values() for name in one.names})
    pairs = [(name, note) for note, one in calls.items() for name in one.names]
    links = [(name, note, target) for note, one in calls.items() for name, target in one.targets]
    statements: list[Statement] = [
        (_SQL["callers"], {"note_ids": ids, "names": names}),
        (_SQL["forget_names"], {"note_ids": ids}),
        (_SQL["forget_links"], {"note_ids": ids}),
        (_SQL["put_names"], {"name": [name for name, _ in pairs], "note_id": [note for _, note in pairs]}),
    ]
    if links:
        columns = {
            "name": [name for name, _, _ in links],
            "note_id": [note for _, note, _ in links],
            "target": [target for _, _, target in links],
        }
        statements.append((_SQL["put_links"], columns))
    return statements


def touched(calls: Mapping[UUID, Calls], rows: Sequence[TupleRow]) -> list[UUID]:
    """The notes whose references must be settled, from the first rows of `replace_statements`."""
    return sorted({row[0] for row in rows} | {note for note, one in calls.items() if one.targets})


async def replace(tx: Transaction, calls: Mapping[UUID, Calls]) -> int:
    """Say what notes are called and what they link to, and bring all references up to date that this touches.

    Returns:
        How many references changed.
    """
    rows = await tx.pipelined(replace_statements(calls))
    return await settle(tx, touched(calls, rows[0]))


async def callers(tx: Transaction, note_ids: Sequence[UUID]) -> list[UUID]:
    """Notes whose references may change when these notes go."""
    rows = await tx.all(_SQL["callers"], {"note_ids": list(note_ids), "names": []})
    return [row["note_id"] for row in rows]


async def callers_of_files(tx: Transaction, names: Sequence[str]) -> list[UUID]:
    """Notes that link to files of these names (in lower case)."""
    return [row["note_id"] for row in await tx.all(_SQL["callers_of_files"], {"names": list(names)})]


async def differing(tx: Transaction, calls: Mapping[UUID, Calls]) -> set[UUID]:
    """Which of these notes are not stored with just these names and links."""
    values = {"note_ids": list(calls)}
    named, linked = await tx.pipelined([(_SQL["names_of"], values), (_SQL["links_of"], values)])
    names: dict[UUID, set[str]] = {}
    targets: dict[UUID, set[tuple[str, str]]] = {}
    for note, name in named:
        names.setdefault(note, set()).add(name)
    for note, name, target in linked:
        targets.setdefault(note, set()).add((name, target))
    return {
        note
        for note, one in calls.items()
        if names.get(note, set()) != set(one.names) or targets.get(note, set()) != set(one.targets)
    }


async def settle(tx: Transaction, note_ids: Sequence[UUID]) -> int:
    """Make the references of these notes what their links lead to now; how many changed."""
    missing, gone = await unsettled(tx, note_ids)
    if gone:
        columns = {
            "source_uri": [source for source, _, _ in gone],
            "ref_type": [kind.value for _, kind, _ in gone],
            "target_uri": [target for _, _, target in gone],
        }
        await tx.execute(_SQL["forget_ref"], columns)
    await refs.put(tx, missing)
    return len(missing) + len(gone)


async def unsettled(
    tx: Transaction, note_ids: Sequence[UUID]
) -> tuple[list[tuple[str, RefType, str]], list[tuple[str, RefType, str]]]:
    """The references that these notes should have and have not, and those that they have and should not.

    They should have what their links lead to, and the files that hang on them.
    """
    if not note_ids:
        return [], []
    user = tx.scope.user
    uris = [str(note_uri(user, note_id)) for note_id in note_ids]
    values = {"note_ids": list(note_ids), "uris": uris}
    linked, folders, hanging, have = await tx.pipelined(
        [(_SQL["links_of"], values), (_SQL["folders"], values), (_SQL["hanging"], values), (_SQL["refs"], values)]
    )
    wanted = {(row[0], RefType.ATTACHMENT, str(asset_uri(user, row[1]))) for row in hanging}
    if linked:
        names = {"names": sorted({row[1] for row in linked})}
        named, called, files = await tx.pipelined(
            [(_SQL["named"], names), (_SQL["called"], names), (_SQL["files"], names)]
        )
        wanted |= _resolved(user, linked, dict(folders), named, called, files)
    standing = {(row[0], RefType(row[1]), row[2]) for row in have}
    return sorted(wanted - standing), sorted(standing - wanted)


def _resolved(
    user: str,
    linked: Sequence[TupleRow],
    folders: Mapping[UUID, str],
    named: Sequence[TupleRow],
    called: Sequence[TupleRow],
    files: Sequence[TupleRow],
) -> set[tuple[str, RefType, str]]:
    """Where links lead. Of several notes of one name: one whose path ends as the link says, in the linking note's own
    folder, with the shortest path; ids break ties, so that every run finds the same. The same for files. Pure: when
    the database joins them, a fresh table without statistics takes minutes.

    Args:
        linked: (note, name, target); folders: note to its folder.
        named: (name, note); called: (note, folder, path) of those; files: (name, file, folder, path).
    """
    places = {note: (folder, path) for note, folder, path in called}
    notes_of: dict[str, list[tuple[UUID, str, str]]] = defaultdict(list)
    for name, note in named:
        if note in places:
            folder, path = places[note]
            notes_of[name].append((note, folder, path))
    files_of: dict[str, list[tuple[UUID, str, str]]] = defaultdict(list)
    for name, file, folder, path in files:
        files_of[name].append((file, folder, path))
    found = set()
    for note, name, target in linked:
        for choices, why, address in (
            (notes_of[name], RefType.LINKS, note_uri),
            (files_of[name], RefType.ATTACHMENT, asset_uri),
        ):
            fitting = [
                (folder != folders.get(note), len(path), key)
                for key, folder, path in choices
                if key != note and (target == name or _ends_as(path, target))
            ]
            if fitting:
                found.add((str(note_uri(user, note)), why, str(address(user, min(fitting)[2]))))
    return found


def _ends_as(path: str, target: str) -> bool:
    """Whether a path, with its suffix or without, ends with these parts."""
    bare = _SUFFIX.sub("", path)
    return f"/{path.lower()}".endswith(f"/{target}") or f"/{bare.lower()}".endswith(f"/{target}")
