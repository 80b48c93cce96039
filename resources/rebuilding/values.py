"""The values of a rebuild: what a source should have, what must change for it, and what a whole run came to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar
from uuid import UUID

from context.derived import ContextNode, Resource
from context.scope import Scope
from storage.catalog import Difference, IndexedNode
from storage.database import Transaction
from storage.links import Calls
from storage.rebuild import Reference

Progress = Callable[[str, int, int], None]
"""Told after every page: the kind of source, how many are done, of how many (at least)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What was changed, or would be.

    Attributes:
        changed: versions of nodes that began or ended.
        records: records of material that were written or removed.
        references: references, and notes whose names or links were said anew.
        words_repaired: versions whose words were stored anew.
        erased: sources of which something was left that are not in truth any more.
    """

    changed: int = 0
    records: int = 0
    references: int = 0
    words_repaired: int = 0
    erased: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            changed=self.changed + other.changed,
            records=self.records + other.records,
            references=self.references + other.references,
            words_repaired=self.words_repaired + other.words_repaired,
            erased=self.erased + other.erased,
        )

    def __bool__(self) -> bool:
        return self != Tally()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What truth gives for one source.

    Attributes:
        key: of the row of truth, for pages.
        source_id: under which its nodes stand; uri: its own address.
        nodes: all that should be live of it; none where a memory does not hold any more.
        above: containers it stands in, the root first.
        places: positions to reserve because its turns cannot keep theirs; they are then counted from 1 in `nodes`.
        missing: references to make, with the commit that made them first; extra: references to remove.
        event: kind of event that says it was mended; empty: none does.
    """

    key: UUID
    source_id: str
    uri: str
    nodes: tuple[IndexedNode, ...] = ()
    above: tuple[ContextNode, ...] = ()
    records: tuple[Resource, ...] = ()
    places: int = 0
    missing: Mapping[Reference, UUID | None] = field(default_factory=dict)
    extra: tuple[Reference, ...] = ()
    event: str = "resource.projected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What must be written so that a source has what it should have.

    Attributes:
        words: live versions that stay and get these nodes' words.
        records: to write; strays: ids of records to remove.
        calls: the names and links of a note, where they are stored otherwise.
    """

    wanted: Wanted
    versions: Difference = Difference()  # noqa: RUF009  # a frozen value
    words: Mapping[int, IndexedNode] = field(default_factory=dict)
    records: tuple[Resource, ...] = ()
    strays: tuple[UUID, ...] = ()
    calls: Calls | None = None

    @property
    def tally(self) -> Tally:
        """How much that is."""
        return Tally(
            changed=len(self.versions),
            records=len(self.records) + len(self.strays),
            references=len(self.wanted.missing) + len(self.wanted.extra) + (self.calls is not None),
            words_repaired=len(self.words),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A file that could not be read this time: what was read of it before stays."""

    uri: str
    name: str
    reason: str
    reason_zh: str | None = None


class Step(ABC):
    """One kind of source, gone through page by page in the order of its ids.

    Attributes:
        name: of what is gone through; a key of the report.
        per_agent: whether it is to be gone through as every agent, each of which sees only its own.
        counts: whether what it goes through is counted in the report; not what is only gone through again.
        unreadable: what could not be read on the way.
    """

    name: ClassVar[str]
    per_agent: ClassVar[bool] = False
    counts: ClassVar[bool] = True

    def __init__(self) -> None:
        self.unreadable: list[Unreadable] = []

    @abstractmethod
    async def total(self, tx: Transaction) -> int:
        """How many there are."""

    @abstractmethod
    async def page(self, tx: Transaction, *, after: UUID) -> list[UUID]:
        """The ids of the next page; none at the end."""

    async def prepare(self, scope: Scope) -> None:  # noqa: B027  # most have nothing to prepare
        """Do for the page what takes long: no transaction is open."""

    @abstractmethod
    async def compare(self, tx: Transaction, ids: Sequence[UUID]) -> list[Change]:
        """What must change for these sources. Asked twice: without the owner's clock, and again while it is held for
        those that differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What a rebuild came to.

    Attributes:
        sources: how many of each kind there are: notes, files, stages, memories, containers.
        pending: agent (empty: the user) to the number of live leaves that no embedder has seen.
        unreadable: files that could not be read.
    """

    sources: Mapping[str, int]
    tally: Tally
    pending: Mapping[str, int]
    unreadable: tuple[Unreadable, ...] = ()
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "dry_run": self.dry_run,
            "sources": dict(self.sources),
            **asdict(self.tally),
            "pending_vectors": sum(self.pending.values()),
            "unreadable": [asdict(item) for item in self.unreadable],
        }
