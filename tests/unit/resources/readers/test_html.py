"""Web pages: the main content as Markdown, whatever encoding they are in, and nothing of what surrounds it."""

from __future__ import annotations

import pytest

from context.errors import ProjectionError
from context.types import SourceType
from tests.unit.resources.readers.files import read

ARTICLE = """<h1>迁移数据库</h1>
<p>我们决定把数据库迁移到 <a href="https://example.org/pg">PostgreSQL 18</a>，因为旧的数据库太慢了，用户越来越多。</p>
<h2>Steps</h2><ol><li>Take a backup of everything.</li><li>Restore it.</li></ol><ul><li>one bullet</li></ul>
<table><tr><th>Item</th><th>Price</th></tr><tr><td>Server</td><td>1,200 EUR</td></tr></table>
<p>Another paragraph, long enough to be the content, with a <a href="javascript:steal()">bad link</a> in it.</p>"""
PAGE = f"""<!doctype html><html><head><meta charset="CHARSET"><title>迁移数据库 - 技术博客</title>
<style>.hidden-style {{ color: red }}</style><script>var secretScript = 1;</script></head>
<body><nav><a href="/">Home menu</a></nav><div role="navigation">Side menu</div>
<article>{ARTICLE}</article><aside>Buy now</aside><noscript>Enable it</noscript>
<footer>Imprint</footer><script>moreScript()</script></body></html>"""


@pytest.mark.parametrize(
    ("says", "encoding"),
    [("utf-8", "utf-8"), ("gb2312", "gb18030"), ("GBK", "gbk"), ("gb2312", "utf-8"), ("big5", "utf-16")],
)
def test_main_content_as_markdown(says: str, encoding: str) -> None:
    document = read(PAGE.replace("CHARSET", says).encode(encoding), "page.html")
    assert document.title == "迁移数据库" and document.source_type is SourceType.WEB_CLIP and not document.notices
    text = document.text
    assert "[PostgreSQL 18](https://example.org/pg)，因为旧的数据库太慢了" in text
    assert "## Steps" in text and "1. Take a backup of everything.\n2. Restore it." in text and "- one bullet" in text
    assert "| Item | Price |\n|---|---|\n| Server | 1,200 EUR |" in text
    for never in ("menu", "Script", "hidden-style", "Buy now", "Imprint", "Enable it", "javascript"):
        assert never not in text


def test_the_media_type_may_name_the_encoding() -> None:
    page = "<html><body><p>今天讨论了数据库迁移的计划，大家一致同意。</p></body></html>"
    assert "一致同意" in read(page.encode("big5", "ignore"), "p", mime="text/html; charset=Big5").text


def test_an_encoding_that_no_page_is_in_is_not_used() -> None:
    page = '<html><head><meta charset="punycode"></head><body><p>今天的会议决定采用新的数据库。</p></body></html>'
    assert "决定采用新的数据库" in read(page.encode("gb18030"), "a.html").text


def test_without_a_main_content_the_whole_page_is_taken_and_said() -> None:
    rows = "".join(f"<div><a href='/{n}'>项目 {n}</a><button>Go</button></div>" for n in range(80))
    page = f"<body><ul class='main-menu'><li>Menu</li></ul><div>{rows}</div></body>"
    document = read(page.encode(), "a.html")
    assert len(document.notices) == len(document.notices_zh) == 1 and "could not be told" in document.notices[0]
    assert document.text.startswith("项目 0\n") and document.text.endswith("\n项目 79")
    assert "Go" not in document.text and "Menu" not in document.text


def test_questions_that_open_their_answers_are_kept() -> None:
    faq = "".join(f"<h3><button>Question {n}?</button></h3><p>The answer to number {n} is this.</p>" for n in range(9))
    text = read(f"<html><body><main>{faq}</main></body></html>".encode(), "faq.html").text
    assert "### Question 3?\n\nThe answer to number 3 is this." in text


@pytest.mark.parametrize(
    "page",
    [
        '<html><head><title>App</title></head><body><div id="root"></div><noscript>Enable JS</noscript></body></html>',
        "<html><head><style>p{}</style></head><body><script>document.write('words')</script></body></html>",
        "<!-- only a comment -->",
        " \n ",
    ],
    ids=["shell", "script", "comment", "blank"],
)
def test_a_page_without_words_is_a_reason(page: str) -> None:
    with pytest.raises(ProjectionError, match="no text in the page") as caught:
        read(page.encode(), "a.html")
    assert caught.value.zh and "PDF" in (caught.value.hint or "")


def test_a_binary_with_the_name_of_a_page_is_a_reason() -> None:
    with pytest.raises(ProjectionError, match=r"binary|encoding") as caught:
        read(bytes(range(256)) * 20, "a.html")
    assert caught.value.zh


def test_a_picture_inside_a_page_costs_nothing() -> None:
    page = PAGE.replace("CHARSET", "utf-8").replace("<h2>", f'<img src="data:image/png;base64,{"A" * 2_000_000}"><h2>')
    assert "AAAA" not in read(page.encode(), "a.html").text
