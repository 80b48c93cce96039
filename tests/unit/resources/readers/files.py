"""Files of every kind, made by the libraries that write them or byte by byte, and how tests read them in process."""

from __future__ import annotations

import io
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from resources.readers.document import Document, ReaderLimits
from resources.readers.reading import read_with
from resources.readers.registry import recognise
from resources.readers.source import Source

_STROKES: dict[str, str] = {
    "中": "22-82 26-86 22-26 82-86 50-5a",
    "山": "50-59 13-19 93-99 19-99",
    "田": "11-91 19-99 11-19 91-99 51-59 15-95",
    "王": "11-91 25-85 09-a9 51-59",
}
"""Chinese characters made of straight strokes on a grid of 11 by 11: there is no Chinese font on every machine."""


def read(raw: bytes, name: str, *, mime: str = "", **limits: Any) -> Document:
    """Read bytes as the child process does, in this one."""
    format = recognise(name, mime, raw[:1_024])
    assert format is not None
    source = Source(raw=raw, name=name, mime=mime, began=time.monotonic(), limits=ReaderLimits(**limits))
    return read_with(format, source)


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    """What a library writes into a file."""
    file = io.BytesIO()
    save(file)
    return file.getvalue()


def with_members(raw: bytes, members: Mapping[str, bytes | Callable[[bytes], bytes]]) -> bytes:
    """A zip archive with some members exchanged or added; a function is given what was there."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        contents = {member.filename: archive.read(member) for member in archive.infolist()}
    for name, content in members.items():
        contents[name] = content(contents[name]) if callable(content) else content
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in contents.items():
            archive.writestr(name, body)
    return out.getvalue()


def declaring(raw: bytes, member: str, size: int) -> bytes:
    """The same archive, whose directory says that a member unpacks to `size` bytes."""
    place = raw.rindex(member.encode())  # the name in the central directory comes last
    header = place - 46
    assert raw[header : header + 4] == b"PK\x01\x02"
    return raw[: header + 24] + struct.pack("<I", size) + raw[header + 28 :]


def picture(*lines: str, width: int = 900) -> Image.Image:
    """Words on white, 60 pixels a line; Chinese characters are drawn stroke by stroke."""
    drawn = Image.new("RGB", (width, 40 + 60 * len(lines)), "white")
    pen = ImageDraw.Draw(drawn)
    for number, line in enumerate(lines):
        top = 30 + 60 * number
        if line and line[0] in _STROKES:
            for place, character in enumerate(line):
                _draw(pen, character, 40 + 60 * place, top - 10)
        else:
            pen.text((40, top), line, fill="black", font=ImageFont.load_default(30))
    return drawn


def on_a_page(drawn: Image.Image) -> Image.Image:
    """A picture at the top of a white sheet with the proportions of A4, as a scanner gives it."""
    sheet = Image.new("RGB", (drawn.width, round(drawn.width * 842 / 595)), "white")
    sheet.paste(drawn, (0, 60))
    return sheet


def png(image: Image.Image) -> bytes:
    """A picture as a PNG file."""
    return saved(lambda file: image.save(file, "PNG"))


def png_claiming(width: int, height: int) -> bytes:
    """A PNG whose header says it is that large, with almost nothing behind it."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(b"")) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _draw(pen: ImageDraw.ImageDraw, character: str, left: int, top: int) -> None:
    for stroke in _STROKES[character].split():
        (x, y), (to_x, to_y) = ([int(digit, 16) * 5 for digit in point] for point in stroke.split("-"))
        pen.line([(left + x, top + y), (left + to_x, top + to_y)], fill="black", width=5)
