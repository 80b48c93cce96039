"""Extractive answers: the best sentences of what was found, verbatim and cited. Pure; no model writes a word."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from context.terms import terms
from context.types import Language
from models.phrases import phrase
from models.quotes import quotable

Similarity = Callable[[str, list[str]], list[float]]
"""How near each sentence is to the question in meaning: 0 as near as anything unrelated, 1 the same."""

FLOOR = 0.30
"""Below this relevance a sentence is no answer. Set where about 5 % of questions without an answer still get one."""
FLOOR_WITHOUT_SIMILARITY = 0.35
SHORTLIST = 24
"""Sentences whose meaning is compared; the rest fell out by words and by the rank of their entry."""

_LEXICAL, _SHARE_OF_SIMILARITY, _ENTRY = 0.4, 0.25, 0.1
_SCALE = 1 + _LEXICAL + _ENTRY
_ELSEWHERE = 0.35
"""Credit for a word of the question that stands not in the sentence but in its title or its neighbours."""
_NEAR_EQUAL = 0.05
_KEPT = 0.75
"""Sentences less relevant than this share of the best one would dilute the answer."""
_DUPLICATE, _VERSION = 0.8, 0.4
"""Jaccard similarity of terms from which two sentences say the same, or the same of another time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceEntry:
    """Something that was found.

    Attributes:
        n: its citation number; 0 for the running conversation, which needs no citation.
        source: path or address with lines, as `docs/plan.md:12-14`.
        date: ISO date of the source, or empty.
        layer: user, project, log, reflection or whiteboard.
        context_type: MEMORY, RESOURCE, SKILL or SESSION.
        score: relevance that retrieval gave it, 0..1.
    """

    n: int
    text: str
    title: str = ""
    source: str = ""
    date: str = ""
    layer: str = ""
    context_type: str = "RESOURCE"
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSentence:
    """A sentence of an entry. `older`: a newer one of the answer says the same thing of a later date."""

    text: str
    entry: EvidenceEntry
    relevance: float
    older: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A text and the numbers it cites, in order, each once."""

    text: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    entry: EvidenceEntry
    words: frozenset[str]
    nearby: frozenset[str]


_SCAFFOLD = re.compile(
    # what makes it a question
    r"我们?(?:之前|曾经|以前|上次|刚才)?(?:和|跟|对|给|向)?你?(?:说|提|讲|推荐|分享|告诉)(?:到|过|了)*(?:你)?"
    r"|你(?:还)?(?:记得|知道|告诉过?我)|什么时候|什么|哪[里个些天家儿位种门]?|多少|几[点号个岁年月次]?|怎么样?|如何|为什么|为何|谁"
    r"|是不是|有没有|能不能|请问|告诉我|[吗呢吧啊呀]|来着|名字|时候"
    r"|\b(?:tell|remind|know|remember|recall|again|ever|kind|type|sort|name|called|mention(?:ed|s)?|said|say|please|lot"
    r"|things?)\b"
    # what makes it an order or a correction
    r"|帮我|给我|请|所有|全部|找(?:一下|出|到)?|搜索?(?:一下)?|查(?:找|一下)|(?:和|跟|与)?(?:关于|有关|相关)|提到|(?:这|那)?[条篇些]?(?:笔记|记录)"
    r"|写(?:一[封篇首份段个])?|翻译成?|译成|[英中日法]文|总结|列出|忘[掉记了]|删[掉除]|(?:的)?事情?$|不对|其实|更正"
    r"|\b(?:find|search|look|show|list|every|notes?|related|writ(?:e|ing)|draft|translate|french|english|chinese|letter"
    r"|script|forget|delete|actually|wrong|correction)\b",
    re.IGNORECASE,
)


def question_terms(question: str) -> frozenset[str]:
    """What a message is about: its terms without the words that only make it a question, an order or a correction."""
    return frozenset(terms(_SCAFFOLD.sub(" ", question))) or frozenset(terms(question))


def best_sentences(
    question: str, entries: Sequence[EvidenceEntry], *, limit: int = 3, similarity: Similarity | None = None
) -> list[CitedSentence]:
    """The sentences that answer a question, best first; none when nothing is above the floor.

    relevance = (s + max(0.4 c, 0.25 s) + 0.1 e) / 1.5, with s the similarity of meaning, c the share of the question's
    terms in the sentence weighted by their rarity among the candidates, e the entry's score; without similarity
    0.7 c + 0.3 e. At near-equal relevance the running conversation goes first, then memories and current knowledge
    before the log, then the newer date. Of two versions of one statement the newer leads and the other is marked
    `older`.

    Args:
        limit: the most sentences to return.
        similarity: called once, with at most 24 sentences.
    """
    candidates = _candidates(entries)
    if not candidates:
        return []
    coverage = _coverage(question_terms(question), candidates)
    plain = [0.7 * covered + 0.3 * one.entry.score for covered, one in zip(coverage, candidates, strict=True)]
    order = sorted(range(len(candidates)), key=lambda i: -plain[i])
    if similarity is None:
        rated = [(plain[i], candidates[i]) for i in order if plain[i] >= FLOOR_WITHOUT_SIMILARITY]
    else:
        chosen = order[:SHORTLIST]
        near = similarity(question, [candidates[i].text for i in chosen])
        scores = [_relevance(s, coverage[i], candidates[i].entry.score) for i, s in zip(chosen, near, strict=True)]
        pairs = sorted(zip(scores, chosen, strict=True), key=lambda pair: -pair[0])
        rated = [(score, candidates[i]) for score, i in pairs if score >= FLOOR]
    return _distinct(_settle_ties(rated), limit)


def compose_answer(
    question: str,
    entries: Sequence[EvidenceEntry],
    *,
    language: Language,
    similarity: Similarity | None = None,
    limit: int = 3,
) -> Answer:
    """A short answer out of the best sentences, each cited `[n]`; says that there is nothing when there is nothing."""
    found = best_sentences(question, entries, limit=limit, similarity=similarity)
    if not found:
        return Answer(text=phrase("nothing", language))
    lines = [cited(sentence, language) for sentence in found]
    lead = phrase(_lead(found), language)
    text = f"{lead}{'' if language == 'zh' else ' '}{lines[0]}" if len(lines) == 1 else "\n- ".join([lead, *lines])
    return Answer(text=text, citations=citations_of(found))


def cited(sentence: CitedSentence, language: Language) -> str:
    """A sentence with its citation; an older version says so, with its date."""
    mark = f" [{sentence.entry.n}]" if sentence.entry.n else ""
    if not sentence.older:
        return f"{sentence.text}{mark}"
    date = f" ({sentence.entry.date[:10]})" if sentence.entry.date else ""
    return phrase("earlier", language, text=f"{sentence.text}{date}{mark}")


def citations_of(sentences: Sequence[CitedSentence]) -> tuple[int, ...]:
    """The numbers cited, in order, each once."""
    return tuple(dict.fromkeys(sentence.entry.n for sentence in sentences if sentence.entry.n))


def _candidates(entries: Sequence[EvidenceEntry]) -> list[_Candidate]:
    found = []
    for entry in entries:
        nearby = frozenset(terms(f"{entry.title} {entry.text}"))
        found += [_Candidate(text, entry, frozenset(terms(text)), nearby) for text in quotable(entry.text)]
    return found


def _coverage(wanted: frozenset[str], candidates: Sequence[_Candidate]) -> list[float]:
    """Share of the question in each sentence, 0..1, each term weighted by log(1 + (N + 1) / (df + 0.5))."""
    counts = Counter(term for candidate in candidates for term in candidate.words & wanted)
    rarity = {term: math.log(1 + (len(candidates) + 1) / (counts[term] + 0.5)) for term in sorted(wanted)}
    whole = sum(rarity.values()) or 1.0
    return [
        sum(
            weight * (1.0 if term in candidate.words else _ELSEWHERE if term in candidate.nearby else 0.0)
            for term, weight in rarity.items()
        )
        / whole
        for candidate in candidates
    ]


def _relevance(similarity: float, coverage: float, score: float) -> float:
    return (similarity + max(_LEXICAL * coverage, _SHARE_OF_SIMILARITY * similarity) + _ENTRY * score) / _SCALE


def _settle_ties(rated: Sequence[tuple[float, _Candidate]]) -> list[tuple[float, _Candidate]]:
    """Runs of near-equal relevance, each in order of preference: conversation, current knowledge, newer date."""
    settled: list[tuple[float, _Candidate]] = []
    rest = list(rated)
    while rest:
        run = [pair for pair in rest if pair[0] >= rest[0][0] - _NEAR_EQUAL]
        rest = rest[len(run) :]
        run.sort(key=lambda pair: _date(pair[1].entry), reverse=True)
        run.sort(key=lambda pair: _standing(pair[1].entry))
        settled += run
    return settled


def _standing(entry: EvidenceEntry) -> int:
    if entry.n == 0:
        return 0
    return 2 if entry.layer == "log" else 1


def _date(entry: EvidenceEntry) -> str:
    return "9" if entry.n == 0 else entry.date  # what was said just now is newest


def _distinct(rated: Sequence[tuple[float, _Candidate]], limit: int) -> list[CitedSentence]:
    """The first `limit` that say different things; of two versions the newer takes the place of the better one."""
    best = max((score for score, _ in rated), default=0.0)
    kept: list[tuple[CitedSentence, _Candidate]] = []
    for score, candidate in rated:
        if score < _KEPT * best or any(_same(candidate, other) for _, other in kept):
            continue
        sentence = CitedSentence(text=candidate.text, entry=candidate.entry, relevance=round(score, 4))
        place = next((place for place, (_, other) in enumerate(kept) if _versions(candidate, other)), None)
        if place is not None:
            first, other = kept[place]
            if first.older:
                continue  # it has its newer version already, and one older one is history enough
            if _date(candidate.entry) > _date(other.entry):
                kept[place] = (sentence, candidate)
                sentence, candidate = first, other
            sentence = replace(sentence, older=True)
        kept.append((sentence, candidate))
    newest = [sentence for sentence, _ in kept if not sentence.older]
    return [*newest, *(sentence for sentence, _ in kept if sentence.older)][:limit]


def _likeness(one: _Candidate, other: _Candidate) -> float:
    return len(one.words & other.words) / (len(one.words | other.words) or 1)


def _same(one: _Candidate, other: _Candidate) -> bool:
    """Near-duplicates; two sentences with different numbers never are."""
    return _likeness(one, other) >= _DUPLICATE and _numbers(one.text) == _numbers(other.text)


def _numbers(text: str) -> list[str]:
    return sorted(re.findall(r"\d+", text))


def _versions(one: _Candidate, other: _Candidate) -> bool:
    """Whether two sentences say alike at two times."""
    mine, theirs = _date(one.entry)[:10], _date(other.entry)[:10]
    return bool(mine and theirs) and mine != theirs and _likeness(one, other) >= _VERSION


def _lead(found: Sequence[CitedSentence]) -> str:
    kinds = {"SESSION" if sentence.entry.n == 0 else sentence.entry.context_type for sentence in found}
    leads = {"MEMORY": "lead_memory", "RESOURCE": "lead_notes", "SESSION": "lead_session"}
    return leads.get(kinds.pop(), "lead_mixed") if len(kinds) == 1 else "lead_mixed"
