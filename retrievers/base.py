"""What retrieval is asked and what it answers; the protocols that stay stable from the first day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from typing import Any, Literal, Protocol
from uuid import UUID

from context.derived import ContextNode, Degradation, Pin
from context.scope import Scope
from context.types import ContextType, TaskType

MAX_QUERIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWindow:
    """Days that a question asks about, both inclusive, in the user's zone."""

    first: date
    last: date
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedQuery:
    """One thing to look for.

    Attributes:
        query: words as they are searched and embedded.
        context_type: SKILL, RESOURCE or MEMORY.
        intent: what it is for, one short phrase.
        priority: 1 (first) to 5.
    """

    query: str
    context_type: ContextType
    intent: str = ""
    priority: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPlan:
    """What a turn needs.

    Attributes:
        queries: 0 to 5, the most important first.
        windows: days that the message names.
        keys: names, numbers, codes, dates and quoted phrases drawn out of the message.
        source: who decided: `model`, `rules` or `fallback`.
        covered: the conversation already holds what is asked; nothing is retrieved.
    """

    task_type: TaskType
    queries: tuple[TypedQuery, ...] = ()
    windows: tuple[TimeWindow, ...] = ()
    keys: tuple[str, ...] = ()
    source: Literal["model", "rules", "fallback"] = "rules"
    intent: str = ""
    special: str | None = None
    language: str = "en"
    covered: bool = False

    def of_type(self, context_type: ContextType) -> list[TypedQuery]:
        """The queries for one kind of context."""
        return [query for query in self.queries if query.context_type is context_type]

    def to_json(self) -> dict[str, Any]:
        """Plain values for state, trace and command line."""
        plain = asdict(self)
        plain["windows"] = [{"first": str(w.first), "last": str(w.last), "text": w.text} for w in self.windows]
        plain["task_type"] = self.task_type.value
        plain["queries"] = [{**asdict(q), "context_type": q.context_type.value} for q in self.queries]
        plain["keys"] = list(self.keys)
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> QueryPlan:
        """The plan that `to_json` wrote."""
        return cls(
            task_type=TaskType(plain["task_type"]),
            queries=tuple(
                TypedQuery(**{**query, "context_type": ContextType(query["context_type"])})
                for query in plain["queries"]
            ),
            windows=tuple(
                TimeWindow(first=date.fromisoformat(w["first"]), last=date.fromisoformat(w["last"]), text=w["text"])
                for w in plain["windows"]
            ),
            keys=tuple(plain["keys"]),
            source=plain["source"],
            intent=plain["intent"],
            special=plain["special"],
            language=plain["language"],
            covered=plain["covered"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One found node, explained to the last digit.

    Attributes:
        score: calibrated to [0, 1]; `raw` is what the order comes from.
        parts: every part of `raw` by name; they add up to it.
        arms: which arms found it (`dense`, `lexical`), with its rank in each.
        words: query words that occur in it or beside it.
        margin: `raw` less the next one's.
    """

    uri: str
    vid: int
    context_type: ContextType
    score: float
    raw: float
    parts: Mapping[str, float] = field(default_factory=dict)
    arms: Mapping[str, int] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    query: int = 0
    margin: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain values, numbers at full precision."""
        return {**asdict(self), "context_type": self.context_type.value, "words": list(self.words)}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Match:
        """The match that `to_json` wrote."""
        return cls(**{**plain, "context_type": ContextType(plain["context_type"]), "words": tuple(plain["words"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalResult:
    """Ranked matches of one retrieval, with the walk that found them."""

    matches: tuple[Match, ...]
    degradations: tuple[Degradation, ...] = ()
    trajectory: tuple[Mapping[str, Any], ...] = ()
    pending: int = 0
    """Live leaves that could be found by words only."""


class HierarchicalRetriever(Protocol):
    """The only public entry of retrieval."""

    async def retrieve(
        self, scope: Scope, plan: QueryPlan, *, pin: Pin, now: datetime, limit: int = 10
    ) -> RetrievalResult:
        """Find what a plan asks for, as of a pin.

        Args:
            now: aware; what recency is measured against.
            limit: the most matches.
        """
        ...


class ChildSearchStrategy(Protocol):
    """How nodes are found: below a node, everywhere, or by address. Pure over what it has prefetched."""

    def search_children(self, parent_uri: str, *, limit: int = 64) -> Sequence[Match]:
        """The best children of a node, by (score descending, uri)."""
        ...

    def global_search(self, *, limit: int) -> Sequence[Match]:
        """The best nodes anywhere, leaves and containers alike."""
        ...

    def load_by_uris(self, uris: Sequence[str]) -> Sequence[Match]:
        """Nodes by address; unknown ones are left out."""
        ...


class HotnessScorer(Protocol):
    """How much recent use lifts a node."""

    def hotness(self, *, active_count: int, last_used: datetime | None, now: datetime) -> float:
        """A value in [0, 1]."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedNode:
    """A match with its texts, and whether it still holds now."""

    match: Match
    node: ContextNode
    holds: bool


def visible_in(visibility: str, node_session: UUID | None, session: UUID | None) -> bool:
    """Whether a node may be shown in a session: SESSION_ONLY ones only in their own."""
    return visibility != "SESSION_ONLY" or (node_session is not None and node_session == session)
