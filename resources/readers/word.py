"""Word documents: headings, paragraphs, lists and tables in their order as Markdown; headers and footers left out."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml

from context.condense import one_line
from context.types import SourceType
from resources.readers import markdown
from resources.readers.document import Document, Part, assemble
from resources.readers.numbering import Numbering
from resources.readers.source import Source, damaged, without_text

_HEADING = re.compile(r"(?:heading|标题)\s*([1-9])", re.IGNORECASE)
_TITLE = frozenset({"title", "标题"})
_CONTENTS = re.compile(r"(?:toc|目录)\s*\d", re.IGNORECASE)
_ORDINARY_NUMBER = re.compile(r"\d{1,4}[.)]\Z")
_DEEPEST_STYLE = 20
_M_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TEXT = frozenset({qn("w:t"), _M_TEXT})
_LEFT_OUT = frozenset(qn(f"w:{name}") for name in ("del", "moveFrom", "pPr", "rPr", "instrText")) | {_FALLBACK}
_WRITTEN_AS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_INSIDE = frozenset(qn(f"w:{name}") for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"))
_BOX = qn("w:txbxContent")


@dataclass(frozen=True, slots=True)
class _Style:
    name: str = ""
    base: str = ""
    outline: int | None = None
    list_id: str = ""
    depth: int | None = None


def read(source: Source) -> Document:
    """One part: the document's body, its text boxes after the paragraphs they hang on, its footnotes at the end.

    Text that was deleted under change tracking is left out, what was inserted is in. The numbers that Word makes by
    itself are written out.

    Raises:
        ProjectionError: damaged, or without text.
    """
    try:
        document = docx.Document(io.BytesIO(source.raw))
    except (PackageNotFoundError, KeyError, ValueError) as error:
        raise damaged("a Word document", "Word 文档", type(error).__name__) from error
    reading = _Reading(document)
    text = "\n\n".join(reading.blocks(document.element.body)).strip()
    notes = reading.footnotes()
    if not text:
        raise without_text("document", "文档")
    title = one_line(str(document.core_properties.title or "")) or reading.first_heading or source.stem
    return assemble(
        title=title,
        parts=[Part(text="\n\n".join([text, *notes]))],
        source_type=SourceType.MARKDOWN_IMPORT,
        limits=source.limits,
    )


class _Reading:
    """One pass over a document: its styles, the lists counted so far, the footnotes referred to."""

    def __init__(self, document: Any) -> None:
        self.first_heading = ""
        self._part = document.part
        self._styles = {
            str(element.get(qn("w:styleId"))): _style(element)
            for element in document.styles.element.findall(qn("w:style"))
        }
        numbering = self._related(RELATIONSHIP_TYPE.NUMBERING)
        self._numbering = Numbering(None if numbering is None else numbering.element)
        self._footnotes: dict[str, int] = {}

    def blocks(self, parent: Any) -> Iterator[str]:
        """The blocks of a body, a cell or a text box as Markdown, list items that follow each other in one block."""
        items: list[str] = []
        for element in _children(parent):
            block, is_item = self._paragraph(element) if element.tag == qn("w:p") else (self._table(element), False)
            boxes = [text for box in _boxes(element) for text in self.blocks(box)] if element.tag == qn("w:p") else []
            if block and is_item:
                items.append(block)
            if items and (boxes or (block and not is_item)):
                yield "\n".join(items)
                items = []
            if block and not is_item:
                yield block
            yield from boxes
        if items:
            yield "\n".join(items)

    def footnotes(self) -> list[str]:
        """The footnotes that the text refers to, `[^1]: …`."""
        part = self._related(RELATIONSHIP_TYPE.FOOTNOTES)
        if part is None or not self._footnotes:
            return []
        texts = {
            note.get(qn("w:id")): one_line(" ".join(self._text(paragraph) for paragraph in note.iter(qn("w:p"))))
            for note in parse_xml(part.blob).findall(qn("w:footnote"))
        }
        return [f"[^{number}]: {texts[name]}" for name, number in self._footnotes.items() if texts.get(name)]

    def _related(self, relationship: str) -> Any:
        try:
            return self._part.part_related_by(relationship)
        except KeyError:
            return None

    def _paragraph(self, element: Any) -> tuple[str, bool]:
        """A paragraph as Markdown, and whether it is an item of a list."""
        text = self._text(element).strip()
        properties = element.find(qn("w:pPr"))
        style = self._style_of(properties)
        label = None
        list_id = _value(properties, "w:numPr/w:numId") or style.list_id
        if list_id not in ("", "0"):
            depth = _value(properties, "w:numPr/w:ilvl")
            label = self._numbering.label(list_id, int(depth) if depth.isdigit() else style.depth or 0)
        if not text or _CONTENTS.match(style.name):
            return "", False
        level = _heading_level(style, _value(properties, "w:outlineLvl"))
        before = f"{label.text} " if label and label.text else ""
        if level:
            self.first_heading = self.first_heading or before + one_line(text)
            return markdown.heading(level, before + text), False
        if label is None:
            return text, False
        indent = "  " * label.depth
        if label.bullet:
            return f"{indent}- {one_line(text)}", True
        if _ORDINARY_NUMBER.match(label.text):
            return f"{'   ' * label.depth}{label.text} {one_line(text)}", True
        return before + text, False

    def _style_of(self, properties: Any) -> _Style:
        """The style of a paragraph with what it inherits."""
        name = _value(properties, "w:pStyle")
        style = self._styles.get(name, _Style())
        outline, list_id, depth, base = style.outline, style.list_id, style.depth, style.base
        for _ in range(_DEEPEST_STYLE):
            above = self._styles.get(base)
            if above is None:
                break
            outline = above.outline if outline is None else outline
            list_id, depth = (above.list_id, above.depth) if not list_id else (list_id, depth)
            base = above.base
        return _Style(style.name, "", outline, list_id, depth)

    def _table(self, element: Any) -> str:
        if element.tag != qn("w:tbl"):
            return ""
        rows = [row for row in (self._row(row) for row in _children(element) if row.tag == qn("w:tr")) if any(row)]
        width = max((len(row) for row in rows), default=0)
        if width == 1:  # a frame around text, not a table
            return "\n\n".join(row[0] for row in rows)
        return markdown.table([*rows[0], *[""] * (width - len(rows[0]))], rows[1:]) if rows else ""

    def _row(self, row: Any) -> list[str]:
        """Cells of a row; one that spans columns fills the first of them, one that goes on from above none."""
        cells: list[str] = []
        for cell in _children(row):
            if cell.tag != qn("w:tc"):
                continue
            merged = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
            goes_on = merged is not None and merged.get(qn("w:val")) != "restart"
            cells.append("" if goes_on else "\n".join(self.blocks(cell)))
            span = _value(cell.find(qn("w:tcPr")), "w:gridSpan")
            cells += [""] * (min(int(span), 100) - 1 if span.isdigit() else 0)
        return cells

    def _text(self, element: Any) -> str:
        """The words of a paragraph, without those of text boxes in it."""
        pieces: list[str] = []
        for child in element:
            if child.tag in _TEXT:
                pieces.append(child.text or "")
            elif child.tag in _WRITTEN_AS:
                pieces.append(_WRITTEN_AS[child.tag])
            elif child.tag == qn("w:footnoteReference"):
                number = self._footnotes.setdefault(str(child.get(qn("w:id"))), len(self._footnotes) + 1)
                pieces.append(f"[^{number}]")
            elif child.tag not in _LEFT_OUT and child.tag != _BOX:
                pieces.append(self._text(child))
        return "".join(pieces)


def _children(parent: Any) -> Iterator[Any]:
    """Paragraphs, tables, rows, cells: the children of an element, through content controls and tracked insertions."""
    for child in parent:
        if child.tag in _INSIDE:
            yield from _children(child)
        else:
            yield child


def _boxes(paragraph: Any) -> Iterator[Any]:
    """The text boxes that hang on a paragraph; of the two forms Word writes for each, the newer."""
    for box in paragraph.iter(_BOX):
        above = [ancestor.tag for ancestor in box.iterancestors() if ancestor is not paragraph]
        inner = above[: above.index(paragraph.tag)] if paragraph.tag in above else above
        if _FALLBACK not in inner and _BOX not in inner:
            yield box


def _style(element: Any) -> _Style:
    properties = element.find(qn("w:pPr"))
    outline, depth = _value(properties, "w:outlineLvl"), _value(properties, "w:numPr/w:ilvl")
    return _Style(
        _value(element, "w:name"),
        _value(element, "w:basedOn"),
        int(outline) if outline.isdigit() else None,
        _value(properties, "w:numPr/w:numId"),
        int(depth) if depth.isdigit() else None,
    )


def _heading_level(style: _Style, outline: str) -> int:
    """1 to 9 for a heading, else 0."""
    if found := _HEADING.match(style.name):
        return int(found[1])
    if style.name.lower() in _TITLE:
        return 1
    level = int(outline) if outline.isdigit() else style.outline
    return level + 1 if level is not None and level < 9 else 0


def _value(element: Any, path: str) -> str:
    """The `w:val` of an element below another one, or nothing."""
    found = None if element is None else element.find("/".join(qn(step) for step in path.split("/")))
    return "" if found is None else str(found.get(qn("w:val")) or "")
