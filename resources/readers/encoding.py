"""The text of a file's bytes: text files in any encoding, and web pages, which often name theirs."""

from __future__ import annotations

import codecs
import re

from context.errors import ProjectionError
from resources.decoding import decode

_DECLARED = re.compile(
    rb"""<(?:meta[^>]{0,500}?charset|\?xml[^>]{0,200}?encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.I
)
_IN_MEDIA_TYPE = re.compile(r"""charset\s*=\s*["']?([\w.:-]{2,40})""", re.IGNORECASE)
_SEARCHED = 4_096
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "iso8859-1": "cp1252", "ascii": "cp1252", "euc_kr": "cp949"}
"""Pages that say the one mean the other (the WHATWG encoding standard, section 4.2)."""
_ON_THE_WEB = frozenset(
    ["utf-8", "gb18030", "big5", "big5hkscs", "euc_jp", "shift_jis", "cp932", "iso2022_jp", "cp949", "koi8-r", "koi8-u"]
    + ["cp866", "cp874", "mac-roman"]
    + [f"cp{number}" for number in range(1250, 1259)]
    + [f"iso8859-{number}" for number in range(2, 17)]
)
"""Python knows others too, which no page is written in and a hostile one could name to be slow (punycode)."""
_FEW_BROKEN = 0.01


def decoded(raw: bytes) -> str:
    """The text of a text file in whatever encoding, without byte order mark.

    Raises:
        ProjectionError: it is no text, or it is damaged.
    """
    try:
        text, _ = decode(raw)
    except ProjectionError as error:
        raise ProjectionError(error.message, zh="文件不是文本，或者编码已损坏。") from error
    return text


def decoded_page(raw: bytes, mime: str) -> str:
    """The text of a web page: by its mark, as UTF-8 if it is valid, as its media type or itself says, else as told.

    Valid UTF-8 goes before what a page says, because browsers save pages in UTF-8 and leave the old word in them. A
    page with a few bytes that are wrong in the encoding it names is read all the same, with U+FFFD in their place.

    Raises:
        ProjectionError: it is no text.
    """
    encoding = None if raw.startswith(_MARKS) or _is_utf8(raw) else _named_in(raw, mime)
    if encoding is not None and b"\x00" not in raw[:_SEARCHED]:
        text = raw.decode(encoding, errors="replace")
        if text.count("\ufffd") <= _FEW_BROKEN * len(text):
            return text
    return decoded(raw)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _named_in(raw: bytes, mime: str) -> str | None:
    found = _DECLARED.search(raw[:_SEARCHED])
    named = _IN_MEDIA_TYPE.search(mime)
    for label in (named[1] if named else "", found[1].decode("ascii", "replace") if found else ""):
        try:
            known = codecs.lookup(label).name
        except LookupError:
            continue
        known = _WIDER.get(known, known)
        if known in _ON_THE_WEB:
            return known
    return None
