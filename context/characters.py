"""Character classes and two small operations on characters that every text module shares."""

from __future__ import annotations

import unicodedata

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""Chinese characters, as the inside of a regular expression's character class."""

SYLLABIC = "\u3041-\u3096\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff\uac00-\ud7a3"
"""Kana and Hangul: written without spaces too, so they are cut like Chinese."""

_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_TO_SIMPLIFIED = str.maketrans(
    "週個後這號兩幾禮過來內間陣時決結論終確認選擇採為應該種從現於實際總沒還會們換題問對說後點發啟準備將棄導",
    "周个后这号两几礼过来内间阵时决结论终确认选择采为应该种从现于实际总没还会们换题问对说后点发启准备将弃导",
)
_JOINERS = frozenset("\u200d\u20e3\ufe0e\ufe0f")  # zero width joiner, keycap, variation selectors
_LONGEST_CLUSTER = 32  # a family emoji with skin tones has 11 code points; longer ones are made to hurt


def fold_width(text: str) -> str:
    """Full-width ASCII (Ａ－Ｚ, ０－９, ！…) and the ideographic space to half width, one character for one."""
    return text if text.isascii() else text.translate(_HALF_WIDTH)


def fold_script(text: str) -> str:
    """Those traditional characters that our word tables hold, to simplified ones; one character for one."""
    return text if text.isascii() else text.translate(_TO_SIMPLIFIED)


def safe_end(text: str, end: int) -> int:
    """The last place at or before `end` where `text` may be cut without breaking a character as a reader sees it.

    Combining marks, joined emoji, skin tones and flags stay whole. A cluster longer than 32 code points is cut anyway,
    and so is one that begins at 0: the result is positive when `end` is.
    """
    if end >= len(text):
        return len(text)
    place = end
    while place > max(0, end - _LONGEST_CLUSTER) and _belongs_to_previous(text, place):
        place -= 1
    return end if place <= 0 or _belongs_to_previous(text, place) else place


def _belongs_to_previous(text: str, place: int) -> bool:
    character, previous = text[place], text[place - 1]
    if character == "\n":
        return previous == "\r"
    if ord(character) < 0x300:
        return False
    if character in _JOINERS or previous == "\u200d" or unicodedata.combining(character):
        return True
    if "\U0001f3fb" <= character <= "\U0001f3ff":  # skin tones
        return True
    if _is_flag_letter(character) and _is_flag_letter(previous):
        first = place
        while first > max(0, place - _LONGEST_CLUSTER) and _is_flag_letter(text[first - 1]):
            first -= 1
        return (place - first) % 2 == 1
    return False


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
