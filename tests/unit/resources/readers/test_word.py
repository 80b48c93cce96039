"""Word documents as Markdown, in the order of the page, as Word shows them."""

from __future__ import annotations

from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from context.errors import ProjectionError
from tests.unit.resources.readers.files import read, saved, with_members


def written(document: Any) -> bytes:
    return saved(document.save)


def add(document: Any, xml: str) -> None:
    """Put raw WordprocessingML at the end of the body."""
    body = document.element.body
    body.insert(len(body) - 1, parse_xml(xml.replace(">", f" {nsdecls('w')}>", 1)))


def test_headings_lists_and_tables_in_order() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Confidential header"
    document.add_heading("年度报告", 0)
    document.add_heading("Decisions", 2)
    document.add_paragraph("We decided\nto move.")
    for text in ("first", "second"):
        document.add_paragraph(text, style="List Number")
    document.add_paragraph("bullet", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for place, text in enumerate(["项目", "价格 | EUR", "Server\nbig", "1,200"]):
        table.cell(place // 2, place % 2).text = text
    document.add_paragraph("结束。")
    document.core_properties.title = ""
    read_back = read(written(document), "report.docx")
    assert read_back.title == "年度报告"
    assert read_back.text == (
        "# 年度报告\n\n## Decisions\n\nWe decided\nto move.\n\n1. first\n2. second\n- bullet\n\n"
        "| 项目 | 价格 \\| EUR |\n| --- | --- |\n| Server big | 1,200 |\n\n结束。"
    )


def test_the_title_of_the_properties_goes_first() -> None:
    document = docx.Document()
    document.add_heading("A heading", 1)
    document.core_properties.title = "The title"
    assert read(written(document), "a.docx").title == "The title"


def test_tracked_changes_controls_and_fields_are_as_shown() -> None:
    document = docx.Document()
    add(
        document,
        "<w:p><w:r><w:t xml:space='preserve'>Price: </w:t></w:r><w:del><w:r><w:delText>100</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>200</w:t></w:r></w:ins><w:r><w:tab/><w:t>EUR</w:t></w:r>"
        "<w:r><w:instrText> PAGE </w:instrText></w:r></w:p>",
    )
    add(document, "<w:sdt><w:sdtContent><w:p><w:r><w:t>inside a control</w:t></w:r></w:p></w:sdtContent></w:sdt>")
    assert read(written(document), "a.docx").text == "Price: 200\tEUR\n\ninside a control"


def test_merged_cells_are_said_once_and_frames_are_no_tables() -> None:
    document = docx.Document()
    table = document.add_table(rows=3, cols=3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "tall"
    table.cell(1, 1).text = "a"
    table.cell(2, 2).text = "b"
    frame = document.add_table(rows=1, cols=1)
    frame.cell(0, 0).text = "framed"
    assert read(written(document), "a.docx").text == (
        "| wide |  |  |\n| --- | --- | --- |\n| tall | a |  |\n|  |  | b |\n\nframed"
    )


def test_numbers_that_word_makes_are_written_out() -> None:
    document = docx.Document()
    numbering = document.part.numbering_part.element
    levels = "".join(
        f"<w:lvl w:ilvl='{depth}'><w:start w:val='1'/><w:numFmt w:val='{form}'/><w:lvlText w:val='{text}'/></w:lvl>"
        for depth, (form, text) in enumerate(
            [("chineseCounting", "第%1条"), ("decimal", "%1.%2"), ("upperRoman", "%3)")]
        )
    )
    numbering.insert(0, parse_xml(f"<w:abstractNum {nsdecls('w')} w:abstractNumId='77'>{levels}</w:abstractNum>"))
    numbering.append(parse_xml(f"<w:num {nsdecls('w')} w:numId='77'><w:abstractNumId w:val='77'/></w:num>"))
    for depth, text in [(0, "总则"), (1, "scope"), (1, "terms"), (2, "x"), (0, "责任"), (1, "who")]:
        add(
            document,
            f"<w:p><w:pPr><w:numPr><w:ilvl w:val='{depth}'/><w:numId w:val='77'/></w:numPr></w:pPr>"
            f"<w:r><w:t>{text}</w:t></w:r></w:p>",
        )
    assert read(written(document), "a.docx").text.split("\n\n") == [
        "第一条 总则", "一.1 scope", "一.2 terms", "I) x", "第二条 责任", "二.1 who",
    ]  # fmt: skip


def test_text_boxes_once_and_footnotes_at_the_end() -> None:
    document = docx.Document()
    box = "<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent>"
    spaces = nsdecls("w") + ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    body = document.element.body
    body.insert(
        0,
        parse_xml(
            f"<w:p {spaces}><w:r><w:t>before</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires='wps'>{box}"
            f"</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>"
            "<w:r><w:footnoteReference w:id='2'/></w:r></w:p>"
        ),
    )
    notes = (
        f"<w:footnotes {nsdecls('w')}><w:footnote w:id='2'><w:p><w:r><w:t>资料来源</w:t></w:r></w:p></w:footnote>"
        "<w:footnote w:id='3'><w:p><w:r><w:t>not referred to</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    content = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    raw = with_members(
        written(document),
        {
            "word/footnotes.xml": notes.encode(),
            "word/_rels/document.xml.rels": lambda old: old.replace(
                b"</Relationships>",
                f'<Relationship Id="rF" Type="{kind}" Target="footnotes.xml"/></Relationships>'.encode(),
            ),
            "[Content_Types].xml": lambda old: old.replace(
                b"</Types>", f'<Override PartName="/word/footnotes.xml" ContentType="{content}"/></Types>'.encode()
            ),
        },
    )
    assert read(raw, "a.docx").text == "before[^1]\n\nboxed\n\n[^1]: 资料来源"


def test_no_file_of_the_machine_comes_in_through_an_entity() -> None:
    document = docx.Document()
    document.add_paragraph("MARK")
    raw = with_members(
        written(document),
        {
            "word/document.xml": lambda old: (
                b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
                + old[old.index(b"<w:document") :].replace(b"MARK", b"start &e; end")
            )
        },
    )
    assert read(raw, "a.docx").text.replace("end", "").strip() == "start"


def test_an_empty_document_is_a_reason() -> None:
    with pytest.raises(ProjectionError, match="no text in the document"):
        read(written(docx.Document()), "a.docx")
