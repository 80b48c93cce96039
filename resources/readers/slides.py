"""Presentations: one part a slide, its title as a heading, then texts, tables, diagrams, and the speaker's notes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn

from context.condense import one_line
from context.types import SourceType
from resources.readers import markdown
from resources.readers.document import Document, Notice, Part, assemble
from resources.readers.source import Source, damaged, without_text

_DEEPEST_GROUP = 10
_FURNITURE = frozenset({PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE})
_LISTS = frozenset({PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT})


def read(source: Source) -> Document:
    """One part a slide that holds words, anchored `slide=N`; shapes from the top down, then from the left.

    Raises:
        ProjectionError: damaged, or without text.
    """
    try:
        deck = Presentation(io.BytesIO(source.raw))
        slides = list(deck.slides)
    except (PythonPptxError, KeyError, ValueError) as error:
        raise damaged("a presentation", "演示文稿", type(error).__name__) from error
    parts = [_slide(slide, number) for number, slide in enumerate(slides[: source.limits.max_pages], start=1)]
    parts = [part for part in parts if part.text]
    if not parts:
        raise without_text("presentation", "演示文稿")
    title = one_line(str(deck.core_properties.title or ""))
    return assemble(
        title=title if title and title != "PowerPoint Presentation" else parts[0].heading or source.stem,
        parts=parts,
        source_type=SourceType.MARKDOWN_IMPORT,
        limits=source.limits,
        notices=[_left_out(source.limits.max_pages, len(slides))] if len(slides) > source.limits.max_pages else [],
    )


def _slide(slide: Any, number: int) -> Part:
    title_shape = slide.shapes.title
    title = one_line(title_shape.text_frame.text) if title_shape is not None else ""
    blocks = [markdown.heading(1, title)] if title else []
    shapes = [shape for shape in slide.shapes if title_shape is None or shape.shape_id != title_shape.shape_id]
    for shape in sorted(shapes, key=_place):
        blocks += [block for block in _blocks(shape, slide, 0) if block]
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = _lines(slide.notes_slide.notes_text_frame, as_list=False)
        blocks += [f"Notes:\n{notes}"] if notes else []
    return Part(text="\n\n".join(blocks), anchor=f"slide={number}", heading=title)


def _place(shape: Any) -> tuple[int, int]:
    return (shape.top or 0, shape.left or 0)


def _blocks(shape: Any, slide: Any, depth: int) -> Iterator[str]:
    kind = shape.placeholder_format.type if shape.is_placeholder else None
    if kind in _FURNITURE:
        return
    if hasattr(shape, "shapes"):
        for inner in sorted(shape.shapes, key=_place) if depth < _DEEPEST_GROUP else ():
            yield from _blocks(inner, slide, depth + 1)
    elif shape.has_text_frame:
        yield _lines(shape.text_frame, as_list=kind in _LISTS)
    elif shape.has_table:
        rows = [[one_line(cell.text) for cell in row.cells] for row in shape.table.rows]
        rows = [row for row in rows if any(row)]
        yield markdown.table(rows[0], rows[1:]) if rows else ""
    else:
        yield _diagram(shape, slide)


def _lines(frame: Any, *, as_list: bool) -> str:
    """The paragraphs of a text frame; more than one of a list, and all that are indented, become list items."""
    paragraphs = [(paragraph.level or 0, one_line(paragraph.text)) for paragraph in frame.paragraphs]
    paragraphs = [(level, text) for level, text in paragraphs if text]
    listed = as_list and len(paragraphs) > 1
    return "\n".join(f"{'  ' * level}- {text}" if listed or level else text for level, text in paragraphs)


def _diagram(shape: Any, slide: Any) -> str:
    """The words of a diagram (SmartArt), which lie in a part of their own (ECMA-376 part 1, 21.4)."""
    ids = shape._element.find(f".//{qn('a:graphicData')}/*[@{qn('r:dm')}]")
    if ids is None:
        return ""
    try:
        data = parse_xml(slide.part.related_part(ids.get(qn("r:dm"))).blob)
    except KeyError:
        return ""
    paragraphs = ("".join(run.text or "" for run in words.iter(qn("a:t"))) for words in data.iter(qn("a:p")))
    return "\n".join(f"- {one_line(text)}" for text in paragraphs if text.strip())


def _left_out(most: int, count: int) -> Notice:
    return Notice(
        en=f"Only the first {most} of {count} slides were read.", zh=f"共 {count} 张幻灯片，只读入了前 {most} 张。"
    )
