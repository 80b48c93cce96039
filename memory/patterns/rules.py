"""Rules: patterns that read one clause, and the facts that a match stands for.

The tables are in `english/` and `chinese/`; `reader.py` runs them. A pattern is matched at the start of a clause of at
most 400 characters, in which the speaker's own "I" has been brought to one form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from context.characters import HAN, fold_width
from context.types import MemoryType

CLOSING_QUOTES = "”’」』》\"'"
OPENING_QUOTES = "“‘「『《\"'"
_EDGES = OPENING_QUOTES + CLOSING_QUOTES + " \t.。!！,，、;；:：?？~～…()（）[]*_`"
_PAREN = re.compile(r"[(（][^()（）]{0,80}[)）]")
_FIELD = re.compile(r"\{(\w+)\}")
_LONGEST_KEY = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact that a matching rule stands for.

    Attributes:
        facet: a template: `{object}` is filled with the key of that group, `{role}` with its canonical role,
            `{clause}` with the key of the whole line.
        group: the group that must have taken part in the match; empty for none.
        subject: the group that names whom it is about; empty for the speaker.
        negated: it ends or denies what the facet holds.
    """

    memory_type: MemoryType
    facet: str
    group: str = ""
    subject: str = ""
    negated: bool = False

    @property
    def needs(self) -> frozenset[str]:
        """The groups that must have taken part in a match, so that this fact can be told."""
        fields = {name for name in _FIELD.findall(self.facet) if name != "clause"}
        return frozenset(fields | {group for group in (self.group, self.subject) if group})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A pattern for the start of a clause, and its facts.

    Attributes:
        unless: a pattern whose presence in the clause makes the match void.
        dated: the clause must name a day or a period; `undated`: it must not.
        listed: the group `object` may be a list; each item becomes a fact of its own.
        bare: holds without a subject ("Don't use emojis", 回答要简短), not only after one.
    """

    pattern: re.Pattern[str]
    facts: tuple[Fact, ...]
    unless: re.Pattern[str] | None = None
    dated: bool = False
    undated: bool = False
    listed: bool = False
    bare: bool = False

    def match(self, clause: str) -> re.Match[str] | None:
        """The match at the start of the clause, None when there is none or it is void."""
        found = self.pattern.match(clause)
        if found is None or (self.unless is not None and self.unless.search(clause)):
            return None
        return found


def rule(
    text: str,
    *facts: Fact,
    unless: str | None = None,
    dated: bool = False,
    undated: bool = False,
    listed: bool = False,
    bare: bool = False,
) -> Rule:
    """A rule from the text of its pattern; letter case does not count. See `Rule` for the rest."""
    voided = re.compile(unless, re.IGNORECASE) if unless else None
    compiled = re.compile(text, re.IGNORECASE)
    return Rule(pattern=compiled, facts=facts, unless=voided, dated=dated, undated=undated, listed=listed, bare=bare)


def fact(memory_type: MemoryType, facet: str, *, group: str = "", subject: str = "", negated: bool = False) -> Fact:
    """A fact; see `Fact`."""
    return Fact(memory_type=memory_type, facet=facet, group=group, subject=subject, negated=negated)


def words_pattern(text: str) -> str:
    """An alternation of the words or phrases of a block of text, one a line or separated by `|`; longest first."""
    words = {word.strip() for line in text.splitlines() for word in line.split("|") if word.strip()}
    return "|".join(re.escape(word).replace(r"\ ", " ") for word in sorted(words, key=lambda w: (-len(w), w)))


def word_set(text: str) -> frozenset[str]:
    """The words of a block of text, separated by blanks."""
    return frozenset(text.split())


def facet_key(text: str) -> str:
    """A stable lower-case key of a name or an object: no articles, quotes or plural, at most 40 characters."""
    key = " ".join(_PAREN.sub(" ", fold_width(text)).lower().split()).strip(_EDGES)
    key = re.sub(r"^(?:the|an?|some|any|all|my|our) ", "", key)
    key = re.sub(rf"(?<=[{HAN}]) | (?=[{HAN}])", " ", key)
    if key.isascii():
        key = _singular(key)
    return key[:_LONGEST_KEY].strip()


def bare_name(text: str) -> str:
    """A name without the quotes and stops around it, otherwise byte for byte."""
    return text.strip(_EDGES)


def _singular(key: str) -> str:
    """The last word's plural `s` taken off, so that "peanuts" and "peanut" are one facet."""
    if re.search(r"\b(?:movies|cookies|brownies|smoothies|selfies|zombies|calories|genies|ties|pies)$", key):
        return key[:-1]
    if re.search(r"\b(?:series|species|news)$", key):
        return key
    if re.search(r"[^aeiou]ies$", key):
        return key[:-3] + "y"
    if re.search(r"(?:sh|ch|x|oe)es$", key) and not key.endswith("shoes"):
        return key[:-2]
    if len(key) > 3 and re.search(r"[^suis]s$", key):
        return key[:-1]
    return key


def insensitive(text: str) -> re.Pattern[str]:
    """Compile a pattern for which letter case does not count."""
    return re.compile(text, re.IGNORECASE)
