"""Texts of containers by rule: bounded whatever the children are called, conclusions first, nothing lost uncounted."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.budget import count_tokens
from context.conclusions import conclusion_in
from resources.directory_texts import MOST_CHILDREN, Child, directory_texts
from resources.levels import OVERVIEW_TOKENS

NOW = datetime(2026, 5, 3, tzinfo=UTC)
HOSTILE = (
    "",
    " \t\n ",
    "x" * 100_000,
    "根因" * 50_000,
    "a\nb\r\nc\u2028d",
    "```python\nprint(1)\n```",
    "~~~",
    "# 1. - > * heading",
    "\u200b\u200d\ufeff",
    "\u202eכותרת בעברית",
    "عنوان طويل " * 30,
    "👨‍👩‍👧‍👦🏳️‍🌈" * 60,
    "\ud800\x00",
    "𠀀𪛖" * 200,
    "— · ： ：",
    "We decided to ship.",
)

CONCLUSIONS = (
    "We decided to move the gateway to port 8443",
    "根因是连接池耗尽，改为每实例 40 条连接",
    "会议决定采用方案乙",
)

texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=300), st.sampled_from(("部署手册", "Deploy notes")))
dates = st.one_of(st.none(), st.integers(0, 3_000).map(lambda days: NOW - timedelta(days=days)))
children = st.builds(Child, title=texts, abstract=texts, happened_at=dates)


def item(title: str, abstract: str = "") -> Child:
    return Child(title=title, abstract=abstract or title, happened_at=NOW)


@settings(max_examples=60, deadline=None)
@given(name=texts, found=st.lists(children, max_size=12), times=st.integers(1, 17), more=st.integers(0, 10**6))
def test_texts_stay_within_their_limits_and_every_child_is_listed_or_counted(
    name: str, found: list[Child], times: int, more: int
) -> None:
    found = (found * times)[:MOST_CHILDREN]
    told = directory_texts(name, found, count=len(found) + more)
    assert told == directory_texts(name, found, count=len(found) + more)
    assert 0 < len(told.abstract) <= 140
    assert "\n" not in told.abstract
    if not found:
        assert told.overview is None
        return
    assert told.overview is not None
    assert count_tokens(told.overview).gate <= OVERVIEW_TOKENS
    head, *lines = told.overview.split("\n")
    assert head.startswith("# ")
    listed = [line for line in lines if line.startswith("- ")]
    left_out = re.fullmatch(r"（另有 (\d+) 项未列出）|\((\d+) more not listed\)", lines[-1])
    unlisted = int(left_out[1] or left_out[2]) if left_out else 0
    assert len(listed) + unlisted == len(found) + more
    assert not re.search(r"(?m)^\s*(?:```|~~~)", told.overview)


@settings(max_examples=60, deadline=None)
@given(
    name=texts,
    before=st.lists(texts.filter(lambda text: not conclusion_in(text)), max_size=11),
    conclusion=st.sampled_from(CONCLUSIONS),
    after=st.lists(texts, max_size=30),
)
def test_the_newest_conclusion_is_in_the_abstract(
    name: str, before: list[str], conclusion: str, after: list[str]
) -> None:
    found = [*map(item, before), item("周会", f"周会 · {conclusion}。"), *map(item, after)]
    assert conclusion in directory_texts(name, found, count=len(found)).abstract


def test_a_conclusion_too_long_to_fit_is_shortened_and_still_concludes() -> None:
    long = (
        f"{'After a long talk about many other things, ' * 2}we decided to keep PostgreSQL, {'and more of it, ' * 20}"
    )
    told = directory_texts("ops" * 40, [item("Talk", long)], count=1)
    assert len(told.abstract) <= 140
    assert "we decided to keep PostgreSQL" in told.abstract


def test_conclusions_come_before_titles_and_titles_are_not_told_twice() -> None:
    found = [
        item("Lunch", "Lunch · soup"),
        item("Plan", "Plan · We decided to ship on Friday."),
        item("Planning", "Planning poker rules"),
    ]
    told = directory_texts("work", found, count=3)
    assert told.abstract == "work (3 items): We decided to ship on Friday; Lunch; Planning"
    assert told.overview == (
        "# work\n3 items, the newest first.\n\n"
        "- Lunch (2026-05-03): soup\n"
        "- Plan (2026-05-03): We decided to ship on Friday.\n"
        "- Planning (2026-05-03): Planning poker rules"
    )


def test_nothing_in_it_says_only_its_name_and_one_thing_is_an_item() -> None:
    assert directory_texts("空", [], count=0).abstract == "空"
    assert directory_texts("n" * 500, [], count=0).abstract.endswith("…")
    assert directory_texts("work", [item("Plan")], count=1).abstract == "work (1 item): Plan"
    assert directory_texts("工作", [item("计划")], count=1).abstract == "工作（1 项）：计划"


@pytest.mark.parametrize(
    ("titles", "words"),
    [
        (["周会记录", "部署手册", "a" * 100_000 + " is the title of the"], "3 项"),
        (["The weekly", "Deploy notes", "部署" * 50_000], "3 items"),
        (["周会记录", "8443", "2026-05-03", ""], "4 项"),
        (["Notes", "8443", "2026-05-03", ""], "4 items"),
        (["用 PostgreSQL 做 migration 吧", "记录", "Plan"], "3 项"),
    ],
    ids=["zh", "en", "zh with figures", "en with figures", "mixed"],
)
def test_the_wording_is_that_of_most_children(titles: list[str], words: str) -> None:
    told = directory_texts("x", [item(title) for title in titles], count=len(titles))
    assert words in told.abstract
    assert told.overview is not None
    assert words in told.overview


def test_what_nobody_sees_is_not_told() -> None:
    told = directory_texts("a\u202eb", [item("\u200bhid\u200bden\u202e", "## \u2066said")], count=1)
    assert told.abstract == "ab (1 item): hidden"
    assert told.overview is not None
    assert "- hidden (2026-05-03): said" in told.overview
