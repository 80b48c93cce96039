"""Channel B: three tools with which a model looks further, each within its own budget. Results are data; the prompt
fences them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any
from uuid import UUID

from context.budget import count_tokens
from context.derived import MemoryRecord, Pin
from context.errors import InvalidInputError
from context.messages import degradation_line, truncated_tail
from context.scope import Scope
from context.text import language_of
from context.types import ContextType, Language, MemoryType, SpaceType, Status, TaskType
from context.uri import memory_uri
from retrievers.base import QueryPlan, TypedQuery
from retrievers.hierarchical import CatalogHierarchicalRetriever
from storage import catalog, memories
from storage.database import Database

SEARCH_LIMIT = 5
_ABSTRACT = 60
_SEARCH_ABSTRACT = 120
_DETAIL_TOKENS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool found.

    Attributes:
        body: plain JSON values.
        used: addresses that were opened; they count as used.
    """

    body: Mapping[str, Any]
    used: tuple[str, ...] = ()

    def text(self) -> str:
        """The result as the model reads it."""
        return json.dumps(self.body, ensure_ascii=False)


class MemoryTools:
    """Browse, search, detail. The same scope, status and snapshot rules as the context that is injected.

    Args:
        zone: of the dates that are shown.
    """

    def __init__(self, *, database: Database, retriever: CatalogHierarchicalRetriever, zone: tzinfo) -> None:
        self._database = database
        self._retriever = retriever
        self._zone = zone

    async def browse_memory_categories(self, scope: Scope, *, pin: Pin) -> ToolResult:
        """Count and one line of L0 for each of the eight types, about 200 tokens."""
        async with self._database.transaction(scope) as tx:
            found = await memories.overview(tx, miv=pin.miv)
        body: dict[str, Any] = {}
        for memory_type in MemoryType:
            number, abstracts = found.get(memory_type, (0, []))
            line = " / ".join(abstracts)
            body[memory_type.value] = {
                "count": number,
                "abstract": line if len(line) <= _ABSTRACT else f"{line[: _ABSTRACT - 1]}…",
            }
        return ToolResult(body=body)

    async def search_memories(
        self, scope: Scope, query: str, memory_type: MemoryType | None = None, *, pin: Pin, now: datetime
    ) -> ToolResult:
        """The five best memories with id, L0 and score, about 300 tokens.

        Raises:
            InvalidInputError: the query is empty.
        """
        if not query.strip():
            raise InvalidInputError("The query is empty; say what to look for.")
        plan = QueryPlan(
            task_type=TaskType.INFORMATIONAL,
            queries=(TypedQuery(query=query[:600], context_type=ContextType.MEMORY),),
            language=language_of(query),
        )
        limit = SEARCH_LIMIT if memory_type is None else 50
        result = await self._retriever.retrieve(scope, plan, pin=pin, now=now, limit=limit)
        async with self._database.transaction(scope) as tx:
            loaded = await catalog.bodies(tx, [match.vid for match in result.matches])
        rows = []
        for match in result.matches:
            node, holds = loaded.get(match.vid, (None, False))
            if node is None or not holds or node.record_id is None:
                continue
            if memory_type is not None and node.source_name != memory_type.value:
                continue
            text = node.abstract
            rows.append(
                {
                    "id": str(node.record_id),
                    "uri": node.uri,
                    "type": node.source_name,
                    "layer": node.layer.value,
                    "status": node.status.value,
                    "title": node.title,
                    "abstract": text if len(text) <= _SEARCH_ABSTRACT else f"{text[: _SEARCH_ABSTRACT - 1]}…",
                    "score": round(match.score, 3),
                }
            )
        language: Language = language_of(query)
        body: dict[str, Any] = {"matches": rows[:SEARCH_LIMIT], "miv": pin.miv}
        body["degradations"] = [degradation_line(d, language) for d in result.degradations]
        return ToolResult(body=body)

    async def get_memory_detail(self, scope: Scope, memory_id: UUID, *, pin: Pin) -> ToolResult:
        """One memory in full with its evidence, 500 to 2000 tokens, cut with a notice.

        Raises:
            NotFoundError: unknown, another owner's, or no longer current.
        """
        async with self._database.transaction(scope) as tx:
            memory = await memories.get(tx, memory_id)
        if memory.status is not Status.CURRENT or memory.born > pin.miv:
            return ToolResult(body={"error": f"Memory {memory_id} is {memory.status.value} or newer than this answer."})
        return ToolResult(body=detail(memory, zone=self._zone), used=(uri_of(memory, scope),))


def detail(memory: MemoryRecord, *, zone: tzinfo) -> dict[str, Any]:
    """A memory as plain values, within the budget: its content keeps half of it, then the newest sources go."""
    content = memory.overview
    room = _DETAIL_TOKENS // 2
    if count_tokens(content).gate > room:
        content = f"{content[:room]}{truncated_tail(len(memory.overview), memory.language)}"
    body: dict[str, Any] = {
        "id": str(memory.memory_id),
        "type": memory.memory_type.value,
        "layer": memory.layer.value,
        "status": memory.status.value,
        "subject": memory.subject,
        "facet": memory.facet,
        "abstract": memory.abstract,
        "content": content,
        "confidence": memory.confidence,
        "event_time": memory.event_time.astimezone(zone).isoformat() if memory.event_time else None,
        "since": memory.valid_from.astimezone(zone).isoformat() if memory.valid_from else None,
        "evidence": [],
    }
    left = _DETAIL_TOKENS - count_tokens(json.dumps(body, ensure_ascii=False)).gate
    for source in memory.evidence:
        row = {
            "quote": source.quote,
            "source": source.source_uri,
            "date": source.captured_at.astimezone(zone).date().isoformat() if source.captured_at else None,
        }
        left -= count_tokens(json.dumps(row, ensure_ascii=False)).gate
        if left < 0:
            body["truncated"] = truncated_tail(len(memory.content), memory.language)
            break
        body["evidence"].append(row)
    return body


def uri_of(memory: MemoryRecord, scope: Scope) -> str:
    """The address of a memory."""
    owner = scope.user if memory.memory_type.space is SpaceType.USER else memory.agent or "default"
    return str(memory_uri(owner, memory.memory_type, memory.memory_id))
