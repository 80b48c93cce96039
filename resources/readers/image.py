"""Pictures: the words on them, in reading order; of a moving one the first frame, of a fax every page."""

from __future__ import annotations

import io
import warnings

from PIL import Image, ImageOps, UnidentifiedImageError

from context.errors import ProjectionError
from context.types import SourceType
from resources.readers import ocr
from resources.readers.document import Document, Notice, Part, assemble
from resources.readers.source import Source, damaged, without_text

_MOST_PIXELS = 100_000_000
"""A picture of more is refused unopened: it would take 300 MB and more."""
_DECODERS = ("PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF", "MPO")
"""Pillow has forty; these are asked for, the others stay shut."""


def read(source: Source) -> Document:
    """The text of a picture; of a TIFF with several pages one part each, anchored `page=N`.

    Raises:
        ProjectionError: too large, damaged, without words, or reading pictures is not installed.
    """
    if not ocr.available():
        raise ocr.missing()
    Image.MAX_IMAGE_PIXELS = _MOST_PIXELS
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            with Image.open(io.BytesIO(source.raw), formats=_DECODERS) as picture:
                parts, notices = _parts(picture, source)
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise ProjectionError(
                f"The picture has more than {_MOST_PIXELS // 1_000_000} million pixels: it is not opened.",
                hint="Save it smaller and add it again.",
                zh=f"图片超过 {_MOST_PIXELS // 1_000_000} 百万像素，未打开；请缩小后再添加。",
            ) from error
        except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
            raise damaged("a picture", "图片", type(error).__name__) from error
    if not parts:
        raise without_text("picture", "图片")
    return assemble(
        title=source.stem, parts=parts, source_type=SourceType.OCR_TEXT, limits=source.limits, notices=notices
    )


def _parts(picture: Image.Image, source: Source) -> tuple[list[Part], list[Notice]]:
    pages = getattr(picture, "n_frames", 1) if picture.format == "TIFF" else 1
    parts: list[Part] = []
    for number in range(1, pages + 1):
        if number > source.limits.max_pages or (number > 1 and source.out_of_time()):
            return parts, [_left_out(number, pages)]
        picture.seek(number - 1)
        text = ocr.recogniser().read(_upright(picture))
        if text:
            parts.append(Part(text=text, anchor=f"page={number}" if pages > 1 else ""))
    return parts, []


def _upright(picture: Image.Image) -> Image.Image:
    """A picture as it is looked at: turned as its camera says, on white where it is transparent, in RGB."""
    turned = ImageOps.exif_transpose(picture)
    if turned.has_transparency_data:
        layer = turned.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        turned = Image.alpha_composite(white, layer)
    return turned.convert("RGB")


def _left_out(number: int, pages: int) -> Notice:
    return Notice(
        en=f"Pages {number} to {pages} of the picture were left out: they are too many, or time was up.",
        zh=f"图片的第 {number} 至 {pages} 页未读入：页数过多，或时间已到。",
    )
