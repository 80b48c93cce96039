"""What a rebuild compares with what follows from truth, and how it mends the rest.

Row-level security hides what one agent distilled from every other agent: what is said here is said of what the
transaction's agent may see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from context.types import RefType
from context.uri import ContextUri, stage_uri, user_root
from storage import catalog
from storage.catalog import IndexedNode
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("rebuild")
MOST_TF = 32_767
_KINDS = ("notes", "assets", "sessions")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Reference = tuple[str, RefType, str]
"""From, why, to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many sources there are; of memories, those of the transaction's agent alone."""

    notes: int
    files: int
    stages: int
    memories: int


class Details(NamedTuple):
    """Columns of a version that a projection does not compare; `body` is the sha256 of the text."""

    level: int
    context_type: str
    space: str
    session_id: UUID | None
    source_type: str | None
    record_id: UUID | None
    speaker: str | None
    prior: float
    written_by: str
    length: int
    body: bytes


class Words(NamedTuple):
    """A sum over the words of a version: how many, how often in all, and which."""

    words: int
    uses: int
    letters: int


def words_of(terms: Mapping[str, int]) -> Words:
    """The sum that `word_sums` gives for these words."""
    counts = {term: min(count, MOST_TF) for term, count in terms.items()}
    letters = sum(count * (len(term) * 131 + ord(term[0]) * 7 + ord(term[-1])) for term, count in counts.items())
    return Words(len(counts), sum(counts.values()), letters)


async def agents(tx: Transaction) -> set[str]:
    """Every agent that something of this owner's may have been distilled for."""
    rows = await tx.all(_SQL["agents"])
    return {row["name"] or ContextUri.parse(row["uri"]).owner for row in rows}


async def sizes(tx: Transaction) -> Sizes:
    """How much there is to go through."""
    row = await tx.one(_SQL["sizes"])
    assert row is not None  # noqa: S101  # a select without a table gives one row
    return Sizes(**row)


async def note_lengths(tx: Transaction, *, after: UUID, limit: int) -> list[tuple[UUID, int]]:
    """The next notes by id with the number of their characters."""
    rows = await tx.all(_SQL["note_lengths"], {"after": after, "limit": limit})
    return [(row["note_id"], row["length"]) for row in rows]


async def archived(tx: Transaction, *, after: UUID, limit: int) -> list[UUID]:
    """The next commits by id whose transcript was archived."""
    return [row["commit_id"] for row in await tx.all(_SQL["archived"], {"after": after, "limit": limit})]


async def committed(tx: Transaction, *, after: UUID, limit: int) -> list[UUID]:
    """The next sessions by id that a commit has finished with."""
    return [row["session_id"] for row in await tx.all(_SQL["committed"], {"after": after, "limit": limit})]


async def buried(tx: Transaction, ids: Sequence[UUID]) -> set[UUID]:
    """Those of these notes, files and sessions that were deleted after they were made: their rows came back without
    their maker, from a backup, say. What was made again since is not among them."""
    root = user_root(tx.scope.user)
    uris = [str(root.child(kind, str(key))) for key in ids for kind in _KINDS]
    graves = {row["source_id"]: row["at"] for row in await tx.all(_SQL["graves"], {"uris": uris})}
    made = await tx.all(_SQL["made"], {"ids": list(ids)}) if graves else []
    return {row["id"] for row in made if _deleted(graves, str(root.child(row["kind"], str(row["id"]))), row["at"])}


async def details(tx: Transaction, vids: Sequence[int]) -> dict[int, Details]:
    """What `catalog.difference` leaves out."""
    rows = await tx.pipelined([(_SQL["details"], {"vids": list(vids)})])
    return {row[0]: Details._make((*row[1:-1], bytes(row[-1]))) for row in rows[0]}


async def word_sums(tx: Transaction, vids: Sequence[int]) -> dict[int, Words]:
    """Sums over the words of versions; one without any is missing."""
    rows = await tx.all(_SQL["word_sums"], {"vids": list(vids)})
    return {row["vid"]: Words(int(row["words"]), int(row["uses"]), int(row["letters"])) for row in rows}


async def replace_words(tx: Transaction, items: Mapping[int, IndexedNode]) -> None:
    """Give versions the words of these nodes in place of those they have."""
    await tx.pipelined(
        [
            (_SQL["drop_words"], {"vids": list(items)}),
            catalog.postings_statement({vid: item.terms for vid, item in items.items()}),
            (_SQL["set_lengths"], {"vid": list(items), "length": [item.node.length for item in items.values()]}),
        ]
    )


async def drop_words(tx: Transaction, vids: Sequence[int]) -> None:
    """Delete the words of versions."""
    await tx.execute(_SQL["drop_words"], {"vids": list(vids)})


async def intruders(tx: Transaction, uris: Sequence[str], *, source_ids: Sequence[str]) -> dict[str, int]:
    """Live versions at these addresses that belong to none of these sources: address to version."""
    rows = await tx.all(_SQL["intruders"], {"uris": list(uris), "source_ids": list(source_ids)})
    return {row["uri"]: row["vid"] for row in rows}


async def turns(tx: Transaction, source_ids: Sequence[str]) -> list[int]:
    """The live turns of stages."""
    return [row["vid"] for row in await tx.all(_SQL["turns"], {"source_ids": list(source_ids)})]


async def erase_records(tx: Transaction, resource_ids: Sequence[UUID]) -> None:
    """Remove records of material."""
    await tx.execute(_SQL["erase_records"], {"resource_ids": list(resource_ids)})


async def references(tx: Transaction, uris: Sequence[str]) -> set[Reference]:
    """The references that these addresses make or that are made to them."""
    rows = await tx.all(_SQL["references"], {"uris": list(uris)})
    return {(row["source_uri"], RefType(row["ref_type"]), row["target_uri"]) for row in rows}


async def forget_references(tx: Transaction, gone: Iterable[Reference]) -> None:
    """Remove references."""
    items = list(gone)
    columns = {
        "source_uri": [source for source, _, _ in items],
        "ref_type": [kind.value for _, kind, _ in items],
        "target_uri": [target for _, _, target in items],
    }
    await tx.execute(_SQL["forget_references"], columns)


async def memory_ids(tx: Transaction, *, after: UUID, limit: int) -> list[UUID]:
    """The next memories by id that were distilled for the transaction's agent, or, without one, for the user."""
    return [row["memory_id"] for row in await tx.all(_SQL["memory_ids"], {"after": after, "limit": limit})]


async def evidence_commits(tx: Transaction, memory_ids: Sequence[UUID]) -> dict[tuple[UUID, str], UUID | None]:
    """(memory, source) to the commit that brought it first."""
    rows = await tx.all(_SQL["evidence_commits"], {"memory_ids": list(memory_ids)})
    return {(row["memory_id"], row["source_uri"]): row["commit_id"] for row in rows}


async def first_commits(tx: Transaction, memory_ids: Sequence[UUID]) -> dict[UUID, UUID | None]:
    """Memory to the commit that made it."""
    rows = await tx.all(_SQL["first_commits"], {"memory_ids": list(memory_ids)})
    return {row["memory_id"]: row["commit_id"] for row in rows}


async def tops(tx: Transaction) -> set[str]:
    """Containers that live notes, files, stages and memories stand in, whether they are there or not."""
    return {row["uri"] for row in await tx.all(_SQL["tops"])}


async def waiting(tx: Transaction) -> set[str]:
    """Containers that wait for their texts: somebody else's work."""
    return {row["uri"] for row in await tx.all(_SQL["waiting"])}


async def titles(tx: Transaction, session_ids: Sequence[UUID]) -> dict[UUID, str]:
    """What sessions are called."""
    rows = await tx.all(_SQL["titles"], {"session_ids": list(session_ids)})
    return {row["session_id"]: row["title"] for row in rows}


async def lost_nodes(tx: Transaction) -> set[str]:
    """Sources of nodes that are not in truth, or that were deleted after they were made."""
    found = {row["source_id"] for row in await tx.all(_SQL["node_sources"])}
    return found - await _truth(tx)


async def lost_sources(tx: Transaction) -> set[str]:
    """The same of records of material and of what models said. Ids and addresses of ours only: what has another form
    was never a source of the catalogue."""
    found = {row["source_id"] for row in await tx.all(_SQL["told_sources"])}
    trees = {row["source_id"] for row in await tx.all(_SQL["tree_sources"])}
    sessions = f"{user_root(tx.scope.user).child('sessions')}/"
    ids = {source: key for source in found if (key := _uuid(source)) is not None}
    lost = {s for s in found if s in ids or s.startswith((sessions, "tree:"))} - trees - await _truth(tx)
    others = await tx.all(_SQL["other_truth"], {"ids": [ids[source] for source in lost if source in ids]})
    return lost - {str(row["id"]) for row in others}


async def lost_ends(tx: Transaction) -> set[str]:
    """Addresses of notes, files, sessions, stages and memories that references name and that are not in truth."""
    sessions = {"sessions": f"{user_root(tx.scope.user).child('sessions')}/"}
    found = {row["uri"] for row in await tx.all(_SQL["lost_ends"])}
    linked = {row["uri"] for row in await tx.all(_SQL["linked_stages"], sessions)}
    return found | (linked - await _stages(tx))


async def standing(tx: Transaction, uris: Sequence[str], *, since: datetime) -> set[str]:
    """Those of these addresses whose source is in truth and was not deleted since. Of a memory, its evidence says that
    it is, since its record may be another agent's."""
    bases = {uri: base for uri in uris if (base := _base(uri)) is not None}
    ids = [key for base in bases.values() if (key := _uuid(base.rpartition("/")[2])) is not None]
    root = user_root(tx.scope.user)
    made = {str(root.child(row["kind"], str(row["id"]))) for row in await tx.all(_SQL["made"], {"ids": ids})}
    known = {"uris": list(bases.values())}
    made |= {row["uri"] for row in await tx.all(_SQL["evidenced"], known)}
    graves = {row["source_id"] for row in await tx.all(_SQL["graves"], known) if row["at"] > since}
    return {uri for uri in uris if uri not in bases or (bases[uri] in made and bases[uri] not in graves)}


async def dangling(tx: Transaction) -> set[int]:
    """Versions that have words and that the transaction's agent cannot see."""
    return {row["vid"] for row in await tx.all(_SQL["dangling"])}


async def there(tx: Transaction, vids: Iterable[int]) -> set[int]:
    """Which of these versions the transaction's agent can see."""
    return {row["vid"] for row in await tx.all(_SQL["there"], {"vids": list(vids)})}


async def _truth(tx: Transaction) -> set[str]:
    """Source ids of all that material and memories can be of. Joined here: when the database joins them, fresh tables
    without statistics take minutes."""
    root = user_root(tx.scope.user)
    graves = {row["source_id"]: row["at"] for row in await tx.all(_SQL["all_graves"])}
    found: set[str] = set()
    gone: set[str] = set()
    for row in await tx.all(_SQL["all_made"]):
        uri = str(root.child(row["kind"], str(row["id"])))
        if _deleted(graves, uri, row["at"]):
            gone.add(uri)
        else:
            found.add(str(row["id"]))
    found |= {str(row["id"]) for row in await tx.all(_SQL["all_memories"])}
    return found | {uri for uri in await _stages(tx) if uri.partition("/stages/")[0] not in gone}


async def _stages(tx: Transaction) -> set[str]:
    user = tx.scope.user
    return {str(stage_uri(user, row["session_id"], row["seq"])) for row in await tx.all(_SQL["stages"]) if row["seq"]}


def _deleted(graves: Mapping[str, datetime], uri: str, made: datetime) -> bool:
    return uri in graves and graves[uri] > made


def _base(uri: str) -> str | None:
    """The address of the note, file, session or memory that an address lies in; None for all else."""
    parts = uri.split("/")
    depth = {"notes": 6, "assets": 6, "sessions": 6, "memories": 7}.get(parts[4] if len(parts) > 4 else "")
    return "/".join(parts[:depth]) if depth and len(parts) >= depth else None


def _uuid(text: str) -> UUID | None:
    return UUID(text) if _ID.fullmatch(text) else None
