"""Shorten one line by information density: fillers first, then the clauses that say least, the end only last."""

from __future__ import annotations

import re
from itertools import pairwise

from context.characters import safe_end
from context.terms import terms

_FILLERS = re.compile(
    r"其实|基本上|实际上|也就是说|就是说|总的来说|总的来看|总而言之|众所周知|不得不说|说实话|老实说|目前来看|一般来说|怎么说呢"
    r"|非常(?!多|规)|稍微|(?<![一二两三])一下(?=[，。]|$)|嗯+|哈哈+|然后呢|那个，|就是，"
    r"|\b(?:basically|actually|really|very|quite|simply|obviously|honestly|frankly|essentially|literally|of course"
    r"|as you know|as we all know|needless to say|i think(?: that)?|i guess|kind of|sort of|you know"
    r"|at this point in time|it should be noted that|please note that|for the most part"
    r"|after a (?:long|lengthy) discussion),?\s?",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[，,；;：:、](?!\d)\s?|\s(?=[(（])|(?<=[)）])\s?|\s[-–—]\s|——"
    r"|\s(?=(?:but|because|which|although|though|while|whereas|since|so that|and then)\s)"
)
_MARK_OFF = " ，,；;、—–-"
_ELLIPSIS = "…"
_WINDOW = 1_200  # characters looked at; a longer "sentence" is a dump, and choosing clauses is quadratic


def one_line(text: str) -> str:
    """`text` with every run of blanks, line ends included, as one space."""
    return " ".join(text.split())


def cut(line: str, limit: int) -> str:
    """At most `limit` characters, ended by `…` when cut: between words or clauses where one is near."""
    if len(line) <= limit:
        return line
    end = safe_end(line, max(1, limit - 1))
    near = max(line.rfind(mark, end * 2 // 3, end + 1) for mark in " ，,；;。、")
    kept = line[: near if near > 0 else end].rstrip(_MARK_OFF) or line[:end]
    return kept + _ELLIPSIS if limit > 1 and len(kept) < limit else kept[:limit]


def condense(line: str, limit: int, *, keep: tuple[int, int] | None = None) -> str:
    """`line`, not empty and on one line, in at most `limit` characters.

    Args:
        keep: start and end of the words that must survive (a conclusion's marker): the clause that holds them, and the
            one after it when it says little by itself, are dropped last.
    """
    if len(line) <= limit:
        return line
    marker = line[keep[0] : keep[1]] if keep else ""
    first = max(0, keep[0] - _WINDOW // 2) if keep else 0
    line = line[first : first + _WINDOW].strip()
    shorter = one_line(_FILLERS.sub("", line)).lstrip(_MARK_OFF)
    if marker not in shorter:
        shorter = line
    if 0 < len(shorter) <= limit:
        return shorter
    clauses = _clauses(shorter or line)
    kernel = _kernel(clauses, marker)
    kept = set(kernel)
    order = sorted((n for n in range(len(clauses)) if n not in kept), key=lambda n: (-_density(clauses[n]), n))
    for candidate in order:
        if len(_joined(clauses, kept | {candidate})) <= limit:
            kept.add(candidate)
    line = _joined(clauses, kept)
    if len(line) > limit and marker and line.find(marker) + len(marker) >= limit:
        line = line[line.find(marker) :]
    return cut(line, limit)


def _clauses(line: str) -> list[str]:
    """The clauses of a line, each with the mark that ends it."""
    places = [0, *(match.end() for match in _CLAUSE_END.finditer(line)), len(line)]
    return [line[start:end] for start, end in pairwise(places) if end > start]


def _kernel(clauses: list[str], marker: str) -> list[int]:
    """The clauses that cannot go: the marker's, or else the densest one."""
    if not marker:
        return [max(range(len(clauses)), key=lambda n: (_density(clauses[n]), -n))]
    joined, start = "".join(clauses), 0
    place = joined.find(marker)
    kernel: list[int] = []
    for number, clause in enumerate(clauses):
        end = start + len(clause)
        if start < place + len(marker) and place < end:
            kernel.append(number)
        start = end
    last = kernel[-1]
    if last + 1 < len(clauses) and len(set(terms("".join(clauses[n] for n in kernel).replace(marker, "")))) < 3:
        kernel.append(last + 1)  # "We decided as follows: ..." says nothing without what follows
    return kernel


def _density(clause: str) -> float:
    """Information per character: an English word counts 1, a Chinese character half a word, figures most."""
    weight = 0.0
    for term in set(terms(clause)):
        if any(character.isdigit() for character in term):
            weight += max(3.0, len(term) / 2)
        else:
            weight += 1.0 if term.isascii() else 0.25  # each character is there twice: alone and in a pair
    names = sum(1 for word in clause.split()[1:] if word[:1].isupper())
    return (weight + names) / (len(clause) + 4)


def _joined(clauses: list[str], kept: set[int]) -> str:
    """The kept clauses in order, with `…` in every gap, so that nobody takes them for a whole."""
    parts: list[str] = []
    previous = -1
    for number in sorted(kept):
        if parts and number > previous + 1:
            parts[-1] = parts[-1].rstrip(_MARK_OFF) + _ELLIPSIS
        parts.append(clauses[number])
        previous = number
    return one_line("".join(parts)).strip(_MARK_OFF)
