"""A question looked up as a turn would: planned, retrieved, gated. What `retrieve` and `context` are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from context.derived import ContextNode, Degradation, Pin
from context.errors import InvalidInputError
from context.messages import degradation_line
from context.text import clean, language_of
from context.types import ContextType, Language, TaskType
from retrievers.assembler import Selection
from retrievers.base import Match, QueryPlan, TypedQuery
from retrievers.disclosure import evidence_ref, source_ref
from retrievers.intent import Conversation
from storage import catalog, clock, memories

if TYPE_CHECKING:
    from context.scope import Scope
    from engine.engine import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """What a question found.

    Attributes:
        nodes: version id to node, for every match.
        sources: version id to what a citation would show.
        selection: what a turn would inject, and the gate's decision.
    """

    question: str
    language: Language
    plan: QueryPlan
    pin: Pin
    matches: tuple[Match, ...]
    nodes: Mapping[int, ContextNode]
    sources: Mapping[int, str]
    selection: Selection
    trajectory: Sequence[Mapping[str, Any]]
    degradations: tuple[Degradation, ...]


async def look_up(
    engine: Engine, scope: Scope, question: str, *, limit: int | None, always: bool, as_of: int | None = None
) -> Lookup:
    """Plan and retrieve as a turn does, memories and resources apart and then in one order.

    Args:
        limit: the most matches; None: as many as a turn takes.
        always: search even where a turn would not (a greeting): whoever searches wants to see what there is.
        as_of: read what was true at this miv; what was erased since stays erased.

    Raises:
        InvalidInputError: the question is empty, or there is no such miv any more or yet.
    """
    text = clean(question).text
    if not text.strip():
        raise InvalidInputError("The query is empty; say what to look for.", zh="没有写要查找什么。")
    now = engine.now()
    async with engine.database.transaction(scope) as tx:
        pin = await engine.pin(tx, seq=0)
        oldest = (await clock.read(tx, engine=engine.engine_id)).oldest_miv
    if as_of is not None:
        pin = replace(pin, miv=_known_miv(as_of, oldest, pin.miv))
    plan, degraded = await engine.intent.analyze(
        Conversation(message=text), now=now, fence=engine.fence(f"intent:{text}")
    )
    if always and not any(query.context_type is not ContextType.SKILL for query in plan.queries):
        kinds = (ContextType.MEMORY, ContextType.RESOURCE)
        queries = tuple(TypedQuery(query=text[:600], context_type=kind, priority=1) for kind in kinds)
        plan = replace(plan, task_type=TaskType.INFORMATIONAL, queries=queries)
    matches: list[Match] = []
    trajectory: list[Mapping[str, Any]] = []
    degradations = list(degraded)
    for kind, leg in ((ContextType.MEMORY, "memories"), (ContextType.RESOURCE, "resources")):
        if plan.of_type(kind):
            recall = await engine.retriever.recall(scope, plan, pin=pin, context_type=kind)
            found = await engine.retriever.walk(scope, plan, recall, pin=pin, now=now, limit=limit)
            matches += found.matches
            trajectory += [{"leg": leg, **step} for step in found.trajectory]
            degradations += found.degradations
    matches.sort(key=lambda match: (-match.score, -match.raw, match.uri))
    matches = matches[:limit]
    degradations = list(dict.fromkeys(degradations))
    selection = await engine.assembler.select(
        scope,
        plan=plan,
        question=text,
        matches=matches,
        session=(),
        skills=(),
        pin=pin,
        now=now,
        needs_quote=engine.offline,
        degradations=degradations,
    )
    nodes, sources = await _loaded(engine, scope, matches, ended=as_of is not None)
    return Lookup(
        question=text,
        language=language_of(text),
        plan=plan,
        pin=pin,
        matches=tuple(match for match in matches if match.vid in nodes),
        nodes=nodes,
        sources=sources,
        selection=selection,
        trajectory=trajectory,
        degradations=tuple(dict.fromkeys([*degradations, *selection.degradations])),
    )


def _known_miv(asked: int, oldest: int, newest: int) -> int:
    if oldest <= asked <= newest:
        return asked
    raise InvalidInputError(
        f"The index can be read as of miv {oldest} to {newest}, not {asked}.",
        zh=f"索引可以按 miv {oldest} 到 {newest} 的时刻读取，没有 {asked}。",
    )


async def _loaded(
    engine: Engine, scope: Scope, matches: Sequence[Match], *, ended: bool
) -> tuple[dict[int, ContextNode], dict[int, str]]:
    """Nodes that still hold (or held, if what has `ended` is wanted too), and what each would be cited as: a memory by
    its first evidence."""
    async with engine.database.transaction(scope) as tx:
        found = await catalog.bodies(tx, [match.vid for match in matches])
        records = [node.record_id for node, _ in found.values() if node.context_type is ContextType.MEMORY]
        evidence = await memories.evidence_of(tx, [record for record in records if record is not None])
    nodes = {vid: node for vid, (node, holds) in found.items() if holds or ended}
    sources = {}
    for vid, node in nodes.items():
        known = evidence.get(node.record_id, ()) if node.record_id else ()
        sources[vid] = evidence_ref(known[0]) if known else source_ref(node)
    return nodes, sources


def plain_match(lookup: Lookup, match: Match, *, explain: bool = False) -> dict[str, Any]:
    """A match as plain values; explained, with every part of its score."""
    node = lookup.nodes[match.vid]
    more = {"raw": match.raw, "parts": dict(match.parts), "words": list(match.words), "margin": match.margin}
    return {
        "uri": match.uri,
        "context_type": match.context_type.value,
        "level": int(node.level),
        "layer": node.layer.value,
        "status": node.status.value,
        "title": node.title,
        "text": node.body or node.abstract,
        "score": match.score,
        "source_ref": lookup.sources[match.vid],
        "digest": node.digest.hex()[:16],
        "arms": dict(match.arms),
        "source_type": node.source_type.value if node.source_type else None,
        "updated_at": node.happened_at.isoformat() if node.happened_at else None,
        **(more if explain else {}),
    }


def told(degradations: Sequence[Degradation], language: Language) -> list[dict[str, str]]:
    """Degradations as plain values, with their words."""
    return [{"leg": d.leg, "code": d.code, "text": degradation_line(d, language)} for d in degradations]
