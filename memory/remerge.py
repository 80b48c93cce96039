"""What is left of a memory when one of its sources was erased: told anew, by rule, from what the others say."""

from __future__ import annotations

from dataclasses import replace

from context.derived import Evidence, MemoryRecord
from memory.dedup import Fact, all_facts, similar
from memory.merge import told


def without_the_lost(memory: MemoryRecord) -> MemoryRecord | None:
    """A memory from the statements that its remaining sources give; None if they give nothing. Pure.

    A fact stays while a source that is left states it. A source that had only confirmed a fact in other words, and
    whose confirmed fact went, now speaks for itself. What a model should put better is marked `needs_merge`.

    Args:
        memory: with the evidence that is left.
    """
    kept = [fact for fact in all_facts(memory) if any(similar(fact.statement, e.statement) for e in memory.evidence)]
    for evidence in memory.evidence:
        if not any(similar(fact.statement, evidence.statement) for fact in kept):
            kept.append(_fact(memory, evidence))
    if not kept or all(fact.until for fact in kept):
        return None
    facts = [fact.to_json() for fact in kept]
    bare = replace(memory, abstract="", stats={**memory.stats, "facts": facts}, needs_merge=len(facts) > 1)
    return told(replace(bare, overview=kept[0].statement))


def _fact(memory: MemoryRecord, evidence: Evidence) -> Fact:
    at = evidence.captured_at.isoformat() if evidence.captured_at else ""
    return Fact(facet=memory.facet, statement=evidence.statement, at=at)
