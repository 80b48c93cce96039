"""Chunks are verbatim, cover everything, and are cut where sense allows."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.derived import Chunk
from context.text import conclusion_of
from resources.chunking import chunk_identity, chunk_markdown
from resources.splitting import AIM_HIGH, AIM_LOW, MAX_CHUNK, MAX_OVERLAP
from tests.support.hangs import HANGS

RECORD = "0b6c8f4e-record"
PIECES = st.sampled_from(
    [
        "# 标题\n", "## Section\n", "Setext\n===\n", "- item one\n", "  continued\n", "1. first\n", "\n", "\r\n",
        "text\r\n", "A paragraph line with some words. And more of them here,\n", "我们决定采用方案二，因为它便宜。\n",
        "> quoted\n", "---\n", "```py\n", "x = 1\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "[ref]: http://a.example\n",
        "<div>\n", "    indented\n", "y" * 1_600 + "\n", "句子很短，但是很多。" * 200 + "\n",
        "word after word " * 120 + "\n", "\x00\x0b\u2028odd\n", "👨\u200d👩\u200d👧" * 400 + "\n",
        "No stop at the end of this rather long line of prose which goes on\n" * 30,
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=30), max_size=40).map("".join)


def chunks_of(text: str, first_line: int = 1) -> list[Chunk]:
    return chunk_markdown(text, record_id=RECORD, first_line=first_line)


@given(TEXTS, st.integers(1, 50))
def test_chunks_are_verbatim_cover_every_line_and_keep_their_sizes(text: str, first_line: int) -> None:
    lines = text.split("\n")
    chunks = chunks_of(text, first_line)
    covered: dict[int, str] = {}
    for ordinal, chunk in enumerate(chunks):
        assert (chunk.ordinal, chunk.count) == (ordinal, len(chunks))
        assert 0 < len(chunk.text) <= MAX_CHUNK
        assert chunk.text.strip()
        first, last = chunk.first_line - first_line, chunk.last_line - first_line
        source = "\n".join(lines[first : last + 1]).removesuffix("\r")
        assert chunk.text == source or (first == last and len(lines[first]) > MAX_CHUNK and chunk.text in source)
        for number in range(first, last + 1):
            covered[number] = covered.get(number, "") + (chunk.text if first == last else lines[number])
    for number, line in enumerate(lines):
        assert "".join(line.split()) == "" or len("".join(covered[number].split())) >= len("".join(line.split()))


@given(TEXTS)
def test_chunking_is_repeatable_and_ids_are_distinct(text: str) -> None:
    once = chunks_of(text)
    assert once == chunks_of(text)
    assert len({chunk.chunk_id for chunk in once}) == len(once)
    others = {chunk.chunk_id for chunk in chunk_markdown(text, record_id="another")}
    assert others.isdisjoint(chunk.chunk_id for chunk in once)


def test_identity_is_record_content_and_ordinal() -> None:
    (chunk,) = chunks_of("hello")
    assert chunk.chunk_id == chunk_identity(RECORD.encode(), "hello", 0)
    assert len(chunk.chunk_id) == 32
    assert chunk_markdown("hello", record_id=RECORD.encode())[0].chunk_id == chunk.chunk_id


def test_sections_keep_their_heading_path_and_do_not_mix() -> None:
    text = "Intro.\n\n# Alpha\n\nOne.\n\n## **Beta** [link](http://x.example)\n\nTwo.\n\n# Gamma\n\nThree.\n"
    assert [(c.heading, c.text, c.first_line, c.last_line) for c in chunks_of(text)] == [
        ("", "Intro.", 1, 1),
        ("Alpha", "# Alpha\n\nOne.", 3, 5),
        ("Alpha / Beta link", "## **Beta** [link](http://x.example)\n\nTwo.", 7, 9),
        ("Gamma", "# Gamma\n\nThree.", 11, 13),
    ]


def test_a_heading_over_nothing_but_deeper_headings_opens_the_first_of_them() -> None:
    assert [c.heading for c in chunks_of("# A\n\n## B\n\ntext\n\n## C\n\ntext\n")] == ["A / B", "A / C"]


def test_headings_inside_code_and_quotes_open_no_section() -> None:
    assert [c.heading for c in chunks_of("# A\n\n```\n# not one\n```\n\n> # nor this\n")] == ["A"]


def test_small_neighbours_are_joined_up_to_the_aim() -> None:
    chunks = chunks_of("# H\n\n" + "\n\n".join(f"Paragraph {n} has a few words in it, not many." for n in range(100)))
    assert all(AIM_LOW <= len(c.text) <= MAX_CHUNK for c in chunks)
    assert sum(len(c.text) <= AIM_HIGH for c in chunks) >= len(chunks) - 1


def test_a_list_is_cut_between_its_items() -> None:
    item = "- An item that takes\n  two lines and says something.\n"
    for chunk in chunks_of(item * 60):
        assert chunk.text.startswith("- An item")
        assert chunk.text.endswith("something.")


def test_tables_and_code_are_cut_between_lines_without_overlap() -> None:
    for text in (
        "| n | m |\n|---|---|\n" + "| some cell | another cell |\n" * 100,
        "```\n" + "print('a line of code')\n" * 100 + "```",
    ):
        chunks = chunks_of(text)
        assert len(chunks) > 1
        assert all(b.first_line == a.last_line + 1 for a, b in pairwise(chunks))


def test_a_paragraph_that_had_to_be_cut_repeats_its_last_line() -> None:
    chunks = chunks_of("\n".join(f"Line {n} of one long paragraph ends with a full stop." for n in range(60)))
    assert len(chunks) > 1
    for before, after in pairwise(chunks):
        assert after.first_line == before.last_line
        assert after.text.split("\n")[0] == before.text.split("\n")[-1]


def test_an_overlong_line_is_cut_between_sentences_with_a_small_overlap() -> None:
    line = "".join(f"第{n}句话说了一件事，也说了另一件事。" for n in range(200))
    chunks = chunks_of(line)
    for before, after in pairwise(chunks):
        shared = after.text[: after.text.index("。") + 1]
        assert before.text.endswith(shared)
        assert len(shared) <= MAX_OVERLAP
    assert all(c.text.endswith("。") and (c.first_line, c.last_line) == (1, 1) for c in chunks)


@given(st.integers(0, 120), st.sampled_from(["\n", " ", ""]))
def test_a_conclusion_is_never_cut(place: int, glue: str) -> None:
    conclusion = "经过两周讨论，我们最终决定采用混合部署方案，核心库留在自建机房，只读副本放到云上。"
    filler = [f"第{n}个人发言，说法很多，没有定论。" for n in range(120)]
    text = glue.join([*filler[:place], conclusion, *filler[place:]])
    assert any(conclusion in chunk.text for chunk in chunks_of(text))


@given(st.integers(10, 40))
def test_a_conclusion_wrapped_over_lines_is_never_cut(before: int) -> None:
    wrapped = (
        "After two weeks of discussion about cost and staff we decided to keep the\n"
        "core database in our own data centre and to move the read replicas to the\n"
        "cloud before the end of June."
    )
    text = (
        "Somebody said something that nobody wrote down, and others were silent.\n" * before
        + wrapped
        + "\nBye now." * 40
    )
    assert conclusion_of(text) == wrapped
    assert any(wrapped in chunk.text for chunk in chunks_of(text))


def test_crlf_and_blank_text() -> None:
    assert chunks_of(" \n\t\r\n\n") == []
    (chunk,) = chunks_of("# A\r\n\r\nb\r\n")
    assert (chunk.text, chunk.first_line, chunk.last_line, chunk.heading) == ("# A\r\n\r\nb", 1, 3, "A")


def test_lines_count_from_where_the_body_begins() -> None:
    assert [(c.first_line, c.last_line) for c in chunks_of("a\n\n# B\nb", first_line=6)] == [(6, 6), (8, 9)]


MARKDOWN = (
    "# 标题\n\n" + "第一段内容，讲述了项目的背景，以及为什么要换。最终决定采用 PostgreSQL。\n" * 3 + "\n## Sub\n\n"
    "- an item with a few words\n- another item\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nprint(1)\n```\n\n"
)


@pytest.mark.parametrize(
    "text",
    [
        MARKDOWN * (1_000_000 // len(MARKDOWN)),
        "A plain line of text with words, and a few more words to go.\n" * 16_000,
        "句子很短，但是很多。" * 100_000,
        "x" * 1_000_000,
    ],
    ids=["markdown", "plain", "one line", "no breaks"],
)
def test_a_megabyte_is_cut_in_linear_time(text: str) -> None:
    start = time.process_time()
    assert chunks_of(text)
    assert time.process_time() - start < HANGS


@pytest.mark.parametrize(
    "text", ["- a\n" * 250_000, "a\n\n" * 300_000, "> " * 300_000, "[" * 300_000, "`" * 300_000, "- " * 300_000]
)
def test_hostile_markdown_is_bounded_too(text: str) -> None:
    start = time.process_time()
    chunks_of(text)
    assert time.process_time() - start < HANGS
