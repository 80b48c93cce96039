"""Front matter: read when it is sound, kept as text when it is not."""

from __future__ import annotations

import datetime
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.vaults.frontmatter import FrontMatter, split_front_matter, tags_of
from tests.support.hangs import HANGS


def test_values_body_and_the_line_it_begins_on() -> None:
    text = "---\r\ntitle: 会议\r\ntags: [a, b]\r\ndate: 2024-05-03\r\n---\r\n\r\n# Body\r\n"
    found = split_front_matter(text)
    assert found.values == {"title": "会议", "tags": ["a", "b"], "date": datetime.date(2024, 5, 3)}
    assert found.body == "\r\n# Body\r\n"
    assert found.first_line == 6
    assert found.problem is None
    assert text.split("\n")[found.first_line - 1 :] == found.body.split("\n")


@pytest.mark.parametrize(
    ("text", "body"), [("---\n---\nx", "x"), ("---\n# only a comment\n...\nx", "x"), ("---\na: 1\n---", "")]
)
def test_empty_and_unterminated_ends(text: str, body: str) -> None:
    assert split_front_matter(text).body == body


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no front matter",
        "---\nnever closed",
        " ---\na: 1\n---\n",
        "---\nProse between rules\n---\nx",
        "----\na: 1\n----",
    ],
)
def test_what_is_no_front_matter_is_all_body(text: str) -> None:
    assert split_front_matter(text) == FrontMatter(values={}, body=text)


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("a: [1, 2", "line 3"),
        ("a: b: c", "line 2"),
        ("a: &x [1]\nb: *x", "anchors"),
        ("a: &x 1", "anchors"),
        ("a: !!python/object/apply:os.system ['true']", "tags"),
        ("a: !!int ''", "tags"),
        ("d: 2024-13-45", "month"),
        ("n: " + "9" * 5_000, "valid"),
        ("? [k]\n: v", "unhashable"),
        ("a: " + "[" * 50_000, "nested"),
        ("a: " + "x" * 70_000, "64 kB"),
        ("a: \x07", "valid"),
    ],
)
def test_what_cannot_be_read_is_said_and_nothing_is_lost(block: str, reason: str) -> None:
    text = f"---\n{block}\n---\nBody [[Link]]"
    start = time.process_time()
    found = split_front_matter(text)
    assert found.values == {}
    assert (found.body, found.first_line) == (text, 1)
    assert reason in (found.problem or "")
    assert time.process_time() - start < HANGS


@given(st.text(st.sampled_from("ab:-[]{}&*!|>'\"#%@, \n0129.?~<\t"), max_size=80) | st.text(max_size=80))
def test_never_an_exception_and_never_a_lost_character(block: str) -> None:
    text = f"---\n{block}\n---\nbody"
    found = split_front_matter(text)
    assert text.endswith(found.body)
    assert text.count("\n") - found.body.count("\n") == found.first_line - 1
    tags_of(found.values)


def test_tags_in_every_usual_form() -> None:
    assert tags_of({"tags": ["#work", " deep  work ", 2024, None, "work"]}) == ("work", "deep work", "2024")
    assert tags_of({"tags": "a, b c，d"}) == ("a", "b c", "d")
    assert tags_of({"Tag": "one two"}) == ("one", "two")
    assert tags_of({"tags": {"a": 1}, "title": "x"}) == ()
