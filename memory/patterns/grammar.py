"""What a language brings to the reading of statements: how it is cut, prepared, limited and told again."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from memory.patterns.rules import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Words that take a clause out of what its speaker asserts.

    Attributes:
        reason: the refusal's code.
        pattern: searched in the clause, which has lost its fillers.
        reach: `clause`, `rest` (to the end of the sentence) or `sentence`.
    """

    reason: str
    pattern: re.Pattern[str]
    reach: str = "clause"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A clause ready for the rules.

    Attributes:
        text: with the speaker in one form and no fillers.
        cue: "remember that ...", 请记住 ... stood before it.
        own: its subject is the speaker, said or carried over from the clause before.
        carried: the subject was carried over.
        plain: the clause as the abstract is made from it.
        spoken: the clause as it was said, without a carried subject: orders about style are looked for here.
    """

    text: str
    plain: str
    spoken: str
    cue: bool
    own: bool
    carried: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """One language's half of the reader; see `english.py` and `chinese.py`."""

    cut: Callable[[str], list[str]]
    prepare: Callable[[str, Prepared | None, bool], Prepared]
    """From a clause, the one before it if that spoke of the speaker, and whether it begins the sentence."""
    limits: tuple[Limit, ...]
    question: re.Pattern[str]
    """A clause that asks, with or without a question mark."""
    tag_question: re.Pattern[str]
    """A last clause that turns the one before it into a question."""
    other: re.Pattern[str]
    """A clause whose subject is somebody else."""
    denial: re.Pattern[str]
    """The word that makes a prepared clause negative: its first match is cut out to see what is denied."""
    rules: tuple[Rule, ...]
    style: Callable[[str], tuple[str, ...]]
    """Facets of answer style that a clause asks for."""
    dated: re.Pattern[str]
    """A day or a period."""
    repeated: re.Pattern[str]
    """What makes a dated clause a habit: every Monday, never on Sundays."""
    split_list: Callable[[str], list[str]]
    object_key: Callable[[str], str]
    role: Callable[[str], str]
    retell: Callable[[str], str]
    """The abstract of a prepared clause."""
    fallback: re.Pattern[str]
    """What a clause behind a cue must look like to be kept though no rule knows it."""
