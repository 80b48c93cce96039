"""Links between notes: the names a note has, the names it calls others by, and the references that both make.

References are the join of the two sides, so a link to a note that comes later is found when it comes, and rebuilding
finds the same.
"""

from __future__ import annotations

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


async def settle(tx: Transaction, note_ids: Sequence[UUID]) -> int:
    """Make the references of these notes what their links lead to now; how many changed."""
    if not note_ids:
        return 0
    values = {"note_ids": list(note_ids)}
    uris = [str(note_uri(tx.scope.user, note_id)) for note_id in note_ids]
    linked, attached, have = await tx.pipelined(
        [(_SQL["resolved"], values), (_SQL["attached"], values), (_SQL["refs"], {"uris": uris})]
    )
    user = tx.scope.user
    wanted = {(str(note_uri(user, row[0])), RefType.LINKS, str(note_uri(user, row[1]))) for row in linked}
    wanted |= {(str(note_uri(user, row[0])), RefType.ATTACHMENT, str(asset_uri(user, row[2]))) for row in attached}
    standing = {(row[0], RefType(row[1]), row[2]) for row in have}
    gone = sorted(standing - wanted)
    if gone:
        columns = {
            "source_uri": [source for source, _, _ in gone],
            "ref_type": [kind.value for _, kind, _ in gone],
            "target_uri": [target for _, _, target in gone],
        }
        await tx.execute(_SQL["forget_ref"], columns)
    await refs.put(tx, sorted(wanted - standing))
    return len(standing ^ wanted)
