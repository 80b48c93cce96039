"""Extractive digests: what was found in a stretch of time, as a dated list of verbatim sentences grouped by title."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from context.conclusions import conclusion_in
from context.terms import terms
from context.text import sentences
from context.types import Language
from models.answers import Answer, EvidenceEntry
from models.phrases import phrase
from models.quotes import inert, quotable, quote

LONGEST_DIGEST = 12
"""Bullets; more would be a copy, not a digest."""
PER_ENTRY = 2

Facet = Literal["decisions", "todos"]

_DECISIONS_WANTED = re.compile(r"决定|决策|决议|拍板|\bdecisions?\b|\bdecided?\b", re.IGNORECASE)
_TODOS_WANTED = re.compile(
    r"待办|要做的|代办|任务清单|\bto-?dos?\b|\baction items?\b|\bopen (?:items|tasks)\b", re.IGNORECASE
)
_DECIDED = re.compile(
    r"决定|拍板|敲定|选定|定为|改用|改为|暂缓|\b(?:decided|agreed|chose|settled|postponed|approved)\b", re.I
)
_OPEN = re.compile(
    r"^\s*[-*+]\s+\[ \]|待办|需要?(?:在|提前|尽快|去|把|先|跟|完成|准备|确认|联系|提交|更新|修|做|买|找)|必须"
    r"|跟进|下一步|记得|别忘|\b(?:todo|to-do|need(?:s)? to|must|follow(?:s)? up|next step|action item|have to"
    r"|remember to)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Bullet:
    text: str
    entry: EvidenceEntry


def facet_of(request: str) -> Facet | None:
    """What kind of sentence a request asks for, if it names one."""
    if _DECISIONS_WANTED.search(request):
        return "decisions"
    return "todos" if _TODOS_WANTED.search(request) else None


def compose_digest(
    request: str, entries: Sequence[EvidenceEntry], *, language: Language, limit: int = LONGEST_DIGEST
) -> Answer:
    """A list of what the entries say, oldest first, each sentence cited `[n]`.

    The entries are taken as they are: choosing the time window and the topic was the work of retrieval. A request for
    decisions or open items gets the sentences that state them; where none does, it is told so and gets the rest.

    Args:
        limit: the most bullets; what is left over is counted.
    """
    facet = facet_of(request)
    lead = f"digest_{facet}" if facet else "digest"
    bullets = _bullets(entries, _facet_sentences(facet)) if facet else _bullets(entries, _key_sentences(request))
    if facet and not bullets:
        lead, bullets = "digest_without_facet", _bullets(entries, _key_sentences(request))
    if not bullets:
        return Answer(text=phrase("digest_nothing", language))
    shown = bullets[:limit]
    lines = [phrase(lead, language, count=len(bullets)), *_grouped(shown, language)]
    if len(bullets) > len(shown):
        lines.append(phrase("digest_more", language, count=len(bullets) - len(shown)))
    numbers = dict.fromkeys(bullet.entry.n for bullet in shown if bullet.entry.n)
    return Answer(text="\n".join(lines), citations=tuple(numbers))


Choice = Callable[[EvidenceEntry], list[str]]


def _bullets(entries: Sequence[EvidenceEntry], choose: Choice) -> list[_Bullet]:
    """Chosen sentences by date, undated last, each text once."""
    seen: set[str] = set()
    found: list[_Bullet] = []
    for entry in sorted(entries, key=lambda entry: (not entry.date, entry.date)):
        for text in choose(entry):
            key = "".join(terms(text)) or text
            if key not in seen:
                seen.add(key)
                found.append(_Bullet(text, entry))
    return found


def _facet_sentences(facet: Facet) -> Choice:
    def choose(entry: EvidenceEntry) -> list[str]:
        kept, told = [], set(quotable(entry.text))
        for raw in sentences(inert(entry.text)):
            text = quote(raw)
            states = _OPEN.search(raw) if facet == "todos" else _DECIDED.search(text)
            if states and text in told:
                kept.append(text)
        return kept

    return choose


def _key_sentences(request: str) -> Choice:
    """Up to two sentences of an entry: those with the request's words, then conclusions, then the first."""
    wanted = frozenset(terms(request))

    def choose(entry: EvidenceEntry) -> list[str]:
        told = quotable(entry.text) or [text for text in [quote(inert(entry.title))] if text]
        rank = {text: (_weight(text), len(wanted & frozenset(terms(text)))) for text in told}
        best = sorted(dict.fromkeys(told), key=lambda text: (-rank[text][0], -rank[text][1], told.index(text)))
        kept = [text for text in best[:PER_ENTRY] if rank[text] != (0, 0)] or best[:1]
        return sorted(kept, key=told.index)

    return choose


def _weight(text: str) -> int:
    conclusion = conclusion_in(text)
    return conclusion.weight if conclusion else 0


def _grouped(bullets: Sequence[_Bullet], language: Language) -> list[str]:
    """One heading per title, with its date; a title that its only sentence repeats is not said twice."""
    groups: dict[tuple[str, str], list[_Bullet]] = {}
    for bullet in bullets:
        title = quote(inert(bullet.entry.title)) or phrase("untitled", language)
        groups.setdefault((title, bullet.entry.date[:10]), []).append(bullet)
    lines = []
    for (title, date), members in groups.items():
        dated = "" if not date else f"（{date}）" if language == "zh" else f" ({date})"
        marks = [f" [{member.entry.n}]" if member.entry.n else "" for member in members]
        if len(members) == 1 and _repeats(title, members[0].text):
            lines.append(f"- {members[0].text}{dated}{marks[0]}")
            continue
        lines.append(f"**{title}**{dated}")
        lines += [f"- {member.text}{mark}" for member, mark in zip(members, marks, strict=True)]
    return lines


def _repeats(title: str, text: str) -> bool:
    return text in title or (title in text and 2 * len(title) >= len(text))
