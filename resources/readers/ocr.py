"""Words on pictures by RapidOCR (PP-OCR, Chinese and English), whose models come in its wheel: nothing is fetched."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from context.errors import ProjectionError
from resources.readers.layout import Line, in_reading_order

if TYPE_CHECKING:
    from PIL import Image

LONG_SIDE = 2_000
"""Pixels: what RapidOCR scales larger pictures down to, and enough for a page of small print."""
MOST_THREADS = 4
INSTALL = "pip install 'pocketmind[ocr]'"
_STRIP = 1.6
"""A picture longer than this many times its width (a screenshot of a chat) is read in strips, or scaling it down
would make its words too small."""
_SEAM = 0.25


def available() -> bool:
    """Whether pictures can be read here."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def missing() -> ProjectionError:
    """The reason for a picture where they cannot."""
    return ProjectionError(
        "Pictures cannot be read: the package for it is not installed.",
        hint=f"Install it with {INSTALL}.",
        zh=f"无法读取图片：未安装文字识别组件，请运行 {INSTALL}。",
    )


@cache
def recogniser() -> Recogniser:
    """The one of this process.

    Raises:
        ImportError: what reads pictures is not installed (ask `available` first).
    """
    return Recogniser()


class Recogniser:
    """Reads pictures one after the other; its models are loaded once, at the first (about 1 s)."""

    def __init__(self) -> None:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime from 1.29 on reports to its maker unless told not to
        from rapidocr import RapidOCR

        # `rapidocr` writes to a console at every level below this one
        self._engine: Any = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": LONG_SIDE,
                "EngineConfig.onnxruntime.intra_op_num_threads": min(MOST_THREADS, os.cpu_count() or 1),
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def read(self, picture: Image.Image) -> str:
        """The text of an RGB picture in reading order; empty when there is none."""
        lines = [line for strip, top in _strips(picture) for line in self._lines(strip, top)]
        return in_reading_order(lines).strip()

    def _lines(self, picture: Image.Image, top: int) -> list[Line]:
        import numpy

        found = self._engine(numpy.ascontiguousarray(numpy.asarray(picture)[:, :, ::-1]))  # it wants blue first
        if found.txts is None or found.boxes is None:
            return []
        return [
            Line(
                text=str(text).strip(),
                left=float(box[:, 0].min()),
                top=float(box[:, 1].min()) + top,
                right=float(box[:, 0].max()),
                bottom=float(box[:, 1].max()) + top,
            )
            for text, box in zip(found.txts, found.boxes, strict=True)
            if str(text).strip()
        ]


def _strips(picture: Image.Image) -> list[tuple[Image.Image, int]]:
    """A picture scaled to what is needed, in strips if it is long, and where each begins."""
    if picture.width > LONG_SIDE:
        height = max(1, round(picture.height * LONG_SIDE / picture.width))
        picture = picture.resize((LONG_SIDE, height))
    step = round(picture.width * _STRIP)
    if picture.height <= max(step, LONG_SIDE) or step < 32:
        return [(picture, 0)]
    strips: list[tuple[Image.Image, int]] = []
    top = 0
    while picture.height - top > step * (1 + _SEAM):
        end = _seam(picture, top + round(step * (1 - _SEAM)), top + step)
        strips.append((picture.crop((0, top, picture.width, end)), top))
        top = end
    strips.append((picture.crop((0, top, picture.width, picture.height)), top))
    return strips


def _seam(picture: Image.Image, first: int, last: int) -> int:
    """The row between two others on which the least is drawn, the middle of the widest such stretch: no line is cut."""
    import numpy

    rows = numpy.asarray(picture.crop((0, first, picture.width, last)).convert("L"), dtype=numpy.int16)
    drawn = numpy.abs(numpy.diff(rows, axis=1)).mean(axis=1)
    calm = drawn <= drawn.min() + 0.5
    best = best_length = run = 0
    for place, is_calm in enumerate([*calm.tolist(), False]):
        if is_calm:
            run += 1
            continue
        if run > best_length:
            best, best_length = place - run // 2 - 1, run
        run = 0
    return first + best
