"""Lexical terms: the one tokeniser for index and query, Chinese and English, and the keys of a question.

The rules are exactly those that the published retrieval figures were measured with; change one and measure again.
Where they would drop what is neither ASCII nor Chinese, we keep it findable: accents are folded (`José` -> `jose`),
kana and Hangul are cut like Chinese, words of other scripts stay whole.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from context.characters import HAN, SYLLABIC, fold_width
from context.dates import date_spans

MAX_TERM = 64
"""Characters of the longest term: a term is a btree key. See `_bounded`."""

_STOP_TEXT = """
    a an the of to in on at for with and or but is are was were be been being am do does did done have has had i you he
    she it we they my your his her its our their me him them this that these those what which who whom whose when where
    why how not no so as by from about if then than there here will would can could should may might just into out up
    down over also any some
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
STOP_CHARACTERS = frozenset("的了吗呢吧啊是我你他她它们在和与就也都有这那个么")
"""Dropped as unigrams; bigrams keep them."""

_SUFFIXES = (("ies", "y"), ("ing", ""), ("ied", "y"), ("ed", ""), ("ly", ""), ("es", ""), ("s", ""))
_UNDOUBLED_AFTER = frozenset({"ing", "ed"})


def _folds() -> dict[int, str]:
    """Lower-case Latin letters with diacritics to ASCII, combining accents to nothing, ’ to '."""
    table = dict.fromkeys(range(0x300, 0x370), "")
    for code in (*range(0xE0, 0x250), *range(0x1E00, 0x1F00)):
        base = unicodedata.normalize("NFKD", chr(code))[0]
        if base.isascii() and base.isalpha():
            table[code] = base
    return table | {ord("’"): "'", ord("ß"): "ss", ord("æ"): "ae", ord("ø"): "o", ord("ł"): "l", ord("đ"): "d"}


_FOLDS = _folds()
_POSSESSIVE = re.compile(r"(?<=[a-z0-9])'s(?![a-z0-9])")
_TOKEN = re.compile(rf"([a-z0-9]+(?:[._-][a-z0-9]+)*)|([{HAN}{SYLLABIC}]+)|((?:(?![a-z0-9{HAN}{SYLLABIC}])[^\W_])+)")


def terms(text: str) -> list[str]:
    """The lexical terms of `text`, in order, with repeats; linear in its length.

    Lower case and half width; words `[a-z0-9]+([._-][a-z0-9]+)*` whole (`qx-4471`, `v2.3.1`), without English stop
    words, their suffix stripped; runs of Chinese as single characters (without the most common) and pairs.
    No term is longer than 64 characters.
    """
    return list(_terms(text))


def term_counts(text: str) -> dict[str, int]:
    """How often each term of `text` occurs."""
    return dict(Counter(_terms(text)))


def _terms(text: str) -> Iterator[str]:
    folded = fold_width(text).lower()
    if not folded.isascii():
        folded = folded.translate(_FOLDS)
    for match in _TOKEN.finditer(_POSSESSIVE.sub("", folded)):
        token = match[0]
        if match.lastindex == 1:
            if token not in STOP_WORDS:
                yield _stem(token) if len(token) <= MAX_TERM else _bounded(token)
        elif match.lastindex == 2:
            for place, character in enumerate(token):
                if character not in STOP_CHARACTERS:
                    yield character
                if place + 1 < len(token):
                    yield token[place : place + 2]
        else:
            yield _bounded(token)


def _bounded(token: str) -> str:
    """A token over 64 characters becomes its first 47, `~` (in no other term) and 16 hex digits of its SHA-256."""
    if len(token) <= MAX_TERM:
        return token
    return f"{token[:47]}~{hashlib.sha256(token.encode('utf-8')).hexdigest()[:16]}"


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    """Strip the first suffix that leaves 3 letters, then a final e; words in `ss` and words with a digit first stay."""
    if word[0].isdigit() or word.endswith("ss"):
        return word
    for suffix, replacement in _SUFFIXES:
        stem = word.removesuffix(suffix) + replacement
        if word.endswith(suffix) and len(stem) >= 3:
            word = stem
            if suffix in _UNDOUBLED_AFTER and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


_QUOTED = re.compile(
    r"“([^“”\n]{1,200})”|\"([^\"\n]{1,200})\"|「([^「」\n]{1,200})」|『([^『』\n]{1,200})』|《([^《》\n]{1,200})》"
    r"|`([^`\n]{1,200})`|(?<![\w'])'([^'\n]{2,200})'(?!\w)"
)
_UNITS = (
    r"%|‰|℃|°C|(?:k|m|c|µ|n)?m\b|km/h|kg|mg|g\b|lbs?\b|(?:k|m|g|t)i?b\b|gbps|mbps|[kmg]?hz\b|ms\b|s\b|min\b|hours?\b|hrs?\b"
    r"|minutes?\b|seconds?\b|days?\b|weeks?\b|months?\b|years?\b|dollars?\b|usd\b|eur\b|rmb\b|cny\b|tokens?\b"
    r"|万元|亿元|美元|欧元|公里|千米|公斤|千克|小时|分钟|个月|平米|[元块万亿千百米斤克吨升度岁年月天周秒人个次条台件页章篇本]"
)
_KEY_SHAPES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)(?<![\w.])[￥$€£¥]\s?\d[\d,]*(?:\.\d+)?[kKmM万亿]?",
        rf"(?i)(?<![\w.-])\d[\d,]*(?:\.\d+)?\s?(?:{_UNITS})",
        # codes: joined parts or one word, with a digit somewhere; identifiers with an underscore or a dot inside
        r"(?<![A-Za-z0-9._-])(?=[A-Za-z._-]*\d)(?=[\d._-]*[A-Za-z])[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*",
        r"(?<![A-Za-z0-9._-])[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*[_.][A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*",
        r"(?<![\w.-])\d{2,}(?:[.,:/-]\d+)*(?![\w-])",
        r"(?<!\w)[@#][\w-]{2,40}",
        r"\b[A-Z][\w’'-]*[a-z][\w’'-]*(?:\s(?:(?:of|de|van|von|the|and)\s)?[A-Z][\w’'-]+){1,4}",  # Ada Lovelace
        r"\b[A-Z]{2,}[A-Za-z]*\b",  # SQL, PostgreSQL's kin
        r"(?<=[a-z,] )[A-Z][a-z]{2,}(?:[A-Z][a-z]+)*\b",  # a name inside a sentence
    )
)
_OPENER_TEXT = """
What Who Whom Whose When Where Which Why How Did Does Do Is Are Was Were Has Have Had Can Could Will Would Should The A
An In On At For From Tell Show Find List Give Please Remember If And But So My Our Your His Her Their
"""
_OPENERS = frozenset(_OPENER_TEXT.split())


def keys_of(text: str) -> tuple[str, ...]:
    """Names, numbers, codes, dates and quoted phrases of a question, verbatim, in order, each once.

    `QX-4471`, `v2.3.1`, "a phrase", 「引号」, 《书名》 (without their marks), `Ada Lovelace`, `5 月 3 号`, `300 万元`.
    Only the first 4,000 characters are read: what is longer is pasted text, not a question. Relative dates
    (`yesterday`) are windows, not keys.
    """
    text = text[:4_000]
    folded = fold_width(text)
    found: list[tuple[int, int]] = []
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        found.append(match.span(group))
    taken: list[tuple[int, int]] = list(date_spans(text))
    for shape in _KEY_SHAPES:
        for match in shape.finditer(folded):
            start, end = match.span()
            first = folded[start:end].split(" ", 1)[0]
            if first in _OPENERS:  # "Did Ada Lovelace": the name begins after the question word
                start += len(first) + 1
            if start < end and not any(start < other_end and other < end for other, other_end in taken):
                taken.append((start, end))
    keys = (text[start:end].strip() for start, end in sorted(found + taken))
    return tuple(dict.fromkeys(key for key in keys if key))
