"""Merge: decisions become memories, all in the one transaction that ends the commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from context.condense import condense, one_line
from context.derived import Candidate, MemoryRecord
from context.errors import ConflictError
from context.types import KnowledgeLayer, MemoryType, SpaceType, Status
from memory import nodes
from memory.candidates import digest, merge_key
from memory.dedup import Action, Decision, all_facts, fact_of, proof_count, same_facet
from resources import tree
from resources.material import digest_of
from storage import catalog, containers, memories, refs
from storage.database import Transaction
from storage.events import Event

_MEMORIES = UUID("0d6f5b0e-2f0a-4d8e-8f7e-6f6f3b7b7a42")
_EXPLICIT = 0.2
_DECISION = ("decision", "milestone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one candidate."""

    digest: str
    memory_type: str
    outcome: str
    reason: str
    memory_id: UUID | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain values for the commit's row and its report."""
        return {
            "digest": self.digest,
            "type": self.memory_type,
            "outcome": self.outcome,
            "reason": self.reason,
            "memory_id": str(self.memory_id) if self.memory_id else None,
        }


@dataclass(slots=True)
class Merger:
    """Applies decisions inside the transaction that also read what they were made against."""

    tx: Transaction
    commit_id: UUID
    miv: int
    now: datetime
    outcomes: list[Outcome] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    _created: dict[str, MemoryRecord] = field(default_factory=dict)
    _touched: dict[UUID, MemoryRecord] = field(default_factory=dict)

    async def apply(self, decisions: Sequence[Decision], existing: dict[UUID, MemoryRecord]) -> None:
        """Write what was decided; `existing` are the memories the decisions were made against."""
        for decision in decisions:
            target = self._touched.get(decision.target) if decision.target else None
            target = target or (existing.get(decision.target) if decision.target else None)
            if decision.joins is not None:
                target = self._created.get(decision.joins)
                if target is not None:
                    target = self._touched.get(target.memory_id, target)
            await self._one(decision, target)
        for memory in self._touched.values():
            await self._store(memory, existing.get(memory.memory_id))

    async def _one(self, decision: Decision, target: MemoryRecord | None) -> None:
        candidate = decision.candidate
        memory: MemoryRecord | None = target
        if decision.action is Action.CREATE or (decision.action is Action.MERGE and target is None):
            memory = new_memory(candidate, agent=self.tx.scope.agent, commit_id=self.commit_id)
            self._created[digest(candidate)] = memory
            self._touched[memory.memory_id] = memory
        elif decision.action in (Action.MERGE, Action.SKIP) and target is not None:
            memory = with_fact(target, candidate, add=decision.action is Action.MERGE, commit_id=self.commit_id)
            self._touched[memory.memory_id] = memory
        elif decision.action is Action.SUPERSEDE and target is not None:
            memory = new_memory(candidate, agent=self.tx.scope.agent, commit_id=self.commit_id)
            ended = replace(
                target,
                status=Status.SUPERSEDED,
                valid_to=candidate.event_time or candidate.mention_time or self.now,
                superseded_by=memory.memory_id,
                reason=decision.reason,
            )
            self._created[digest(candidate)] = memory
            self._touched[target.memory_id] = ended
            self._touched[memory.memory_id] = memory
        self.outcomes.append(
            Outcome(
                digest=digest(candidate),
                memory_type=candidate.memory_type.value,
                outcome=decision.action.value,
                reason=decision.reason,
                memory_id=memory.memory_id if memory else None,
            )
        )

    async def _store(self, memory: MemoryRecord, old: MemoryRecord | None) -> None:
        user = self.tx.scope.user
        uri = nodes.uri_of(memory, user)
        version = 1
        if old is not None:
            if not await memories.close(self.tx, old.memory_id, old.version, miv=self.miv):
                raise ConflictError("A memory of this commit has just changed; it will be tried again.")
            version = old.version + 1
        memory = replace(memory, version=version)
        await memories.insert(self.tx, memory, miv=self.miv)
        above = nodes.containers_above(nodes.owner_of(memory, user), memory.memory_type)
        if memory.status is Status.CURRENT:
            have = await catalog.live_uris(self.tx, [node.uri for node in above])
            live = (await catalog.live_of(self.tx, [str(memory.memory_id)])).get(str(memory.memory_id), [])
            changes = [tree.growth(above, have), catalog.difference(live, [nodes.indexed(memory, user)])]
            await catalog.apply(self.tx, changes, miv=self.miv)
        else:
            await catalog.close_uris(self.tx, [uri], miv=self.miv)
        if memory.memory_type.space is SpaceType.USER:  # what one agent alone may see is not told
            await containers.touch(self.tx, [node.uri for node in above])
        await refs.put(self.tx, nodes.references(memory, user), commit_id=self.commit_id)
        kind = "memory.created" if old is None else "memory.merged"
        if memory.status is Status.SUPERSEDED:
            kind = "memory.superseded"
        self.events.append(Event(kind=kind, uri=uri, digest=digest_of(memory.content), reason=memory.reason))


_ENDS = " 。.;；,，"


def new_memory(candidate: Candidate, *, agent: str, commit_id: UUID) -> MemoryRecord:
    """A memory of one fact. Its id follows from commit and candidate, so that a second attempt makes the same one."""
    memory = MemoryRecord(
        memory_id=uuid5(_MEMORIES, f"{commit_id}:{digest(candidate)}"),
        version=1,
        memory_type=candidate.memory_type,
        merge_key=merge_key(candidate),
        status=Status.CURRENT,
        layer=layer_of(candidate),
        abstract=candidate.abstract,
        overview=candidate.overview,
        content=candidate.overview,
        confidence=candidate.confidence,
        subject=candidate.subject,
        facet=candidate.facet,
        language=candidate.language,
        agent=agent if candidate.memory_type.space is SpaceType.AGENT else "",
        event_time=candidate.event_time,
        mention_time=candidate.mention_time,
        valid_from=candidate.event_time or candidate.mention_time,
        commit_id=commit_id,
        last_validated_at=candidate.mention_time,
        stats={"facts": [fact_of(candidate).to_json()], "first_confidence": candidate.confidence},
        evidence=candidate.evidence,
    )
    return told(memory)


def with_fact(memory: MemoryRecord, candidate: Candidate, *, add: bool, commit_id: UUID) -> MemoryRecord:
    """A memory with a candidate's sources, and its fact too if it adds one. A fact of PROFILE replaces the older one
    of the same facet, which stays in the history with the day until which it held."""
    facts = all_facts(memory)
    if add:
        new = fact_of(candidate)
        until = (candidate.event_time or candidate.mention_time or datetime.now(UTC)).isoformat()
        if memory.memory_type is MemoryType.PROFILE:
            facts = [replace(f, until=until) if same_facet(f.facet, new.facet) and not f.until else f for f in facts]
        facts.append(new)
    evidence = {(e.source_uri, e.quote): e for e in (*memory.evidence, *candidate.evidence)}
    times = [t for t in (memory.last_validated_at, candidate.mention_time) if t]
    merged = replace(
        memory,
        stats={**memory.stats, "facts": [fact.to_json() for fact in facts]},
        evidence=tuple(evidence.values()),
        commit_id=commit_id,
        last_validated_at=max(times) if times else None,
    )
    return told(merged)


def told(memory: MemoryRecord) -> MemoryRecord:
    """The memory's three texts and its confidence, from its facts and sources. Pure; no fact is ever lost.

    L0 says what holds, L1 lists it, L2 adds what was replaced and where it all comes from.
    """
    facts = all_facts(memory)
    now = [fact for fact in facts if not fact.until]
    ended = [fact for fact in facts if fact.until]
    separator = "；" if memory.language == "zh" else "; "
    abstract = separator.join(dict.fromkeys(fact.statement.rstrip(_ENDS) for fact in now)) or memory.abstract
    overview = "\n".join(f"- {fact.facet}: {fact.statement}" for fact in now)
    past = "此前" if memory.language == "zh" else "was"
    history = [f"- {past} ({fact.until[:10]}): {fact.facet}: {fact.statement}" for fact in ended]
    sources = [f"> {e.quote}" for e in memory.evidence]
    return replace(
        memory,
        abstract=condense(one_line(abstract), 140),
        overview=overview if len(now) > 1 else now[0].statement if ended and now else memory.overview,
        content="\n".join([overview, *history, *sources]),
        confidence=confidence(memory, explicit=memory.confidence),
    )


def confidence(memory: MemoryRecord, *, explicit: float) -> float:
    """1 - (1 - c) x 0.7^(n - 1): the confidence c of the first source, raised by each further source turn (n)."""
    first = float(memory.stats.get("first_confidence", explicit)) if memory.stats else explicit
    return round(1 - (1 - first) * 0.7 ** max(0, proof_count(memory.evidence) - 1), 4)


def layer_of(candidate: Candidate) -> KnowledgeLayer:
    """The contract's layer of a memory: decisions and milestones are the user's, other events are history."""
    if candidate.memory_type.space is SpaceType.AGENT:
        return KnowledgeLayer.REFLECTION
    if candidate.memory_type is MemoryType.EVENT and not candidate.facet.startswith(_DECISION):
        return KnowledgeLayer.LOG
    return KnowledgeLayer.USER
