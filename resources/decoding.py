"""From the bytes of a text file to its text: byte order marks, UTF-8, UTF-16, and older Chinese encodings."""

from __future__ import annotations

import codecs

from charset_normalizer import from_bytes

from context.errors import ProjectionError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\r\f\x1b")) + b"\x7f"
_FEW_CONTROLS = 4
_TEXT_CONTROLS = 0.02
_UTF8_CONTROLS = 0.10
_SAMPLE = 4_000
_COMMON_SHARE = 0.9
_CERTAIN_LENGTH = 200
_NEIGHBOURS = frozenset({"cp949", "euc_kr", "johab", "euc_jp", "shift_jis", "cp932", "big5", "big5hkscs", "cp950"})


def decode(raw: bytes) -> tuple[str, str]:
    """Read a text file: its text without byte order mark, line ends as they are, and the encoding it was in.

    A byte order mark decides; else UTF-8 if it is valid; else GB18030 if it reads as everyday Chinese; else the best
    guess of charset-normalizer.

    Raises:
        ProjectionError: it is no text, or it is damaged.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _strictly(raw, encoding), encoding
    controls = len(raw) - len(raw.translate(None, _CONTROLS))
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        if controls > _TEXT_CONTROLS * len(raw):
            raise ProjectionError("The file is binary, not text.") from None
        return _guessed(raw)
    if controls >= _FEW_CONTROLS and controls > _UTF8_CONTROLS * len(raw):
        raise ProjectionError("The file is binary, not text.")
    return text, "utf-8"


def _strictly(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise ProjectionError(
            f"The file says it is {encoding}, but its bytes from {error.start} on are not."
        ) from error


def _guessed(raw: bytes) -> tuple[str, str]:
    """Below about 200 bytes the statistics of charset-normalizer take everyday Chinese for Korean or Big5."""
    everyday = _reads_as_chinese(raw)
    if everyday and len(raw) < _CERTAIN_LENGTH:
        return raw.decode("gb18030"), "gb18030"
    best = from_bytes(raw).best()
    if everyday and (best is None or best.encoding not in _NEIGHBOURS):
        return raw.decode("gb18030"), "gb18030"
    if best is None:
        raise ProjectionError("The file is not text in any encoding that can be told.")
    return str(best).removeprefix("\ufeff"), best.encoding


def _reads_as_chinese(raw: bytes) -> bool:
    """Whether the bytes are GB18030 and nearly all their Chinese is of GB 2312 level 1, the 3,755 common characters."""
    try:
        text = raw.decode("gb18030")
    except UnicodeDecodeError:
        return False
    beyond_ascii = [c for c in text[:_SAMPLE] if c > "\x7f"]
    common = 0
    for character in beyond_ascii:
        code = character.encode("gb18030")
        common += len(code) == 2 and code[1] >= 0xA1 and (0xB0 <= code[0] <= 0xD7 or 0xA1 <= code[0] <= 0xA3)
    return common >= _COMMON_SHARE * len(beyond_ascii) > 0
