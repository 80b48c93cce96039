"""Explicit statements: what a person says about themselves, read by rule from Chinese and English, with evidence.

Precision comes before recall. Only what the speaker asserts in their own words counts: questions, hypotheses, reported
or quoted speech, other people's affairs, orders to the assistant and secrets are refused, each with its reason.
Pure: no I/O, and linear in the text (sentences are read alone and have a longest length).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from context.characters import HAN
from context.dates import date_spans, resolve_time
from context.derived import Candidate, Evidence
from context.text import language_of, sentence_spans
from context.types import MemoryType
from memory.patterns.chinese.grammar import CHINESE
from memory.patterns.english.grammar import ENGLISH
from memory.patterns.own_words import MASK, own_words
from memory.patterns.reader import Finding, Reading, read_sentence
from memory.secrets import SecretSpan, secret_spans

MAX_SENTENCE = 400
"""Characters; a longer sentence is passed over as `too_long`."""
MAX_ABSTRACT = 200
"""Characters; a candidate that repeats more than this is a copy, not a memory."""
MAX_CANDIDATES = 64
"""Per source, so that one message cannot flood the memory; what follows is refused as `too_many`."""
MAX_SENTENCES = 2000
"""Per source; the rest is refused as `too_long`."""

_HAN = re.compile(f"[{HAN}]")
_SHORT_LINE_CUE = re.compile(
    r"(?:please )?(?:remember|note|fyi|keep in mind|记住|请记住|帮我记一下|记一下|请记一下|"
    r"记下来)\s*[:：]?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementSource:
    """A message or note that may hold statements.

    Attributes:
        uri: its address.
        said_at: when it was said, aware, in the user's zone: relative dates are read from it.
        lines: 1-based inclusive lines, for a note.
        speaker: the author's name; lines labelled with it are the author's own.
    """

    uri: str
    text: str
    said_at: datetime
    message_id: UUID | None = None
    lines: tuple[int, int] | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A sentence that was not kept.

    Attributes:
        sentence: verbatim; only a label in brackets where it must not be kept either (`secret`, `do_not_save`).
        reason: `hypothetical`, `question`, `reported_speech`, `quoted`, `other_person`, `instruction`, `task`, `joke`,
            `negated`, `past`, `secret`, `do_not_save`, `too_long` or `too_many`.
    """

    sentence: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionResult:
    """What a source states, and what was refused; small talk is in neither."""

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...]


def extract_statements(source: StatementSource) -> ExtractionResult:
    """Read the explicit statements of one source.

    Returns:
        Candidates whose evidence quotes their sentence character by character, in the order of the text, none twice;
        and the refusals.

    Raises:
        InvalidInputError: `said_at` has no time zone.
    """
    return _Extraction(source).run()


class _Extraction:
    """One run over one source: collects candidates and refusals."""

    def __init__(self, source: StatementSource) -> None:
        self._source = source
        self._candidates: dict[tuple[str, ...], Candidate] = {}
        self._refused: dict[tuple[str, str], Refusal] = {}
        self._readings: dict[tuple[str, bool], Reading] = {}

    def run(self) -> ExtractionResult:
        text = self._source.text
        own = own_words(text, speaker=self._source.speaker)
        secrets = _Overlaps(secret_spans(text))
        cued = False
        for number, (start, end) in enumerate(sentence_spans(own.text)):
            quote, sentence = text[start:end], own.text[start:end]
            secret = secrets.at(start, end)
            if number >= MAX_SENTENCES:
                self._refuse(quote[:MAX_SENTENCE], "too_long")
                break
            if secret:
                self._refuse(f"[{secret}]", "secret")
            elif own.voided and end > own.void_from:
                self._void(quote, own.voided, holds_cause=start <= own.cause < end)
            elif end - start > MAX_SENTENCE:
                self._refuse(quote[:MAX_SENTENCE], "too_long")
            elif not sentence.strip(MASK + " \t>-*“”\"'"):
                self._refuse(quote, "quoted")
            else:
                self._read(quote, sentence, cued)
            cued = _SHORT_LINE_CUE.match(sentence) is not None
            if len(self._candidates) > MAX_CANDIDATES:
                self._candidates.popitem()
                self._refuse(quote, "too_many")
                break
        return ExtractionResult(candidates=tuple(self._candidates.values()), refused=tuple(self._refused.values()))

    def _read(self, quote: str, sentence: str, cued: bool) -> None:
        key = (sentence, cued)
        if key in self._readings:  # a repeated sentence says nothing new
            return
        grammar = CHINESE if _HAN.search(sentence) else ENGLISH
        reading = self._readings[key] = read_sentence(sentence, grammar, cue=cued)
        for finding in reading.findings:
            if len(finding.abstract) > MAX_ABSTRACT:
                self._refuse(quote, "too_long")
            else:
                self._keep(quote, finding)
        for reason in reading.reasons:
            self._refuse(quote, reason)

    def _keep(self, quote: str, finding: Finding) -> None:
        source = self._source
        happened = _event_time(finding, source.said_at) if finding.memory_type is MemoryType.EVENT else None
        abstract = _dated(finding.abstract, happened)
        candidate = Candidate(
            memory_type=finding.memory_type,
            abstract=abstract,
            overview=abstract,
            subject=finding.subject,
            facet=finding.facet,
            language=language_of(quote),
            evidence=(
                Evidence(
                    source_uri=source.uri,
                    quote=quote,
                    statement=abstract,
                    message_id=source.message_id,
                    lines=source.lines,
                    captured_at=source.said_at,
                ),
            ),
            event_time=happened,
            mention_time=source.said_at,
            negated=finding.negated,
            confidence=finding.confidence,
        )
        identity = (candidate.memory_type, candidate.subject, candidate.facet, abstract)
        self._candidates.setdefault(identity, candidate)

    def _void(self, quote: str, reason: str, *, holds_cause: bool) -> None:
        if reason == "do_not_save":
            quote = "[withheld]"
        elif not holds_cause and reason != "joke":
            return
        self._refuse(quote, reason)

    def _refuse(self, sentence: str, reason: str) -> None:
        if len(self._refused) < 4 * MAX_CANDIDATES:
            self._refused.setdefault((sentence, reason), Refusal(sentence=sentence, reason=reason))


class _Overlaps:
    """Answers, for sentences asked in order of their place, which secret they touch."""

    def __init__(self, spans: tuple[SecretSpan, ...]) -> None:
        self._spans: Iterator[SecretSpan] = iter(spans)
        self._open: list[SecretSpan] = []
        self._next = next(self._spans, None)

    def at(self, start: int, end: int) -> str | None:
        while self._next and self._next.start < end:
            self._open.append(self._next)
            self._next = next(self._spans, None)
        self._open = [span for span in self._open if span.end > start]
        return self._open[0].kind if self._open else None


_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTH = timedelta(days=31)


def _event_time(finding: Finding, said_at: datetime) -> datetime | None:
    """When it happened or will; a plan for a calendar date that is more than a month ago means the next year's."""
    happened = resolve_time(finding.told, said_at=said_at)
    if happened is None or finding.facet != "plan" or happened > said_at - _MONTH:
        return happened
    if _YEAR.search(finding.told) or not date_spans(finding.told) or (happened.month, happened.day) == (2, 29):
        return happened
    return happened.replace(year=happened.year + 1)


def _dated(abstract: str, happened: datetime | None) -> str:
    """An event's line with its calendar day: 明天 means nothing a month later."""
    if happened is None or f"{happened:%Y-%m-%d}" in abstract:
        return abstract
    return f"{abstract} ({happened:%Y-%m-%d})"
