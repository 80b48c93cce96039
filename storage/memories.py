"""Memories and their evidence: versioned, never overwritten."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from context.derived import Evidence, MemoryRecord
from context.errors import NotFoundError
from context.types import KnowledgeLayer, MemoryType, Status
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("memories")


async def insert(tx: Transaction, memory: MemoryRecord, *, miv: int) -> None:
    """Begin a version of a memory with its evidence."""
    await tx.execute(
        _SQL["insert"],
        {
            "memory_id": memory.memory_id,
            "version": memory.version,
            "agent_id": memory.agent,
            "memory_type": memory.memory_type.value,
            "merge_key": memory.merge_key,
            "subject": memory.subject,
            "facet": memory.facet,
            "status": memory.status.value,
            "layer": memory.layer.value,
            "language": memory.language,
            "speaker": memory.speaker,
            "abstract": memory.abstract,
            "summary": memory.overview,
            "content": memory.content,
            "confidence": memory.confidence,
            "pinned": memory.pinned,
            "needs_merge": memory.needs_merge,
            "event_time": memory.event_time,
            "mention_time": memory.mention_time,
            "valid_from": memory.valid_from,
            "valid_to": memory.valid_to,
            "last_validated_at": memory.last_validated_at,
            "superseded_by": memory.superseded_by,
            "reason": memory.reason,
            "commit_id": memory.commit_id,
            "stats": Jsonb(dict(memory.stats)),
            "miv": miv,
        },
    )
    await _put_evidence(tx, memory)


async def close(tx: Transaction, memory_id: UUID, version: int, *, miv: int) -> bool:
    """End a live version; False if it is no longer the live one (somebody else moved it)."""
    values = {"memory_id": memory_id, "version": version, "miv": miv}
    return await tx.one(_SQL["close"], values) is not None


async def get(tx: Transaction, memory_id: UUID) -> MemoryRecord:
    """The live version of one memory with its evidence.

    Raises:
        NotFoundError: unknown, or another owner's.
    """
    row = await tx.one(_SQL["get"], {"memory_id": memory_id})
    if row is None:
        raise NotFoundError(f"There is no memory {memory_id}.", zh=f"没有记忆 {memory_id}。")
    return (await _with_evidence(tx, [row]))[0]


async def history(tx: Transaction, memory_id: UUID) -> list[MemoryRecord]:
    """All versions of one memory, oldest first."""
    return [_memory(row, ()) for row in await tx.all(_SQL["history"], {"memory_id": memory_id})]


async def by_merge_keys(tx: Transaction, merge_keys: Sequence[str]) -> list[MemoryRecord]:
    """Current memories that hold one of these merge keys, with evidence."""
    values = {"merge_keys": list(merge_keys), "agents": ["", tx.scope.agent]}
    return await _with_evidence(tx, await tx.all(_SQL["by_merge_keys"], values))


async def by_types(tx: Transaction, types: Iterable[MemoryType], *, limit: int = 200) -> list[MemoryRecord]:
    """Current memories of these types, the latest validated first."""
    values = {"types": [t.value for t in types], "limit": limit}
    return await _with_evidence(tx, await tx.all(_SQL["by_types"], values))


async def list_memories(
    tx: Transaction, *, memory_type: MemoryType | None = None, statuses: Iterable[Status], limit: int = 100
) -> list[MemoryRecord]:
    """Memories for people, pinned and newest first, with evidence."""
    values = {
        "type": memory_type.value if memory_type else None,
        "statuses": [s.value for s in statuses],
        "limit": limit,
    }
    return await _with_evidence(tx, await tx.all(_SQL["list"], values))


async def of_ids(tx: Transaction, memory_ids: Sequence[UUID]) -> list[MemoryRecord]:
    """The live versions of these memories with their evidence; one that is unknown is missing."""
    return await _with_evidence(tx, await tx.all(_SQL["of_ids"], {"memory_ids": list(memory_ids)}))


async def overview(tx: Transaction, *, miv: int) -> dict[MemoryType, tuple[int, list[str]]]:
    """Count and up to three abstracts of each type as of a pin."""
    rows = await tx.all(_SQL["overview"], {"miv": miv})
    return {MemoryType(row["memory_type"]): (row["count"], row["abstracts"]) for row in rows}


async def evidence_of(tx: Transaction, memory_ids: Sequence[UUID]) -> dict[UUID, tuple[Evidence, ...]]:
    """The sources of memories, oldest first."""
    found: dict[UUID, list[Evidence]] = defaultdict(list)
    for row in await tx.all(_SQL["evidence"], {"memory_ids": list(memory_ids)}):
        lines = (row["lines"].lower, row["lines"].upper - 1) if row["lines"] else None
        found[row["memory_id"]].append(
            Evidence(
                source_uri=row["source_uri"],
                quote=row["quote"],
                statement=row["statement"],
                message_id=row["message_id"],
                lines=lines,
                captured_at=row["captured_at"],
                source_name=row["source_name"] or "",
            )
        )
    return {memory_id: tuple(items) for memory_id, items in found.items()}


async def tombstones(tx: Transaction, source_ids: Sequence[str]) -> set[tuple[str, str, str]]:
    """(source, memory type, merge key) of what must stay deleted."""
    rows = await tx.all(_SQL["tombstones"], {"source_ids": list(source_ids)})
    return {(row["source_id"], row["memory_type"], row["merge_key"]) for row in rows}


async def bury(tx: Transaction, source_id: str, *, memory_type: str = "", merge_key: str = "") -> None:
    """Leave a tombstone: what is named here never comes back by a rebuild or by extraction."""
    await tx.execute(_SQL["bury"], {"source_id": source_id, "memory_type": memory_type, "merge_key": merge_key})


async def forget_source(tx: Transaction, uri: str) -> tuple[list[UUID], list[UUID]]:
    """Take away the evidence that a source (or anything below it) gave.

    Returns:
        Memories that have lost their last evidence and are erased; memories that must be merged again.
    """
    prefix = uri.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_") + "/%"
    values = {"uris": [uri], "prefixes": [prefix]}
    rows = await tx.all(_SQL["supported_by"], values)
    orphans = [row["memory_id"] for row in rows if row["here"] == row["total"]]
    poorer = [row["memory_id"] for row in rows if row["here"] < row["total"]]
    await tx.execute(_SQL["erase_evidence_of"], values)
    await erase(tx, orphans)
    return orphans, poorer


async def erase(tx: Transaction, memory_ids: Sequence[UUID]) -> None:
    """Remove every version of memories with their evidence."""
    values = {"memory_ids": list(memory_ids)}
    await tx.pipelined([(_SQL["erase_evidence"], values), (_SQL["erase"], values), (_SQL["forget_superseder"], values)])


async def forget_versions(tx: Transaction, memory_id: UUID) -> None:
    """Remove every version of a memory; its evidence stays, for the version that follows."""
    await tx.execute(_SQL["erase"], {"memory_ids": [memory_id]})


async def _put_evidence(tx: Transaction, memory: MemoryRecord) -> None:
    items = memory.evidence
    await tx.execute(
        _SQL["put_evidence"],
        {
            "memory_id": memory.memory_id,
            "commit_id": memory.commit_id,
            "candidate": [hashlib.sha256(e.statement.encode()).digest() for e in items],
            "quote_digest": [hashlib.sha256(f"{e.source_uri}\n{e.quote}".encode()).digest() for e in items],
            "source_uri": [e.source_uri for e in items],
            "message_id": [e.message_id for e in items],
            "first_line": [e.lines[0] if e.lines else None for e in items],
            "last_line": [e.lines[1] if e.lines else None for e in items],
            "quote": [e.quote for e in items],
            "statement": [e.statement for e in items],
            "captured_at": [e.captured_at or memory.mention_time or datetime.now(UTC) for e in items],
        },
    )


async def _with_evidence(tx: Transaction, rows: Sequence[DictRow]) -> list[MemoryRecord]:
    evidence = await evidence_of(tx, [row["memory_id"] for row in rows]) if rows else {}
    return [_memory(row, evidence.get(row["memory_id"], ())) for row in rows]


def _memory(row: DictRow, evidence: tuple[Evidence, ...]) -> MemoryRecord:
    memory = MemoryRecord(
        memory_id=row["memory_id"],
        version=row["version"],
        memory_type=MemoryType(row["memory_type"]),
        merge_key=row["merge_key"],
        status=Status(row["status"]),
        layer=KnowledgeLayer(row["layer"]),
        abstract=row["abstract"],
        overview=row["summary"],
        content=row["content"],
        confidence=row["confidence"],
        subject=row["subject"],
        facet=row["facet"],
        language=row["language"],
        agent=row["agent_id"],
        speaker=row["speaker"],
        event_time=row["event_time"],
        mention_time=row["mention_time"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        superseded_by=row["superseded_by"],
        commit_id=row["commit_id"],
        last_validated_at=row["last_validated_at"],
        stats=row["stats"],
        pinned=row["pinned"],
        needs_merge=row["needs_merge"],
        reason=row["reason"],
        born=row["born"],
    )
    return replace(memory, evidence=evidence)
