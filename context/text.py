"""Reading plain and Markdown text: cleaning, language, sentences, the conclusion, and the one-line abstract (L0)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from context.characters import HAN
from context.conclusions import conclusion_in, is_label
from context.condense import condense, one_line
from context.types import Language

ABSTRACT_LIMIT = 140
"""Characters of an L0 (contract, part 4.3: L1 = 140 characters)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """A text that can be stored, and how many characters had to be replaced for that."""

    text: str
    replaced: int


_HOSTILE = re.compile("[\x00\ud800-\udfff]")


def clean(text: str) -> Cleaned:
    """Replace NUL and lone surrogates, which no database stores, by U+FFFD; everything else stays as it is."""
    cleaned, replaced = _HOSTILE.subn("\ufffd", text)
    return Cleaned(text=cleaned, replaced=replaced)


# --- language -----------------------------------------------------------------------------------------------------

_FENCE = re.compile(r"(?ms)^[ \t]{0,3}(```|~~~).*?(?:^[ \t]{0,3}\1[`~]*[ \t]*$|\Z)")
_INLINE_CODE = re.compile(r"`[^`\n]+`")
_ADDRESS = re.compile(
    r"(?:https?|ftp|file)://[^\s，。；！？、）」”]+|www\.[^\s，。；！？、]+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_QUOTED = re.compile(r"“[^“”]*”|「[^「」]*」|『[^『』]*』|《[^《》]*》|\"[^\"\n]*\"|(?m:^[ \t]*>.*$)")
_HAN = re.compile(f"[{HAN}]")
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH_GLUE = _words(
    "a an the of to in on at for with and or but is are was were be i you he she it we they my your this that not do"
    " did have has had will would can could as by from about if when what how"
)
_CHINESE_GLUE = frozenset("的了吗呢吧啊是我你您他她它在和与就也都有这那个么不没把被给让请要会用做去来到对从为该呀")


def language_of(text: str, *, default: Language = "en") -> Language:
    """The language a text is written in, whatever it quotes: code, URLs and quoted passages do not count.

    Chinese characters are weighed against Latin words, one for one; when only one of the two languages contributes
    function words, it decides (`用 PostgreSQL 做 migration 吧` is Chinese, `Send it to 王小明` is English). A text that
    is all quotation is judged by the quotation; one without words has the `default`.
    """
    bare = _ADDRESS.sub(" ", _INLINE_CODE.sub(" ", _FENCE.sub(" ", text)))
    for candidate in (_QUOTED.sub(" ", bare), bare):
        characters, found = _HAN.findall(candidate), _WORD.findall(candidate)
        if characters and found:
            chinese = any(character in _CHINESE_GLUE for character in characters)
            english = any(word.lower() in _ENGLISH_GLUE for word in found)
            if chinese != english:
                return "zh" if chinese else "en"
        if characters or found:
            return "zh" if len(characters) >= len(found) else "en"
    return default


# --- sentences ----------------------------------------------------------------------------------------------------

_CLOSERS = r"[”’」』）)\"'\]]"
_BREAK = re.compile(
    rf"(?<![。！？；])[。！？；]++{_CLOSERS}*+(?!》)"
    rf"|(?<![!?])[!?]++{_CLOSERS}*+(?=\s|\Z|[{HAN}])"
    rf"|(?<!\.)\.++{_CLOSERS}*+(?=\s|\Z)"
    rf"|(?<=[{HAN}])\.(?![A-Za-z0-9.])"
    r"|\r?\n\s*+"
)
_NEVER_LAST = _words(
    "mr mrs ms dr prof st vs e.g i.e cf no fig eq sec ch vol pp ed approx"
    " jan feb mar apr jun jul aug sep sept oct nov dec"
)
_SELDOM_LAST = _words("etc al inc ltd co corp a.m p.m u.s u.k ph.d est")
_LAST_TOKEN = re.compile(r"[A-Za-z][A-Za-z.]*\Z")
_LIST_NUMBER = re.compile(r"[ \t>]{0,12}(?:[-*+]\s)?(?:\d{1,3}|[A-Za-z]|[一二三四五六七八九十]{1,3})\Z")
_SOFT_WRAP = 40


def sentences(text: str) -> list[str]:
    """The sentences of `text`, verbatim but for blanks around them, none empty.

    They end at 。！？；, at . ! ? before a blank, and at line ends. Decimals, versions, abbreviations, URLs, titles
    like 《你是谁？》 and list numbers do not end one; nor does a line end inside a hard-wrapped English paragraph.
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of every sentence in `text`."""
    return list(_spans(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _BREAK.finditer(text):
        if not _ends_sentence(text, start, match):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if bare := piece.strip():
        first = start + len(piece) - len(piece.lstrip())
        yield first, first + len(bare)


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    mark, following = match[0][0], text[match.end() : match.end() + 2]
    if mark in "\r\n":
        return match[0].count("\n") > 1 or not _is_wrapped(text, match.start(), following[:1])
    if mark != ".":
        return True
    if _LIST_NUMBER.match(text, start, match.start()) and match[0] == ".":
        return False
    token = _LAST_TOKEN.search(text, max(start, match.start() - 12), match.start())
    if token is None or len(match[0]) > 1:
        return True
    word = token[0]
    if word.lower() in _NEVER_LAST or (len(word) == 1 and word.isupper() and word != "I"):
        return False
    return word.lower() not in _SELDOM_LAST or not following[1:].islower()


def _is_wrapped(text: str, line_end: int, following: str) -> bool:
    """Whether an English sentence goes on in the next line: a full line, no mark at its end, a word that leads on."""
    line = text[text.rfind("\n", 0, line_end) + 1 : line_end].rstrip()
    if len(line) < _SOFT_WRAP or not following.isascii() or not (line[-1].isalnum() or line[-1] == ","):
        return False
    return following.islower() or (following.isalnum() and line.rsplit(None, 1)[-1] in _ENGLISH_GLUE)


# --- conclusion and abstract --------------------------------------------------------------------------------------

_LINE_MARKS = re.compile(r"(?:[>\s]*(?:#{1,6}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}(?:[.)]\s+|、\s*))?)*")
_EMPHASIS = re.compile(r"\*\*|__|~~|`+")
_LINK = re.compile(r"!?\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]+))?\]\]|!?\[([^\[\]\n]*)\]\([^()\s]*\)")
_NO_WORDS = re.compile(r"[\W_]*\Z")


def conclusion_of(text: str) -> str | None:
    """The sentence that states the decision, root cause or conclusion, verbatim without its list mark; else None.

    The strongest marker wins, of equals the last: a later decision replaces an earlier one. A heading or label that
    only says "Decision" hands its weight to the sentence after it. Code is not searched.
    """
    best, best_weight = None, 0
    labelled = False
    for sentence in sentences(_FENCE.sub("\n", text)):
        bare = sentence[_mark_length(sentence) :]
        readable = _EMPHASIS.sub("", bare).strip()
        if is_label(readable):
            labelled = True
            continue
        conclusion = conclusion_in(readable)
        weight = conclusion.weight if conclusion else 0
        if labelled and not sentence.startswith("#") and not _NO_WORDS.match(readable):
            weight, labelled = 3, False
        if weight and weight >= best_weight:
            best, best_weight = bare, weight
    return best


def abstract_of(title: str, text: str, *, limit: int = ABSTRACT_LIMIT) -> str:
    """L0: one line of at most `limit` characters, never empty for a text that is not blank.

    The title, else the first sentence, else a cut; and whenever the text states a conclusion, that too. What is too
    long is trimmed by information density, so that the conclusion is the last to go, never the first.
    """
    head = plain(title)
    conclusion = plain(conclusion_of(text) or "")
    if conclusion:
        return _with_conclusion(head, conclusion, limit)
    if not head:
        readable = (plain(sentence) for sentence in sentences(text))
        head = next((line for line in readable if not _NO_WORDS.match(line)), "") or one_line(text)
    return condense(head, limit)


def _with_conclusion(head: str, conclusion: str, limit: int) -> str:
    if len(conclusion) > limit:
        found = conclusion_in(conclusion)
        return condense(conclusion, limit, keep=(found.start, found.end) if found else None)
    if not head or head in conclusion:
        return conclusion
    if conclusion in head and len(head) <= limit:
        return head
    room = limit - len(conclusion) - len(" · ")
    if room >= min(len(head), 12):
        return f"{condense(head, room)} · {conclusion}"
    return conclusion


def plain(text: str) -> str:
    """One line of words: without list marks, heading marks, emphasis and link targets."""
    line = one_line(text)
    line = _LINK.sub(lambda match: match[2] or match[1] or match[3] or "", line[_mark_length(line) :])
    return one_line(_EMPHASIS.sub("", line)) or one_line(text)


def _mark_length(line: str) -> int:
    match = _LINE_MARKS.match(line)
    return match.end() if match else 0
