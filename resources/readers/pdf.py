"""PDF files by PDFium: one part a page; pages that are only pictures are read by OCR where that is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pypdfium2
from pypdfium2 import raw as pdfium

from context.condense import one_line
from context.errors import ProjectionError
from context.types import SourceType
from resources.readers import ocr
from resources.readers.document import Document, Notice, Part, assemble
from resources.readers.source import Source, damaged, locked, without_text

if TYPE_CHECKING:
    from PIL import Image

_LINE_END_HYPHEN = "\ufffe"
"""How PDFium writes a hyphen at the end of a line together with the line end; the file's own text has both."""
_FEW_CHARACTERS = 24
_PICTURE_SHARE = 0.4
"""A page with fewer characters (a stamp, a page number) under a picture of this share of it or more is a scan."""
_UNREADABLE_SHARE = 0.3
_MOST_MARKS = 5_000
_SHOWN_PAGES = 20


def read(source: Source) -> Document:
    """One part a page with words, anchored `page=N`, under the outline's entry for it.

    Raises:
        ProjectionError: locked, damaged, or without a word.
    """
    try:
        document = pypdfium2.PdfDocument(source.raw)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise locked() from error
        raise damaged("a PDF", "PDF", f"code {error.err_code}") from error
    with closing(document):
        reading = _Reading(document, source)
        parts = list(reading.parts())
        if not parts:
            raise reading.nothing()
        return assemble(
            title=_title(document) or source.stem,
            parts=parts,
            source_type=SourceType.OCR_TEXT if reading.recognised == len(parts) else SourceType.PDF_TEXT,
            limits=source.limits,
            notices=reading.notices(),
        )


class _Reading:
    """One pass over the pages: how many were read from pictures, and which could not be read and why."""

    def __init__(self, document: Any, source: Source) -> None:
        self.recognised = 0
        self.unread: list[int] = []
        self._late: list[int] = []
        self._broken: list[int] = []
        self._document = document
        self._source = source

    def parts(self) -> Iterator[Part]:
        headings = _headings(self._document)
        heading = ""
        for number in range(1, min(len(self._document), self._source.limits.max_pages) + 1):
            heading = headings.get(number, heading)
            text = self._page(number)
            if text:
                yield Part(text=text, anchor=f"page={number}", heading=heading)

    def nothing(self) -> ProjectionError:
        """Why not one page has words."""
        if self.unread:
            return ProjectionError(
                "The pages of the PDF are pictures, and what reads pictures is not installed.",
                hint=f"Install it with {ocr.INSTALL}.",
                zh=f"PDF 的各页都是图片，而未安装文字识别组件；请运行 {ocr.INSTALL}。",
            )
        if self._late:
            return ProjectionError(
                "The pages of the PDF are pictures, and time was up before the first was read.",
                zh="PDF 的各页都是图片，时间已到，未能识别。",
            )
        return damaged("a PDF", "PDF") if self._broken else without_text("PDF", "PDF ")

    def notices(self) -> list[Notice]:
        found = []
        if self.unread:
            found.append(
                Notice(
                    en=f"Pages {_ranges(self.unread)} are pictures and were not read; {ocr.INSTALL} reads them.",
                    zh=f"第 {_ranges(self.unread)} 页是图片，未读入；运行 {ocr.INSTALL} 后可以识别。",
                )
            )
        if self._late:
            found.append(
                Notice(
                    en=f"Pages {_ranges(self._late)} are pictures and were left out: time was up.",
                    zh=f"第 {_ranges(self._late)} 页是图片，因时间已到未读入。",
                )
            )
        if self._broken:
            found.append(
                Notice(
                    en=f"Pages {_ranges(self._broken)} are damaged and were left out.",
                    zh=f"第 {_ranges(self._broken)} 页已损坏，未读入。",
                )
            )
        pages, most = len(self._document), self._source.limits.max_pages
        if pages > most:
            found.append(
                Notice(
                    en=f"Only the first {most} of {pages} pages were read.", zh=f"共 {pages} 页，只读入了前 {most} 页。"
                )
            )
        return found

    def _page(self, number: int) -> str:
        try:
            with closing(self._document[number - 1]) as page, closing(page.get_textpage()) as words:
                text = _tidy(words.get_text_range())  # the bounded one loses the line ends of turned pages
                return self._recognised(page, number) or text if _is_picture(page, text) else text
        except pypdfium2.PdfiumError:
            self._broken.append(number)
            return ""

    def _recognised(self, page: Any, number: int) -> str:
        if not ocr.available():
            self.unread.append(number)
            return ""
        if self._source.out_of_time():
            self._late.append(number)
            return ""
        text = ocr.recogniser().read(_picture_of(page))
        self.recognised += bool(text)
        return text


def _is_picture(page: Any, text: str) -> bool:
    """Whether a page must be looked at to be read: drawn or scanned, or in a font that does not say its characters."""
    if len(text) >= _FEW_CHARACTERS:
        odd = sum(c == "\ufffd" or "\ue000" <= c <= "\uf8ff" or c < "\t" for c in text)
        return odd > _UNREADABLE_SHARE * len(text)
    if not text:
        return next(iter(page.get_objects(max_depth=1)), None) is not None
    width, height = page.get_size()
    for picture in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3):
        left, bottom, right, top = picture.get_bounds()
        if (right - left) * (top - bottom) >= _PICTURE_SHARE * width * height:
            return True
    return False


def _picture_of(page: Any) -> Image.Image:
    """The page as a picture, 200 dots an inch if that is not larger than what recognition uses."""
    long_side = max(1.0, *page.get_size())
    picture: Image.Image = page.render(scale=min(200 / 72, ocr.LONG_SIDE / long_side)).to_pil()
    return picture.convert("RGB")


def _tidy(text: str) -> str:
    """PDFium's text with our line ends, its hyphens at line ends as they stand in the file, no blanks at line ends."""
    lines = text.replace(_LINE_END_HYPHEN, "-\n").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _title(document: Any) -> str:
    title = one_line(document.get_metadata_value("Title")).removeprefix("Microsoft Word - ")
    return "" if title.lower() in ("untitled", "无标题") else title


def _headings(document: Any) -> dict[int, str]:
    """The last entry of the outline that begins on each page, with those above it: `Part / Chapter`."""
    found: dict[int, str] = {}
    path: list[str] = []
    for count, mark in enumerate(document.get_toc(max_depth=6)):
        if count == _MOST_MARKS:
            break
        target = mark.get_dest()
        path = [*path[: mark.level], one_line(mark.get_title())]
        page = target.get_index() if target is not None else None
        if page is not None:
            found[page + 1] = " / ".join(filter(None, path))
    return found


def _ranges(pages: Sequence[int]) -> str:
    """Numbers in order as `3, 5-9`."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:_SHOWN_PAGES]]
    return ", ".join(shown) + (", …" if len(runs) > _SHOWN_PAGES else "")
