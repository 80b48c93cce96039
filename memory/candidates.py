"""Candidates as plain values: they are kept on the commit's row before anything is done with them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from context.derived import Candidate, Evidence
from context.types import MemoryType


def merge_key(candidate: Candidate) -> str:
    """What makes two candidates speak of the same thing: type, subject and facet; of a PROFILE the subject alone.

    Letters are folded so that "Anna" and "anna" meet; ids of users never go through here.
    """
    subject = " ".join(unicodedata.normalize("NFKC", candidate.subject).casefold().split())
    if candidate.memory_type is MemoryType.PROFILE:
        return f"PROFILE|{subject}"
    facet = " ".join(unicodedata.normalize("NFKC", candidate.facet).casefold().split())
    return f"{candidate.memory_type.value}|{subject}|{facet}"


def digest(candidate: Candidate) -> str:
    """16 hex digits that name a candidate in reports."""
    parts = [candidate.memory_type.value, candidate.subject, candidate.facet, candidate.abstract]
    parts += [f"{e.source_uri}:{e.quote}" for e in candidate.evidence]
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def hashed(key: str) -> str:
    """A merge key as it stands in a tombstone: it names nothing that was deleted."""
    return hashlib.sha256(key.encode()).hexdigest()


def to_json(candidate: Candidate) -> dict[str, Any]:
    """Plain values."""
    return {
        "digest": digest(candidate),
        "type": candidate.memory_type.value,
        "abstract": candidate.abstract,
        "overview": candidate.overview,
        "subject": candidate.subject,
        "facet": candidate.facet,
        "language": candidate.language,
        "event_time": candidate.event_time.isoformat() if candidate.event_time else None,
        "mention_time": candidate.mention_time.isoformat() if candidate.mention_time else None,
        "negated": candidate.negated,
        "confidence": candidate.confidence,
        "source": candidate.source,
        "evidence": [
            {
                "source_uri": e.source_uri,
                "quote": e.quote,
                "statement": e.statement,
                "message_id": str(e.message_id) if e.message_id else None,
                "lines": list(e.lines) if e.lines else None,
                "captured_at": e.captured_at.isoformat() if e.captured_at else None,
            }
            for e in candidate.evidence
        ],
    }


def from_json(plain: Mapping[str, Any]) -> Candidate:
    """The candidate that `to_json` wrote."""
    return Candidate(
        memory_type=MemoryType(plain["type"]),
        abstract=plain["abstract"],
        overview=plain["overview"],
        subject=plain["subject"],
        facet=plain["facet"],
        language=plain["language"],
        event_time=_time(plain["event_time"]),
        mention_time=_time(plain["mention_time"]),
        negated=plain["negated"],
        confidence=plain["confidence"],
        source=plain["source"],
        evidence=tuple(
            Evidence(
                source_uri=e["source_uri"],
                quote=e["quote"],
                statement=e["statement"],
                message_id=UUID(e["message_id"]) if e["message_id"] else None,
                lines=(e["lines"][0], e["lines"][1]) if e["lines"] else None,
                captured_at=_time(e["captured_at"]),
            )
            for e in plain["evidence"]
        ),
    )


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
