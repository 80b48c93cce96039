"""Three-tier disclosure: what is always there, what opens on a hit, what opens for evidence. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from context.budget import count_tokens
from context.derived import ContextNode, Evidence
from context.messages import truncated_tail
from context.text import conclusion_of
from context.types import ContextType, KnowledgeLayer, Language, TaskType
from retrievers.base import Match, QueryPlan

_DEEPER = re.compile(
    r"为什么|为何|怎么|如何|具体|复现|详细|原因|细节|\b(?:why|how|specifically|reproduce|in detail|details?|explain)\b",
    re.I,
)
_QUOTE = re.compile(
    r"原文|原话|引用|逐字|行号|哪一行|第几行|命令|怎么说的|怎么写的|出处|"
    r"\b(?:verbatim|exact(?:ly)?|quote|line numbers?|which line|commands?|word for word)\b|"
    r"\bwhat did (?:it|i|we|they) say\b",
    re.I,
)
_LABEL = 120
"""Most characters of a title or a source in the heading of an entry."""
_PRIORITY = (KnowledgeLayer.PROJECT, KnowledgeLayer.WHITEBOARD, KnowledgeLayer.USER, KnowledgeLayer.LOG)


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosureSettings:
    """Budgets of the three-tier contract, part 4; all of them settings.

    Attributes:
        tier0_hard_tokens: B0, never passed. tier0_max_tokens: what Tier-0 uses, up to B0.
        tier0_line: most characters of title and conclusion in a line of Tier-0.
        tier1_characters: L1, of one summary. tier1_entries: K.
        tier2_characters: B2, of all chunks of one injection.
        inject_budget_chars: of Tier-0, memories and resources with their markers, a turn.
        least_hits: fewer Tier-0 hits open Tier-1.
        skills_tokens, session_tokens: quotas of the sections outside of the tiers.
    """

    tier0_hard_tokens: int = 800
    tier0_max_tokens: int = 400
    tier0_line: int = 60
    tier1_characters: int = 140
    tier1_entries: int = 8
    tier2_characters: int = 2400
    inject_budget_chars: int = 8000
    least_hits: int = 2
    skills_tokens: int = 600
    session_tokens: int = 800


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """Which tier goes beside Tier-0, and why."""

    tier: int
    reason: str


def gate(*, plan: QueryPlan, question: str, hits: int, needs_quote: bool, settings: DisclosureSettings) -> GateDecision:
    """Choose the tier of a turn (contract, part 5): Tier-0 plus at most one deeper.

    Args:
        hits: Tier-0 lines whose item is among this turn's matches.
        needs_quote: the answer will be made of quotes (the offline brain answers that way).
    """
    if plan.task_type is TaskType.CONVERSATIONAL:
        return GateDecision(tier=0, reason="conversational")
    if plan.covered:
        return GateDecision(tier=0, reason="covered by the conversation")
    if found := _QUOTE.search(question):
        return GateDecision(tier=2, reason=f"asks for the source's own words ({found.group()})")
    if needs_quote:
        return GateDecision(tier=2, reason="the answer quotes its sources")
    if found := _DEEPER.search(question):
        return GateDecision(tier=1, reason=f"asks deeper ({found.group()})")
    if hits < settings.least_hits:
        return GateDecision(tier=1, reason=f"{hits} Tier-0 hits, fewer than {settings.least_hits}")
    return GateDecision(tier=0, reason=f"{hits} Tier-0 hits are enough")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueLine:
    """One line of Tier-0."""

    uri: str
    vid: int
    layer: KnowledgeLayer
    text: str


def catalogue_line(row: Mapping[str, object], *, zone: tzinfo, settings: DisclosureSettings) -> CatalogueLine:
    """`title · conclusion · layer · status · date` of one item."""
    title, abstract = str(row["title"]), str(row["abstract"])
    half = settings.tier0_line
    conclusion = conclusion_of(abstract) or abstract
    words = [_cut(title, half // 2 if title != conclusion else half)]
    if conclusion and conclusion.strip() != title.strip():
        words.append(_cut(conclusion.removeprefix(title).strip(" ·:：-—") or conclusion, half - len(words[0])))
    when = row["happened_at"]
    date = when.astimezone(zone).strftime("%Y-%m-%d") if isinstance(when, datetime) else "-"
    text = " · ".join([*filter(None, words), str(row["layer"]), str(row["status"]), date])
    return CatalogueLine(
        uri=str(row["uri"]), vid=int(str(row["vid"])), layer=KnowledgeLayer(str(row["layer"])), text=text
    )


def choose_catalogue(lines: Sequence[CatalogueLine], settings: DisclosureSettings) -> list[CatalogueLine]:
    """The lines of Tier-0 within its budget (contract, part 2.1).

    Lines come newest first. Project takes at most 60 % of the effective budget; whiteboard and user are sure of a
    line or of 10 % each, whichever is more, when they have anything; the rest goes by priority.
    """
    budget = min(settings.tier0_max_tokens, settings.tier0_hard_tokens)
    by_layer = {layer: [line for line in lines if line.layer is layer] for layer in _PRIORITY}
    chosen: dict[KnowledgeLayer, list[CatalogueLine]] = {layer: [] for layer in _PRIORITY}
    spent = 0

    def take(layer: KnowledgeLayer, limit: int, *, at_least_one: bool = False) -> None:
        nonlocal spent
        used = sum(cost(line) for line in chosen[layer])
        for line in by_layer[layer][len(chosen[layer]) :]:
            price = cost(line)
            first = at_least_one and not chosen[layer]
            if spent + price > budget or (used + price > limit and not first):
                return
            chosen[layer].append(line)
            used += price
            spent += price

    for layer in (KnowledgeLayer.WHITEBOARD, KnowledgeLayer.USER):
        take(layer, budget // 10, at_least_one=True)
    take(KnowledgeLayer.PROJECT, budget * 6 // 10)
    for layer in _PRIORITY[1:]:
        take(layer, budget)
    kept = [line for layer in _PRIORITY for line in chosen[layer]]
    while kept and count_tokens(catalogue_text(kept)).gate > budget:  # the sum of parts is an estimate of the whole
        kept.pop()
    return kept


def catalogue_text(lines: Iterable[CatalogueLine]) -> str:
    """Tier-0 as it is counted: one `- ` line an item."""
    return "\n".join(f"- {line.text}" for line in lines)


def cost(line: CatalogueLine) -> int:
    """Tokens of a line with its marker and its newline, in the unit of the gate (whose constant is paid once)."""
    counted = count_tokens(f"- {line.text}\n")
    return max(counted.half, counted.o200k)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One block of the injection, labelled. `n` is the number a citation uses."""

    n: int
    uri: str
    vid: int
    tier: int
    text: str
    header: str
    title: str
    source: str
    digest: str
    date: str
    layer: str
    status: str
    context_type: str
    score: float
    facts: tuple[str, ...] = ()
    """Of a memory: what holds now, one sentence each, as it was stored."""

    def size(self) -> int:
        """Characters with heading and marks."""
        return len(self.header) + len(self.text) + 48


def entry_of(
    node: ContextNode,
    match: Match,
    *,
    n: int,
    total: int,
    tier: int,
    room: int,
    zone: tzinfo,
    language: Language,
    settings: DisclosureSettings,
    evidence: Sequence[Evidence] = (),
) -> Entry:
    """A found node as a block of Tier-1 (its L0) or Tier-2 (its own words).

    Args:
        n, total: its rank, and how many there are.
        room: most characters of the text (what is left of B2 at Tier-2).
        evidence: of a memory; at Tier-2 its quotes are shown, never rewritten content.
    """
    source = _tail(evidence_ref(evidence[0]) if evidence else source_ref(node), _LABEL)
    date = node.happened_at.astimezone(zone).strftime("%Y-%m-%d") if node.happened_at else ""
    if tier == 1:
        text = _cut(node.abstract, settings.tier1_characters)
    elif node.context_type is ContextType.MEMORY:
        text = verbatim("\n".join(dict.fromkeys(e.quote for e in evidence)) or node.abstract, room, language)
    else:
        text = verbatim(node.body or node.abstract, room, language)
    kind = node.uri.split("/memories/")[1].split("/")[0] if node.context_type is ContextType.MEMORY else "RESOURCE"
    title = _cut(node.abstract if node.context_type is ContextType.MEMORY else node.title, _LABEL)
    labels = [f"Tier-{tier}", kind, node.layer.value, node.status.value]
    if valid_score(match.score):
        labels.append(f"Score: {match.score:.2f} (rank {n}/{total})")
    labels += [reason_of(match), *(part.replace(" · ", " - ") for part in (title, source)), date]
    return Entry(
        n=n,
        uri=node.uri,
        vid=node.vid,
        tier=tier,
        text=text,
        header=" · ".join(filter(None, labels)),
        title=title,
        source=source,
        digest=node.digest.hex()[:16],
        date=date,
        layer=node.layer.value,
        status=node.status.value,
        context_type=node.context_type.value,
        score=match.score,
        facts=facts_of(node) if node.context_type is ContextType.MEMORY else (),
    )


def facts_of(node: ContextNode) -> tuple[str, ...]:
    """The sentences of a memory's L1 (`- facet: sentence` a line where it holds several), else its L0."""
    lines = [line[2:] for line in (node.overview or "").splitlines() if line.startswith("- ")]
    return tuple(line.split(": ", 1)[-1] for line in lines) or (node.abstract,)


def verbatim(text: str, room: int, language: Language) -> str:
    """A text as it is, or its conclusion first and a tail that says how long it is."""
    if len(text) <= room:
        return text
    tail = truncated_tail(len(text), language)
    left = max(0, room - len(tail) - 1)
    conclusion = conclusion_of(text) or ""
    if conclusion and len(conclusion) + 1 < left and not text.startswith(conclusion):
        return f"{conclusion}\n{text[: left - len(conclusion) - 1]}{tail}"
    return f"{text[:left]}{tail}"


def source_ref(node: ContextNode) -> str:
    """`name:first-last line` of a chunk, `title#message` of a chat message, else the name."""
    name = node.source_name or node.title
    if not node.lines:
        return name
    first, last = node.lines
    mark = "#" if node.pos else ":"
    return f"{name}{mark}{first}" if first == last else f"{name}{mark}{first}-{last}"


def evidence_ref(evidence: Evidence) -> str:
    """Where a memory comes from, in the same form as `source_ref`; the bare address when the source is gone."""
    if not evidence.source_name:
        return evidence.source_uri
    if evidence.lines:
        return f"{evidence.source_name}:{evidence.lines[0]}-{evidence.lines[1]}"
    return f"{evidence.source_name}#{evidence.source_uri.rsplit('/', 1)[-1]}"


def reason_of(match: Match) -> str:
    """Why it was found: arms with their ranks, words, and `intent/dense/margin`."""
    arms = "+".join(f"{arm}#{rank}" for arm, rank in sorted(match.arms.items()))
    words = ",".join(match.words[:6])
    dense = match.parts.get("dense")
    numbers = f"dense {dense:.2f}/margin {match.margin:.3f}" if dense is not None else f"margin {match.margin:.3f}"
    return " ".join(filter(None, [arms, f"[{words}]" if words else "", numbers]))


def valid_score(score: float) -> bool:
    """A score that may be printed: a number between 0 and 1."""
    return 0.0 <= score <= 1.0


def _tail(text: str, limit: int) -> str:
    """The end of a source's name, where its lines stand."""
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= limit else f"…{one_line[1 - limit :]}"


def _cut(text: str, limit: int) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= limit else f"{one_line[: max(0, limit - 1)]}…"
