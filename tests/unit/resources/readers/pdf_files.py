"""Small PDF files written by hand, so that tests say byte by byte what a page holds: text, Chinese, pictures, locks."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
"""ISO 32000-1, algorithm 2: what fills a password up to 32 bytes."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page (A4, in points).

    Attributes:
        lines: set from the top in Helvetica, or in a font without outlines if they need Chinese.
        picture: fills the whole page behind them.
        columns: (x, lines), each from the top.
        turned: a landscape page, which is stored upright with its lines going up.
    """

    lines: Sequence[str] = ()
    picture: Image.Image | None = None
    columns: Sequence[tuple[int, Sequence[str]]] = ()
    turned: bool = False


def pdf(
    pages: Sequence[Page], *, title: str = "", outline: Sequence[tuple[str, int]] = (), password: str | None = None
) -> bytes:
    """A PDF file.

    Args:
        title: of the document's information.
        outline: bookmarks as (words, number of the page from 0).
        password: locks it with 40-bit RC4, which every reader knows.
    """
    return _Writer(password).write(pages, title, outline)


class _Writer:
    def __init__(self, password: str | None) -> None:
        self._objects: list[bytes] = []
        self._identity = hashlib.md5(b"a test's file").digest()  # noqa: S324  # the format's own hash
        self._owner_entry = b""
        self._key = self._locked_with(password) if password is not None else None

    def write(self, pages: Sequence[Page], title: str, outline: Sequence[tuple[str, int]]) -> bytes:
        characters = sorted({c for page in pages for line in _lines(page) for c in line if ord(c) > 0xFF})
        codes = {character: code for code, character in enumerate(characters, start=1)}
        root, tree = self._reserve(), self._reserve()
        fonts = self._fonts(codes)
        kids = [self._page(page, tree, fonts, codes) for page in pages]
        self._put(tree, f"<< /Type /Pages /Count {len(kids)} /Kids [{_references(kids)}] >>".encode())
        marks = self._outline(outline, kids) if outline else None
        self._put(
            root, b"<< /Type /Catalog /Pages %d 0 R%b >>" % (tree, b" /Outlines %d 0 R" % marks if marks else b"")
        )
        info = self._reserve()
        self._put(info, b"<< /Title %b >>" % self._text(title, info) if title else b"<< >>")
        return self._file(root, info)

    # -- objects -----------------------------------------------------------------------------------------------

    def _reserve(self) -> int:
        self._objects.append(b"")
        return len(self._objects)

    def _put(self, number: int, body: bytes) -> int:
        self._objects[number - 1] = body
        return number

    def _stream(self, entries: str, data: bytes) -> int:
        number = self._reserve()
        packed = self._sealed(zlib.compress(data), number)
        head = f"<< {entries} /Filter /FlateDecode /Length {len(packed)} >>\nstream\n".encode()
        return self._put(number, head + packed + b"\nendstream")

    def _text(self, text: str, number: int) -> bytes:
        return b"<" + self._sealed(b"\xfe\xff" + text.encode("utf-16-be"), number).hex().encode() + b">"

    def _fonts(self, codes: dict[str, int]) -> str:
        latin = self._put(
            self._reserve(), b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
        )
        if not codes:
            return f"/F1 {latin} 0 R"
        mapped = "\n".join(f"<{code:04X}> <{c.encode('utf-16-be').hex()}>" for c, code in codes.items())
        unicode_map = self._stream(
            "",
            f"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
            f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
            f"{len(codes)} beginbfchar\n{mapped}\nendbfchar endcmap end end".encode(),
        )
        shape = self._put(
            self._reserve(),
            b"<< /Type /FontDescriptor /FontName /Song /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800"
            b" /Descent -200 /CapHeight 700 /StemV 80 >>",
        )
        child = self._put(
            self._reserve(),
            f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Song /FontDescriptor {shape} 0 R /DW 1000"
            f" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>".encode(),
        )
        chinese = self._put(
            self._reserve(),
            f"<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /Identity-H /DescendantFonts [{child} 0 R]"
            f" /ToUnicode {unicode_map} 0 R >>".encode(),
        )
        return f"/F1 {latin} 0 R /F2 {chinese} 0 R"

    def _page(self, page: Page, tree: int, fonts: str, codes: dict[str, int]) -> int:
        content, pictures = b"", ""
        if page.picture is not None:
            packed = io.BytesIO()
            page.picture.convert("RGB").save(packed, "JPEG", quality=90)
            raw, number = packed.getvalue(), self._reserve()
            sealed = self._sealed(raw, number)
            self._put(
                number,
                f"<< /Type /XObject /Subtype /Image /Width {page.picture.width} /Height {page.picture.height}"
                f" /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length {len(sealed)} >>\n"
                "stream\n".encode()
                + sealed
                + b"\nendstream",
            )
            pictures = f" /XObject << /Im1 {number} 0 R >>"
            content += b"q 595 0 0 842 0 0 cm /Im1 Do Q\n"
        for left, lines in [(60, page.lines), *page.columns]:
            for place, line in enumerate(lines):
                matrix = f"0 1 -1 0 {60 + 18 * place} {left}" if page.turned else f"1 0 0 1 {left} {780 - 18 * place}"
                content += _shown(line, matrix, codes)
        stream = self._stream("", content)
        return self._put(
            self._reserve(),
            f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 595 842] /Rotate {90 * page.turned}"
            f" /Contents {stream} 0 R /Resources << /Font << {fonts} >>{pictures} >> >>".encode(),
        )

    def _outline(self, outline: Sequence[tuple[str, int]], kids: Sequence[int]) -> int:
        top, marks = self._reserve(), [self._reserve() for _ in outline]
        for place, (words, page) in enumerate(outline):
            after = b" /Next %d 0 R" % marks[place + 1] if place + 1 < len(marks) else b""
            before = b" /Prev %d 0 R" % marks[place - 1] if place else b""
            self._put(
                marks[place],
                b"<< /Title %b /Parent %d 0 R /Dest [%d 0 R /Fit]%b%b >>"
                % (self._text(words, marks[place]), top, kids[page], before, after),
            )
        return self._put(top, b"<< /First %d 0 R /Last %d 0 R /Count %d >>" % (marks[0], marks[-1], len(marks)))

    def _file(self, root: int, info: int) -> bytes:
        out, offsets = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
        lock = b""
        if self._key is not None:
            user = _rc4(self._key, _PADDING).hex().encode()
            number = self._put(
                self._reserve(),
                b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%b> /U <%b> >>" % (self._owner_entry.hex().encode(), user),
            )
            lock = b" /Encrypt %d 0 R" % number
        for number, body in enumerate(self._objects, start=1):
            offsets.append(len(out))
            out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
        start, name = len(out), self._identity.hex().encode()
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
        out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        out += b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R /ID [<%b> <%b>]%b >>\nstartxref\n%d\n%%%%EOF\n" % (
            len(offsets) + 1, root, info, name, name, lock, start,
        )  # fmt: skip
        return bytes(out)

    # -- the lock (ISO 32000-1, 7.6.3, revision 2) -------------------------------------------------------------------

    def _locked_with(self, password: str) -> bytes:
        padded = (password.encode("latin-1") + _PADDING)[:32]
        self._owner_entry = _rc4(hashlib.md5(padded).digest()[:5], padded)  # noqa: S324
        permissions = (-4 & 0xFFFFFFFF).to_bytes(4, "little")
        return hashlib.md5(padded + self._owner_entry + permissions + self._identity).digest()[:5]  # noqa: S324

    def _sealed(self, data: bytes, number: int) -> bytes:
        if self._key is None:
            return data
        salted = self._key + number.to_bytes(3, "little") + b"\x00\x00"
        return _rc4(hashlib.md5(salted).digest()[:10], data)  # noqa: S324


def _lines(page: Page) -> list[str]:
    return [*page.lines, *(line for _, lines in page.columns for line in lines)]


def _shown(line: str, matrix: str, codes: dict[str, int]) -> bytes:
    if any(ord(c) > 0xFF for c in line):
        shown = "".join(f"{codes.get(c, 0):04X}" for c in line)
        return f"BT /F2 12 Tf {matrix} Tm <{shown}> Tj ET\n".encode()
    quoted = line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return b"BT /F1 12 Tf %b Tm (%b) Tj ET\n" % (matrix.encode(), quoted)


def _references(numbers: Sequence[int]) -> str:
    return " ".join(f"{number} 0 R" for number in numbers)


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
