"""Web pages: their main content as Markdown, without menus, scripts and styles. Only bytes are read, no address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import lxml.html
import trafilatura
from lxml import etree

from context.condense import one_line
from context.errors import ProjectionError
from context.types import SourceType
from resources.readers.document import Document, Notice, Part, assemble
from resources.readers.encoding import decoded_page
from resources.readers.source import Source, damaged

_DATA = re.compile(r"data:[\w.+/-]{0,80};base64,[A-Za-z0-9+/=\s]{200,}")
_XML_HEAD = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
_NEVER = (
    "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas", "nav", "select", "input",
    "textarea", "dialog", "link", "head",
)  # fmt: skip
_NEVER_PATH = " | ".join(
    [
        *(f"//{name}" for name in _NEVER),
        f"//button[not({' or '.join(f'ancestor::h{level}' for level in range(1, 7))})]",  # in a heading it opens a part
        "//comment()",
        "//processing-instruction()",
        "//*[@hidden]",
        "//*[@role='navigation' or @role='menu' or @role='menubar' or @role='search' or @role='dialog']",
        "//*[contains(translate(@style, ' ', ''), 'display:none')]",
    ]
)
_AROUND_PATH = (
    "//header[not(ancestor::article or ancestor::main)] | //footer | //aside"
    " | //*[@role='banner' or @role='contentinfo']"
    " | //*[self::div or self::ul or self::ol or self::section][@class or @id]"
)
_AROUND_NAMES = re.compile(
    r"(?:\A|\s)(?:(?:main|top|site|page)[-_]?)?(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|footer|cookies?)(?:\s|\Z)",
    re.IGNORECASE,
)
_SAFE_LINK = re.compile(r"(?:https?:|mailto:|tel:|[^:]*(?:[/?#]|\Z))", re.IGNORECASE)
_BLOCKS = frozenset(
    (
        "address", "article", "blockquote", "body", "br", "caption", "center", "dd", "details", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li",
        "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
    )
)  # fmt: skip
_CELLS = frozenset({"td", "th", "label"})
_STRUCTURE = re.compile(r"\s*(?:[-*|#>`]|\d+\.\s)")
_FEW_LINES = 3
_LITTLE = 200
_LITTLE_SHARE = 0.25


def read(source: Source) -> Document:
    """One part: the main content, or the whole page's words with a notice when the main content cannot be told.

    Raises:
        ProjectionError: no text file, no web page, or a page without words (one that scripts would have filled).
    """
    text = _DATA.sub("data:,", decoded_page(source.raw, source.mime))
    tree = _tree(_XML_HEAD.sub("", text, count=1))
    title = _title(tree)
    for element in tree.xpath(_NEVER_PATH):
        _drop(element)
    for button in list(tree.iter("button")):
        button.drop_tag()
    for link in tree.iter("a"):
        if not _SAFE_LINK.match((link.get("href") or "").strip()):
            link.tag = "span"
    content = _tidy(_main_content(tree))
    for element in tree.xpath(_AROUND_PATH):
        if element.tag not in ("div", "ul", "ol", "section") or _is_around(element):
            _drop(element)
    whole = _tidy("".join(_words(tree)))
    notices = []
    little = len(content) < _LITTLE and len(content) < _LITTLE_SHARE * len(whole)
    if whole and (little or _is_last_resort(content)):
        content = whole
        notices.append(
            Notice(
                en="The main content of the page could not be told; all its text was taken.",
                zh="无法判断网页的正文，已读入整页文字。",
            )
        )
    if not content:
        raise _empty()
    return assemble(
        title=title or source.stem,
        parts=[Part(text=content)],
        source_type=SourceType.WEB_CLIP,
        limits=source.limits,
        notices=notices,
    )


def _tree(text: str) -> Any:
    parser = lxml.html.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        return lxml.html.document_fromstring(text, parser=parser)
    except etree.ParserError as error:  # there is no element in it
        raise _empty() from error
    except (etree.LxmlError, ValueError) as error:
        raise damaged("a web page", "网页", type(error).__name__) from error


def _empty() -> ProjectionError:
    return ProjectionError(
        "There is no text in the page; a script may have to run to fill it.",
        hint="Open it in a browser and save it as a PDF, or copy its text.",
        zh="网页里没有文字，可能要运行脚本才会显示；请在浏览器中打开后另存为 PDF，或复制其文字。",
    )


def _title(tree: Any) -> str:
    """What the page shows as its title: its first heading that the window's title holds, else that title."""
    headings = [one_line(heading.text_content()) for heading in tree.iter("h1")]
    window = one_line("".join(tree.xpath("(//title)[1]//text()")))
    shared = one_line("".join(tree.xpath("//meta[@property='og:title']/@content")[:1]))
    for heading in headings:
        if heading and (heading in window or heading in shared):
            return heading
    return shared or window or next(filter(None, headings), "")


def _main_content(tree: Any) -> str:
    try:
        found = trafilatura.extract(
            tree,
            output_format="markdown",
            include_formatting=True,
            include_links=True,
            include_tables=True,
            include_comments=False,
        )
    except RecursionError:  # elements nested by the thousand: its words are taken as a whole
        return ""
    return found or ""


def _is_last_resort(content: str) -> bool:
    """Whether trafilatura gave all words of the page, as it does when it finds no content: lines and no structure."""
    lines = content.split("\n")
    return len(lines) > _FEW_LINES and all(lines) and not any(_STRUCTURE.match(line) for line in lines)


def _is_around(element: Any) -> bool:
    return _AROUND_NAMES.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None


def _words(tree: Any) -> Iterator[str]:
    """All words of a page: a line for each block, cells of a row side by side."""
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        if element.tag in _BLOCKS:
            yield "\n"
        if event == "start":
            yield element.text or ""
        else:
            yield "\t" if element.tag in _CELLS else ""
            yield element.tail or ""


def _drop(element: Any) -> None:
    parent = element.getparent()
    if parent is not None:
        element.drop_tree()


def _tidy(text: str) -> str:
    """Lines without blanks at their ends, at most one empty line between two."""
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip()
