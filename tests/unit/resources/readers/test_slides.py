"""Presentations: a part a slide, from its title to the speaker's notes."""

from __future__ import annotations

from typing import Any

import pptx
import pytest
from pptx.util import Inches

from context.errors import ProjectionError
from tests.unit.resources.readers.files import read, saved, with_members


def test_slides_from_title_to_notes() -> None:
    deck: Any = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "路线图\x0bRoadmap"
    slide.placeholders[1].text = "first point\nsecond point"
    slide.placeholders[1].text_frame.paragraphs[1].level = 1
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(6), Inches(4), Inches(1)).table
    for place, text in enumerate(["季度", "Goal", "Q1", "ship it"]):
        table.cell(place // 2, place % 2).text = text
    upper = slide.shapes.add_textbox(Inches(1), 0, Inches(2), Inches(1))
    upper.text_frame.text = "above all"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(7), Inches(2), Inches(1)).text_frame.text = "in a group"
    slide.notes_slide.notes_text_frame.text = "say hello"
    deck.slides.add_slide(deck.slide_layouts[6])
    last = deck.slides.add_slide(deck.slide_layouts[5])
    last.shapes.title.text = "谢谢"
    document = read(saved(deck.save), "deck.pptx")
    first, third = document.parts
    assert document.title == first.heading == "路线图 Roadmap" and first.anchor == "slide=1"
    assert first.text == (
        "# 路线图 Roadmap\n\nabove all\n\n- first point\n  - second point\n\n"
        "| 季度 | Goal |\n| --- | --- |\n| Q1 | ship it |\n\nin a group\n\nNotes:\nsay hello"
    )
    assert (third.anchor, third.text) == ("slide=3", "# 谢谢")


def test_more_slides_than_allowed_are_told_and_none_with_words_is_a_reason() -> None:
    deck: Any = pptx.Presentation()
    for number in range(3):
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = f"slide {number}"
    document = read(saved(deck.save), "a.pptx", max_pages=2)
    assert len(document.parts) == 2 and document.notices == ("Only the first 2 of 3 slides were read.",)
    empty: Any = pptx.Presentation()
    empty.slides.add_slide(empty.slide_layouts[6])
    with pytest.raises(ProjectionError, match="no text in the presentation"):
        read(saved(empty.save), "a.pptx")


def test_the_words_of_a_diagram_are_read_from_its_own_part() -> None:
    deck: Any = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    main = "http://schemas.openxmlformats.org/drawingml/2006/main"
    diagram = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    frame = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="D"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm>'
        f'<a:graphic><a:graphicData uri="{diagram}"><dgm:relIds xmlns:dgm="{diagram}" xmlns:r="{relation}" r:dm="rD"/>'
        "</a:graphicData></a:graphic></p:graphicFrame></p:spTree>"
    )
    points = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in ("收集", "Decide", " "))
    raw = with_members(
        saved(deck.save),
        {
            "ppt/slides/slide1.xml": lambda old: old.replace(b"</p:spTree>", frame.encode()),
            "ppt/diagrams/data1.xml": f'<d xmlns:a="{main}">{points}</d>'.encode(),
            "ppt/slides/_rels/slide1.xml.rels": lambda old: old.replace(
                b"</Relationships>",
                f'<Relationship Id="rD" Type="{relation}/diagramData" Target="../diagrams/data1.xml"/>'
                "</Relationships>".encode(),
            ),
        },
    )
    assert read(raw, "a.pptx").text == "- 收集\n- Decide"
