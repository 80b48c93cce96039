"""The assembler: matches and budgets to the one context message of a turn, with a ledger that hides nothing.

`select` decides and keeps ids only, so that state and checkpoints hold no text; `render` reads the texts again as of
the pin, drops what has changed meanwhile, and writes the message. The same selection renders to the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any
from uuid import UUID

from context.budget import count_tokens
from context.derived import ContextNode, Degradation, Evidence, Pin
from context.messages import degradation_line
from context.scope import Scope
from context.types import ContextType, KnowledgeLayer, Language
from prompts.library import PromptLibrary
from retrievers.base import Match, QueryPlan
from retrievers.disclosure import (
    CatalogueLine,
    DisclosureSettings,
    Entry,
    GateDecision,
    catalogue_line,
    catalogue_text,
    choose_catalogue,
    entry_of,
    gate,
    valid_score,
)
from storage import catalog, memories, sessions
from storage.database import Database, Transaction

_LEAST_ROOM = 80
"""Characters of B2 below which no further chunk is begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a turn's context will hold, by reference.

    Attributes:
        catalogue: version ids of Tier-0, in order.
        chosen: (match, tier) of the deeper tier, in order of score; their place is the citation number.
        session: sequence numbers of earlier messages of the same chat.
        ledger: one row an item: uri, section, tier, decision, reason.
    """

    decision: GateDecision
    catalogue: tuple[int, ...] = ()
    chosen: tuple[tuple[Match, int], ...] = ()
    session: tuple[int, ...] = ()
    skills: tuple[str, ...] = ()
    ledger: tuple[Mapping[str, Any], ...] = ()
    degradations: tuple[Degradation, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain values for state."""
        return {
            "tier": self.decision.tier,
            "reason": self.decision.reason,
            "catalogue": list(self.catalogue),
            "chosen": [{"match": match.to_json(), "tier": tier} for match, tier in self.chosen],
            "session": list(self.session),
            "skills": list(self.skills),
            "ledger": [dict(row) for row in self.ledger],
            "degradations": [[d.leg, d.code, d.detail] for d in self.degradations],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Selection:
        """The selection that `to_json` wrote."""
        return cls(
            decision=GateDecision(tier=plain["tier"], reason=plain["reason"]),
            catalogue=tuple(plain["catalogue"]),
            chosen=tuple((Match.from_json(item["match"]), item["tier"]) for item in plain["chosen"]),
            session=tuple(plain["session"]),
            skills=tuple(plain["skills"]),
            ledger=tuple(plain["ledger"]),
            degradations=tuple(Degradation(leg=d[0], code=d[1], detail=d[2]) for d in plain["degradations"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembledContext:
    """The context message of one turn, and what it is made of.

    Attributes:
        text: what a chat model reads.
        budget: section to {tokens, limit}; characters of the injection under `injection`.
    """

    text: str
    catalogue: tuple[str, ...]
    entries: tuple[Entry, ...]
    degradations: tuple[Degradation, ...]
    ledger: tuple[Mapping[str, Any], ...]
    budget: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Loaded:
    nodes: Mapping[int, tuple[ContextNode, bool]]
    evidence: Mapping[UUID, tuple[Evidence, ...]]


class ContextAssembler:
    """Chooses and renders the context of turns.

    Args:
        zone: the user's time zone, for dates and for "today".
    """

    def __init__(
        self, *, database: Database, prompts: PromptLibrary, zone: tzinfo, settings: DisclosureSettings
    ) -> None:
        self._database = database
        self._prompts = prompts
        self._zone = zone
        self.settings = settings

    async def select(
        self,
        scope: Scope,
        *,
        plan: QueryPlan,
        question: str,
        matches: Sequence[Match],
        session: Sequence[int],
        skills: Sequence[str],
        pin: Pin,
        now: datetime,
        needs_quote: bool,
        degradations: Sequence[Degradation] = (),
        recall: bool = True,
    ) -> Selection:
        """Choose what a turn's context holds.

        Args:
            matches: memories and resources, best first.
            session, skills: sequence numbers and names that the other legs found.
            needs_quote: the answer will be made of quotes.
            recall: False in a temporary chat: nothing is listed.
        """
        async with self._database.transaction(scope) as tx:
            lines = await self._lines(tx, pin=pin, now=now) if recall else []
            loaded = await _load(tx, [match.vid for match in matches])
        catalogue = choose_catalogue(lines, self.settings)
        listed = {line.uri for line in catalogue}
        hits = len({_item_of(loaded.nodes[m.vid][0]) for m in matches if m.vid in loaded.nodes} & listed)
        decision = gate(plan=plan, question=question, hits=hits, needs_quote=needs_quote, settings=self.settings)
        chosen, ledger, changed = self._choose(matches, loaded, decision, plan.language)
        if changed:
            degradations = [*degradations, Degradation(leg="resources", code="changed_since_snapshot")]
        dropped = len(lines) - len(catalogue)
        head = {"section": "tier0", "tier": 0, "decision": "kept", "count": len(catalogue), "left_out": dropped}
        return Selection(
            decision=decision,
            catalogue=tuple(line.vid for line in catalogue),
            chosen=tuple(chosen),
            session=tuple(session),
            skills=tuple(skills),
            ledger=(head, *ledger),
            degradations=tuple(dict.fromkeys(degradations)),
        )

    def _choose(
        self, matches: Sequence[Match], loaded: _Loaded, decision: GateDecision, language: str
    ) -> tuple[list[tuple[Match, int]], list[Mapping[str, Any]], bool]:
        """The entries of the deeper tier: best first, one an item at Tier-1, within K or B2."""
        ledger: list[Mapping[str, Any]] = []
        chosen: list[tuple[Match, int]] = []
        sources: set[str] = set()
        changed = False
        room = self.settings.tier2_characters
        history = _HistoryQuota(matches, loaded, self.settings)
        proofs = _proofs(loaded)

        def say(match: Match, verdict: str, reason: str) -> None:
            section = "memories" if match.context_type is ContextType.MEMORY else "resources"
            ledger.append(
                {"uri": match.uri, "section": section, "tier": decision.tier, "decision": verdict, "reason": reason}
            )

        for match in matches:
            node, holds = loaded.nodes.get(match.vid, (None, False))
            if node is None or not holds:
                changed = True
                say(match, "dropped", "changed since snapshot")
            elif decision.tier == 0:
                say(match, "dropped", f"Tier-0 only: {decision.reason}")
            elif not valid_score(match.score):
                say(match, "dropped", "invalid score")
            elif match.uri in proofs:
                say(match, "dropped", f"is the evidence of {proofs[match.uri]}")
            elif decision.tier == 1 and _item_of(node) in sources:
                say(match, "dropped", "same source as an entry above")
            elif len(chosen) >= self.settings.tier1_entries:
                say(match, "dropped", f"more than K = {self.settings.tier1_entries}")
            elif decision.tier == 2 and room < _LEAST_ROOM:
                say(match, "dropped", f"over B2 = {self.settings.tier2_characters} characters")
            elif not history.takes(node):
                say(match, "dropped", "history gives way to current knowledge")
            else:
                sources.add(_item_of(node))
                chosen.append((match, decision.tier))
                size = len(node.body or node.abstract)
                say(match, "kept" if size <= room or decision.tier == 1 else "cut", "in order of score")
                room -= min(size, room)
        return chosen, ledger, changed

    async def render(
        self,
        scope: Scope,
        selection: Selection,
        *,
        language: Language,
        fence: str,
        notice: str = "",
        session_id: UUID | None = None,
    ) -> AssembledContext:
        """Write the context message of a selection, leaving out what no longer holds."""
        async with self._database.transaction(scope) as tx:
            vids = [*selection.catalogue, *[match.vid for match, _ in selection.chosen]]
            loaded = await _load(tx, vids)
            earlier = []
            if session_id is not None and selection.session:
                span = await sessions.messages(
                    tx, session_id, after=min(selection.session) - 1, upto=max(selection.session)
                )
                earlier = [message for message in span if message.seq in selection.session]
        lines, gone = self._catalogue(selection, loaded)
        entries, changed, cut = self._entries(selection, loaded, language)
        degradations = list(selection.degradations)
        if gone or changed:
            degradations.append(Degradation(leg="resources", code="changed_since_snapshot"))
        degradations = list(dict.fromkeys(degradations))
        told: list[dict[str, str]] = []
        quota = self.settings.session_tokens
        for message in reversed(earlier):
            quota -= count_tokens(message.content).gate
            if quota < 0:
                break
            when = message.sent_at.astimezone(self._zone).strftime("%Y-%m-%d %H:%M")
            told.insert(0, {"header": f"{message.role.value} · {when}", "text": message.content})
        text = self._prompts.render(
            "chat/context.user",
            fence=fence,
            language=language,
            degradations=[degradation_line(d, language) for d in degradations],
            notice=notice,
            catalogue=[line.text for line in lines],
            entries=[{"n": e.n, "header": e.header, "text": e.text} for e in entries],
            session=told,
        )
        tier0 = catalogue_text(lines)
        injected = len(tier0) + sum(entry.size() for entry in entries)
        budget = {
            "tier0": {"tokens": count_tokens(tier0).gate, "limit": self.settings.tier0_max_tokens},
            "injection": {"characters": injected, "limit": self.settings.inject_budget_chars},
            "session_context": {
                "tokens": self.settings.session_tokens - max(0, quota),
                "limit": self.settings.session_tokens,
            },
            "message": {"tokens": count_tokens(text).gate, "limit": 0},
        }
        return AssembledContext(
            text=text,
            catalogue=tuple(line.text for line in lines),
            entries=tuple(entries),
            degradations=tuple(degradations),
            ledger=(*selection.ledger, *cut),
            budget=budget,
        )

    async def _lines(self, tx: Transaction, *, pin: Pin, now: datetime) -> list[CatalogueLine]:
        today = now.astimezone(self._zone).replace(hour=0, minute=0, second=0, microsecond=0)
        rows = await catalog.catalogue(tx, miv=pin.miv, today=today)
        return [catalogue_line(row, zone=self._zone, settings=self.settings) for row in rows if row["holds"]]

    def _catalogue(self, selection: Selection, loaded: _Loaded) -> tuple[list[CatalogueLine], bool]:
        lines = []
        for vid in selection.catalogue:
            node, holds = loaded.nodes.get(vid, (None, False))
            if node is not None and holds:
                row = {
                    "uri": node.uri,
                    "vid": node.vid,
                    "layer": node.layer,
                    "status": node.status,
                    "title": node.title,
                    "abstract": node.abstract,
                    "happened_at": node.happened_at,
                }
                lines.append(catalogue_line(row, zone=self._zone, settings=self.settings))
        return lines, len(lines) < len(selection.catalogue)

    def _entries(
        self, selection: Selection, loaded: _Loaded, language: Language
    ) -> tuple[list[Entry], bool, list[Mapping[str, Any]]]:
        entries: list[Entry] = []
        told: list[Mapping[str, Any]] = []
        total = len(selection.chosen)
        room = self.settings.tier2_characters
        left = self.settings.inject_budget_chars - self.settings.tier0_hard_tokens * 2
        changed = False
        for n, (match, tier) in enumerate(selection.chosen, start=1):
            node, holds = loaded.nodes.get(match.vid, (None, False))
            if node is None or not holds:
                changed = True
                continue
            entry = entry_of(
                node,
                match,
                n=n,
                total=total,
                tier=tier,
                room=room,
                zone=self._zone,
                language=language,
                settings=self.settings,
                evidence=loaded.evidence.get(node.record_id, ()) if node.record_id else (),
            )
            if entry.size() > left:
                told.append(_cut_row(match, tier, "over the injection's characters"))
                continue
            left -= entry.size()
            room -= len(entry.text)
            entries.append(entry)
            if tier == 2 and room < _LEAST_ROOM:
                told += [_cut_row(m, t, "over B2") for m, t in selection.chosen[n:]]
                break
        return entries, changed, told


def _cut_row(match: Match, tier: int, reason: str) -> Mapping[str, Any]:
    section = "memories" if match.context_type is ContextType.MEMORY else "resources"
    return {"uri": match.uri, "section": section, "tier": tier, "decision": "dropped", "reason": reason}


class _HistoryQuota:
    """At most half of the entries may be history (layer log) while current knowledge was found too."""

    def __init__(self, matches: Sequence[Match], loaded: _Loaded, settings: DisclosureSettings) -> None:
        found = [loaded.nodes[m.vid][0].layer for m in matches if m.vid in loaded.nodes and loaded.nodes[m.vid][1]]
        current = sum(layer is not KnowledgeLayer.LOG for layer in found)
        self._left = max(settings.tier1_entries // 2, settings.tier1_entries - current)

    def takes(self, node: ContextNode) -> bool:
        """Whether this node may still be an entry; counts it if so."""
        if node.layer is not KnowledgeLayer.LOG:
            return True
        self._left -= 1
        return self._left >= 0


def _proofs(loaded: _Loaded) -> dict[str, str]:
    """Messages that are the evidence of a found memory, to the memory: the memory speaks for them."""
    found = {}
    for node, holds in loaded.nodes.values():
        if holds and node.context_type is ContextType.MEMORY and node.record_id:
            found.update({e.source_uri: node.uri for e in loaded.evidence.get(node.record_id, ())})
    return found


async def _load(tx: Transaction, vids: Sequence[int]) -> _Loaded:
    nodes = await catalog.bodies(tx, vids) if vids else {}
    records = [
        node.record_id for node, _ in nodes.values() if node.context_type is ContextType.MEMORY and node.record_id
    ]
    evidence = await memories.evidence_of(tx, records) if records else {}
    return _Loaded(nodes, evidence)


def _item_of(node: ContextNode) -> str:
    """The address of the note, exchange or memory that a leaf belongs to."""
    if node.is_leaf and node.context_type is ContextType.RESOURCE and not node.pos:
        return node.parent_uri or node.uri
    return node.uri
