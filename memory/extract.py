"""Extract: candidates for memory out of a stage, each with evidence that code has checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel

from context.dates import resolve_time
from context.derived import Candidate, Evidence, MemoryRecord
from context.text import language_of
from context.truth import ChatMessage, MessageRole
from context.types import USER_MEMORY_TYPES, MemoryType
from context.uri import message_uri
from memory.archive import Stage
from memory.asked import AskedModel
from memory.patterns.own_words import MASK
from memory.patterns.own_words import own_words as read_own_words
from memory.secrets import holds_secret, secret_spans
from memory.statements import StatementSource, extract_statements
from prompts.library import PromptLibrary

ABSTRACT_LIMIT = 140
MOST_CANDIDATES = 40
_COPY = 200
_LONGEST_QUOTE = 400
_NO_STATEMENT = frozenset({"hypothetical", "question", "reported_speech", "quoted", "instruction", "task", "joke"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A candidate or a sentence that does not become memory, and why."""

    digest: str
    memory_type: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What a stage proposes."""

    candidates: tuple[Candidate, ...]
    refused: tuple[Refused, ...] = ()
    source: str = "rule"


class ProposedEvidence(BaseModel):
    """A quote as a model cites it."""

    message_id: str
    quote: str


class ProposedMemory(BaseModel):
    """One candidate as a model proposes it. Anything may be odd here; `check` decides."""

    type: str
    abstract: str
    overview: str
    subject: str
    facet: str
    evidence: list[ProposedEvidence]
    event_time: str | None
    language: str
    negated: bool
    confidence: float


class ProposedMemories(BaseModel):
    """A model's whole answer to `compression/memory_extraction`."""

    candidates: list[ProposedMemory]
    reason: str


def by_rules(stage: Stage, *, user: str, zone: tzinfo) -> Extraction:
    """Explicit statements of the user, in Chinese and English. Pure.

    Args:
        zone: of messages that name none.
    """
    candidates: list[Candidate] = []
    refused: list[Refused] = []
    theirs = own_words(stage.messages)
    for message in stage.messages:
        if message.role is not MessageRole.USER or not message.content.strip():
            continue
        if message.message_id not in theirs:
            refused.append(Refused(digest="", memory_type="", reason="other_speaker"))
            continue
        source = StatementSource(
            uri=str(message_uri(user, stage.session.session_id, message.seq)),
            text=message.content,
            said_at=said_at(message, zone),
            message_id=message.message_id,
            lines=None,
            speaker=message.speaker,
        )
        result = extract_statements(source)
        candidates += [replace(c, mention_time=c.mention_time or source.said_at) for c in result.candidates]
        refused += [Refused(digest="", memory_type="", reason=refusal.reason) for refusal in result.refused]
    return Extraction(candidates=tuple(candidates), refused=tuple(refused))


def own_words(messages: Sequence[ChatMessage]) -> frozenset[UUID]:
    """The messages in which the user speaks. Where several people speak with role user, only those without a
    speaker's name are the user's own (an import with `--me` takes the name off); everybody else is somebody else."""
    said = [message for message in messages if message.role is MessageRole.USER]
    alone = len({message.speaker for message in said}) <= 1
    return frozenset(message.message_id for message in said if alone or message.speaker is None)


async def by_model(
    stage: Stage,
    *,
    user: str,
    zone: tzinfo,
    model: AskedModel,
    prompts: PromptLibrary,
    fence: str,
    existing: Sequence[MemoryRecord],
) -> Extraction:
    """All eight types in one call; evidence is checked by code, candidate by candidate.

    Args:
        existing: related memories; context for the model, never evidence.

    Raises:
        ModelUnavailable: no answer in time (retryable).
        ModelOutputInvalid: no answer that fits, also after the repair.
    """
    names = {f"m{n}": message for n, message in enumerate(stage.messages, start=1)}
    system = prompts.render(
        "compression/memory_extraction.system", abstract_limit=ABSTRACT_LIMIT, max_candidates=MOST_CANDIDATES
    )
    asked = prompts.render(
        "compression/memory_extraction.user",
        fence=fence,
        overview=stage.session.overview,
        memories=[{"type": memory.memory_type.value, "abstract": memory.abstract} for memory in existing],
        messages=[
            {"id": name, "role": message.role.value, "sent_at": stamp(message, zone), "text": message.content}
            for name, message in names.items()
            if message.content.strip()
        ],
    )
    answer = await model.ask("memory_extraction", ProposedMemories, [SystemMessage(system), HumanMessage(asked)])
    kept: list[Candidate] = []
    refused: list[Refused] = []
    for proposed in answer.candidates[:MOST_CANDIDATES]:
        checked = check(proposed, names, stage=stage, user=user, zone=zone, source=model.name)
        if isinstance(checked, Refused):
            refused.append(checked)
        else:
            kept.append(checked)
    return Extraction(candidates=tuple(kept), refused=tuple(refused), source=model.name)


def check(
    proposed: ProposedMemory,
    names: Mapping[str, ChatMessage],
    *,
    stage: Stage,
    user: str,
    zone: tzinfo,
    source: str,
) -> Candidate | Refused:
    """A proposal with its evidence verified, or why it is refused. Pure.

    A quote must stand, but for white space, in a message of this stage; for USER types in the user's own words.
    """
    try:
        memory_type = MemoryType(proposed.type)
    except ValueError:
        return Refused(digest=_short(proposed.abstract), memory_type=proposed.type[:40], reason="unknown type")
    theirs = own_words(stage.messages)
    evidence: list[Evidence] = []
    reason = "no evidence"
    first: ChatMessage | None = None
    for cited in proposed.evidence:
        message = names.get(cited.message_id)
        if message is None:
            reason = "evidence cites a message that is not in this stage"
            continue
        if memory_type in USER_MEMORY_TYPES and message.message_id not in theirs:
            reason = "evidence is not in the user's own words"
            continue
        quote = find_quote(cited.quote, message.content)
        if quote is None:
            reason = "quote not found in the cited message"
            continue
        if flaw := unsound(quote, message, user_type=memory_type in USER_MEMORY_TYPES, when=said_at(message, zone)):
            reason = flaw
            continue
        first = first or message
        evidence.append(
            Evidence(
                source_uri=str(message_uri(user, stage.session.session_id, message.seq)),
                quote=quote,
                statement=proposed.abstract.strip(),
                message_id=message.message_id,
                captured_at=message.sent_at,
            )
        )
    label = proposed.abstract.strip()
    if not evidence or first is None:
        return Refused(digest=_short(label), memory_type=proposed.type, reason=reason)
    if not proposed.abstract.strip() or not proposed.facet.strip():
        return Refused(digest=_short(label), memory_type=proposed.type, reason="empty abstract or facet")
    if any(holds_secret(text) for text in (label, proposed.overview, proposed.subject, proposed.facet)):
        return Refused(digest=_short(label), memory_type=proposed.type, reason="secret")
    if any(len(first.content) > _COPY and e.quote.strip() == first.content.strip() for e in evidence):
        return Refused(digest=_short(label), memory_type=proposed.type, reason="copy of a whole message")
    when = said_at(first, zone)
    return Candidate(
        memory_type=memory_type,
        abstract=proposed.abstract.strip(),
        overview=proposed.overview.strip() or proposed.abstract.strip(),
        subject=proposed.subject.strip() or "user",
        facet=proposed.facet.strip(),
        language=language_of(evidence[0].quote),
        evidence=tuple(evidence),
        event_time=resolve_time(evidence[0].quote, said_at=when) or _iso(proposed.event_time, when),
        mention_time=when,
        negated=proposed.negated,
        confidence=min(1.0, max(0.0, proposed.confidence)),
        source=source,
    )


def find_quote(quote: str, text: str) -> str | None:
    """The part of `text` that `quote` repeats, byte for byte as it stands there; white space may differ."""
    words = quote.split()
    if not words:
        return None
    if quote in text:
        return quote.strip()
    found = re.search(r"\s+".join(re.escape(word) for word in words[:400]), text)
    return found.group() if found and len(words) <= 400 else None


def unsound(quote: str, message: ChatMessage, *, user_type: bool, when: datetime) -> str | None:
    """Why a quote that does stand in a message is no evidence, or None.

    It must say something, touch no secret, and for USER types be what the user states in their own words: not quoted
    or pasted, not in a message that asks not to be kept, no question, hypothesis or order (the same reading as the
    rule-based extraction).
    """
    text = message.content
    at = text.find(quote)
    end = at + len(quote)
    if len(quote) > _LONGEST_QUOTE:
        return f"quote of more than {_LONGEST_QUOTE} characters"
    if len(quote) < 4 and sum(character.isalpha() and not character.isascii() for character in quote) < 2:
        return "quote too short to prove anything"
    if any(at < span.end and span.start < end for span in secret_spans(text)):
        return "secret"
    if not user_type:
        return None
    words = read_own_words(text, speaker=message.speaker)
    if words.voided and at >= words.void_from:
        return words.voided
    if words.text[at:end].count(MASK) * 2 > len(quote):
        return "evidence is quoted material"
    read = extract_statements(StatementSource(uri="", text=text, said_at=when, speaker=message.speaker))
    for refusal in read.refused:
        if refusal.reason in _NO_STATEMENT and (quote in refusal.sentence or refusal.sentence in quote):
            return refusal.reason
    return None


def said_at(message: ChatMessage, zone: tzinfo) -> datetime:
    """When a message was sent, in its own zone if it names one we know, else in the user's."""
    if message.zone:
        try:
            return message.sent_at.astimezone(ZoneInfo(message.zone))
        except (ZoneInfoNotFoundError, ValueError):
            return message.sent_at.astimezone(zone)
    return message.sent_at.astimezone(zone)


def stamp(message: ChatMessage, zone: tzinfo) -> str:
    """When a message was sent, as prompts show it."""
    return said_at(message, zone).strftime("%Y-%m-%d %H:%M %Z")


def _iso(text: str | None, said: datetime) -> datetime | None:
    """A date that the model worked out, where our own resolver found none; what is no date is left out."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=said.tzinfo)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
