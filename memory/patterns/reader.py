"""Reading one sentence: its clauses, what limits them, and the facts that rules find in the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from context.types import MemoryType
from memory.patterns.grammar import Grammar, Prepared
from memory.patterns.own_words import MASK
from memory.patterns.rules import Fact, Rule, bare_name, facet_key

CUED, SAID, CARRIED = 0.9, 0.75, 0.65
"""Confidence of one statement: behind an explicit cue, with its subject said, with its subject carried over."""

_LAUGHTER = re.compile(
    r"(?:\b(?:lol|lmao|rofl|haha\w{0,9}|hehe\w{0,9})|哈哈+|嘿嘿+|hhh+|233+|"
    r"[😂🤣🤪])[\s.!~。！～😂🤣]*$",
    re.IGNORECASE,
)
"""At the end of a sentence it takes the sentence back; at its beginning it is only friendly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fact that a sentence states; `told` is the clause it was read from, in which dates are looked for."""

    memory_type: MemoryType
    facet: str
    subject: str
    abstract: str
    confidence: float
    told: str
    negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a sentence gave: its facts, and why clauses of it were passed over."""

    findings: tuple[Finding, ...]
    reasons: tuple[str, ...]


def read_sentence(sentence: str, grammar: Grammar, *, cue: bool = False) -> Reading:
    """Read one sentence of at most 400 characters, foreign words masked.

    Args:
        cue: a cue such as "Remember:" ended the line before.
    """
    findings: list[Finding] = []
    reasons: list[str] = []
    clauses = grammar.cut(sentence)
    asks = sentence.rstrip("”’」』）)\"' ").endswith(("?", "？"))
    if _LAUGHTER.search(sentence):
        return Reading(findings=(), reasons=("joke",))
    if len(clauses) > 1 and grammar.tag_question.match(clauses[-1]):
        return Reading(findings=(), reasons=("question",))
    before: Prepared | None = None
    barrier = ""
    for index, clause in enumerate(clauses):
        prepared = grammar.prepare(clause, before, index == 0)
        cue = cue or prepared.cue
        prepared = replace(prepared, cue=cue)
        if barrier:
            reasons.append(barrier)
            continue
        reason, reach = _limit(prepared, grammar, last_asks=asks and index == len(clauses) - 1)
        styles = () if reason in ("quoted", "instruction", "reported_speech") else grammar.style(prepared.spoken)
        if styles:
            findings += [_styled(facet, prepared, grammar) for facet in styles]
            continue
        if reason:
            reasons.append(reason)
            if reach == "sentence":
                return Reading(findings=(), reasons=(reason,))
            barrier = reason if reach == "rest" else ""
            before = prepared if prepared.own and reach == "clause" and reason != "reported_speech" else None
            continue
        found, refused = _facts(prepared, grammar)
        findings += found
        if refused:
            reasons.append(refused)
        about_others = refused == "other_person" or any(finding.subject != "user" for finding in found)
        before = prepared if prepared.own and not about_others else None
    return Reading(findings=tuple(_joined(findings)), reasons=tuple(dict.fromkeys(reasons)))


def _joined(findings: list[Finding]) -> list[Finding]:
    """Two clauses of a sentence about one facet are one finding with both clauses."""
    by_key: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        key = (finding.memory_type, finding.subject, finding.facet, finding.negated)
        first = by_key.get(key)
        if first is None or finding.memory_type is MemoryType.EVENT:
            by_key[key if first is None else (*key, len(by_key))] = finding
        elif finding.abstract not in first.abstract:
            joint = "; " if first.abstract.isascii() else "；"
            by_key[key] = replace(first, abstract=f"{first.abstract}{joint}{finding.abstract}")
    return list(by_key.values())


def _limit(prepared: Prepared, grammar: Grammar, *, last_asks: bool) -> tuple[str, str]:
    """Why the clause asserts nothing, and how far that reaches; two empty strings if it does."""
    for limit in grammar.limits:
        if limit.pattern.match(prepared.text):
            return limit.reason, limit.reach
    if MASK in prepared.text:
        return "quoted", "clause"
    if last_asks or grammar.question.match(prepared.text):
        return "question", "clause"
    return "", ""


def _facts(prepared: Prepared, grammar: Grammar) -> tuple[list[Finding], str]:
    """The facts of the first rule that matches, else the reason why there are none; both empty for small talk."""
    text = prepared.text
    other = grammar.other.match(text) is not None
    own = prepared.own and not other
    for rule in grammar.rules:
        if not (own or rule.bare or rule.facts[0].memory_type is MemoryType.ENTITY):
            continue
        match = rule.match(text)
        if match and (not (rule.dated or rule.undated) or rule.dated is bool(grammar.dated.search(prepared.plain))):
            found = _findings(rule, match, prepared, grammar)
            if found:
                return found, ""
    if other:
        if prepared.cue and prepared.own:
            return [_kept(prepared, grammar, MemoryType.ENTITY, "note:{clause}")], ""
        return [], "other_person"
    if prepared.own and grammar.denial.search(text):
        denied = grammar.denial.sub("", text, count=1)
        if any(rule.match(denied) for rule in grammar.rules):
            return [], "negated"
    if prepared.cue and grammar.fallback.match(prepared.spoken):
        event = grammar.dated.search(prepared.plain) is not None and not grammar.repeated.search(prepared.plain)
        return [_kept(prepared, grammar, MemoryType.EVENT if event else MemoryType.PROFILE, "note:{clause}")], ""
    return [], ""


def _findings(rule: Rule, match: re.Match[str], prepared: Prepared, grammar: Grammar) -> list[Finding]:
    groups = {name: value for name, value in match.groupdict().items() if value}
    found: list[Finding] = []
    for fact in rule.facts:
        if rule.listed and (fact.group or "object") in groups:
            found += _listed(fact, groups, match, prepared, grammar)
        elif fact.needs <= groups.keys():
            found.append(_finding(fact, groups, prepared, grammar, grammar.retell(prepared.plain)))
    return [finding for finding in found if not finding.facet.endswith(":") and finding.subject]


def _listed(
    fact: Fact, groups: dict[str, str], match: re.Match[str], prepared: Prepared, grammar: Grammar
) -> list[Finding]:
    group = fact.group or "object"
    items = grammar.split_list(match[group])
    if len(items) < 2:
        whole = {**groups, "object": match[group]}
        return [_finding(fact, whole, prepared, grammar, grammar.retell(prepared.plain))]
    before, after = match.string[: match.start(group)], match.string[match.end(group) :]
    told = [grammar.retell(prepared.plain if fact.subject else f"{before}{item}{after}") for item in items]
    return [
        _finding(fact, {**groups, "object": item, group: item}, prepared, grammar, one)
        for item, one in zip(items, told, strict=True)
    ]


def _finding(fact: Fact, groups: dict[str, str], prepared: Prepared, grammar: Grammar, abstract: str) -> Finding:
    filled = {
        name: grammar.role(value)
        if name == "role"
        else grammar.object_key(value)
        if name == "object"
        else facet_key(value)
        for name, value in groups.items()
    }
    return Finding(
        memory_type=fact.memory_type,
        facet=fact.facet.format_map({"clause": facet_key(abstract), **filled}),
        subject=bare_name(groups[fact.subject]) if fact.subject else "user",
        abstract=abstract,
        confidence=_confidence(prepared),
        told=prepared.plain,
        negated=fact.negated,
    )


def _kept(prepared: Prepared, grammar: Grammar, memory_type: MemoryType, facet: str) -> Finding:
    return _finding(Fact(memory_type=memory_type, facet=facet), {}, prepared, grammar, grammar.retell(prepared.plain))


def _styled(facet: str, prepared: Prepared, grammar: Grammar) -> Finding:
    return _finding(
        Fact(memory_type=MemoryType.PREFERENCE, facet=facet), {}, prepared, grammar, grammar.retell(prepared.plain)
    )


def _confidence(prepared: Prepared) -> float:
    return CUED if prepared.cue else CARRIED if prepared.carried else SAID
