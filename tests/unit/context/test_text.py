"""Cleaning, language, sentences, the conclusion and the abstract, Chinese and English."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.text import abstract_of, clean, conclusion_of, language_of, sentence_spans, sentences
from tests.support.hangs import HANGS

TEXTS = st.text(
    st.sampled_from('a b,.!?。！？；，\n\r\t*#->决定我们用了 1.5 v2 "”“《》`~…\u200d👩🏽‍💻'), max_size=200
) | st.text(max_size=200)


def test_clean_replaces_only_what_no_database_stores() -> None:
    hostile = "a\x00b\ud800c\udfffd"
    assert clean(hostile).text == "a\ufffdb\ufffdc\ufffdd"
    assert clean(hostile).replaced == 3


@pytest.mark.parametrize(
    "kept", ["👩‍👩‍👧‍👦 🏳️‍🌈", "مرحبا \u202b שלום", "line\r\nline\r", "𝒳 𠮷 é e\u0301", "\ufeff\x07\x1b[0m"]
)
def test_clean_keeps_everything_else_as_it_is(kept: str) -> None:
    assert clean(kept) == type(clean(""))(text=kept, replaced=0)


@given(st.text(st.characters(), max_size=80))
def test_cleaned_text_can_always_be_encoded_and_is_stable(text: str) -> None:
    once = clean(text)
    once.text.encode("utf-8")
    assert len(once.text) == len(text)
    assert clean(once.text).replaced == 0


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("今天的会议很顺利。", "zh"),
        ("The meeting went well today.", "en"),
        ("用 PostgreSQL 做 migration 吧", "zh"),
        ("请 review 一下这个 PR", "zh"),
        ("Send it to 王小明", "en"),
        ("I met 小王 and 小李 at the office", "en"),
        ('He told me "我今天不去了，因为要开会" and left', "en"),
        ("他说 “I will never come back to this place again”，然后走了", "zh"),
        ("> a quoted passage from an English page about nothing\n同意这个观点", "zh"),
        ("见 https://example.com/a/long/english/path/with/many/words 的说明", "zh"),
        ("```python\nfor line in lines: print(line)\n```\n这段代码有问题", "zh"),
        ("运行 `select count(*) from chat_messages where tenant = 1` 试试", "zh"),
        ("「你好」", "zh"),
    ],
)
def test_language_is_that_of_the_writer_not_of_what_is_quoted(text: str, language: str) -> None:
    assert language_of(text) == language


def test_text_without_words_has_the_default_language() -> None:
    assert language_of("12:30 👍", default="zh") == "zh"
    assert language_of("", default="en") == "en"


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("我们讨论了。最终决定采用！好吗？行；走吧", ["我们讨论了。", "最终决定采用！", "好吗？", "行；", "走吧"]),
        ("版本 v2.3.1 的价格是 3.5 元。好", ["版本 v2.3.1 的价格是 3.5 元。", "好"]),
        ("他说：“走吧。”然后《你是谁？》卖完了。", ["他说：“走吧。”", "然后《你是谁？》卖完了。"]),
        ("Dr. Smith paid J. K. Rowling $3.50, e.g. for v2.3.1. He left.", None),
        ("See https://a.example/b?c=d.e for more. Is it so? Yes!", None),
        ("We met at 5 p.m. on U.S. soil. Then left.", ["We met at 5 p.m. on U.S. soil.", "Then left."]),
        ("1. First item\n2. Second item. More\n- third", ["1. First item", "2. Second item.", "More", "- third"]),
        ("one\r\ntwo\n\nthree", ["one", "two", "three"]),
        ("我走了.明天见", ["我走了.", "明天见"]),
    ],
)
def test_sentences(text: str, pieces: list[str] | None) -> None:
    expected = {
        "Dr. ": ["Dr. Smith paid J. K. Rowling $3.50, e.g. for v2.3.1.", "He left."],
        "See ": ["See https://a.example/b?c=d.e for more.", "Is it so?", "Yes!"],
    }.get(text[:4], pieces)
    assert sentences(text) == expected


def test_a_hard_wrapped_sentence_is_one() -> None:
    text = (
        "After two weeks of discussion about hosting we decided to\nmove everything to the new data centre. Next point."
    )
    assert sentences(text)[0].endswith("data centre.")
    assert conclusion_of(text) == sentences(text)[0]


@given(TEXTS)
def test_sentences_are_verbatim_in_order_and_lose_nothing_but_blanks(text: str) -> None:
    end = 0
    for first, last in sentence_spans(text):
        assert end <= first < last
        assert not text[end:first].strip()
        end = last
    assert not text[end:].strip()


@pytest.mark.parametrize(
    "sentence",
    [
        "已拍板：主库用 PostgreSQL 18。",
        "我们决定下周一上线。",
        "根因是连接池太小。",
        "結論是採用方案二。",
        "最终还是选择了自建机房。",
        "We decided to move the launch to June.",
        "The root cause was a stale lock file.",
        "In the end, we keep both branches.",
        "We will ship version 2 on Monday.",
        "Conclusion: keep PostgreSQL.",
        "**Decision**: keep PostgreSQL.",
    ],
)
def test_conclusions_are_found_among_other_sentences(sentence: str) -> None:
    text = f"今天聊了很多。Many things were said.\n{sentence}\n后来吃了饭。Lunch was fine."
    assert conclusion_of(text) == sentence


@pytest.mark.parametrize(
    "text",
    [
        "我们还没决定用哪个。",
        "是否决定上线？",
        "如果决定采用，再通知你。",
        "这取决于天气。",
        "最终一致性是一个概念。",
        "We haven't decided to move.",
        "We have not decided anything.",
        "If we decide to go, I will tell you.",
        "Have we decided?",
        "We will see.",
        'The words “已拍板” and "decided X" mark a conclusion.',
        "```\nwe decided to print this\n```",
    ],
)
def test_open_questions_and_suppositions_conclude_nothing(text: str) -> None:
    assert conclusion_of(text) is None


def test_a_label_hands_its_weight_to_what_follows() -> None:
    assert conclusion_of("# Storage\n\nLong talk.\n\n## Decision\n\nUse PostgreSQL.\n\nLunch.") == "Use PostgreSQL."
    assert conclusion_of("讨论了三个方案\n结论：\n- 用第二个方案\n- 其他") == "用第二个方案"


def test_the_later_of_two_equal_decisions_wins_and_a_plain_one_beats_a_hint() -> None:
    assert conclusion_of("我们决定用 A。\n后来我们决定用 B。") == "后来我们决定用 B。"
    assert conclusion_of("We decided to stay. In the end, lunch was fine.") == "We decided to stay."


def test_abstract_is_the_title_else_the_first_sentence() -> None:
    assert abstract_of("周会纪要", "没有什么。") == "周会纪要"
    assert abstract_of("", "# 项目背景\n\n第一句。第二句。") == "项目背景"
    assert abstract_of("", "---\n\n- **Alpha** is [here](http://a.example). Beta.") == "Alpha is here."


def test_abstract_keeps_the_conclusion_that_a_cut_would_lose() -> None:
    text = "我们讨论了很多方案。" * 30 + "\n最终决定采用混合部署，核心库留在自建机房。\n" + "散会后吃饭。" * 30
    assert abstract_of("基础设施周会", text) == "基础设施周会 · 最终决定采用混合部署，核心库留在自建机房。"
    title = "A very long title about the infrastructure meeting that nobody wants to read in full every single day"
    line = abstract_of(
        title, "We decided to keep the core database at home and to move the read replicas to the cloud."
    )
    assert line.endswith("We decided to keep the core database at home and to move the read replicas to the cloud.")
    assert len(line) <= 140


def test_a_long_conclusion_loses_its_weakest_clauses_first() -> None:
    filler = "，".join(["其实大家说了很多话", "也有人提了一些别的想法", "气氛一直都比较热烈"] * 5)
    text = f"{filler}，最终决定采用混合部署方案，预计 2024-06-01 完成，预算 300 万元，{filler}"
    line = abstract_of("", text)
    for fact in ("最终决定采用混合部署方案", "2024-06-01", "300 万元", "…"):
        assert fact in line
    assert len(line) <= 140


@given(st.text(max_size=60), TEXTS, st.integers(min_value=8, max_value=160))
def test_abstract_is_one_line_within_its_limit_and_never_empty(title: str, text: str, limit: int) -> None:
    line = abstract_of(title, text, limit=limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert bool(line) == bool(title.strip() or text.strip())


PLAIN = st.text(st.sampled_from("ab 今天好，。,.!\n-#"), max_size=300)


@given(
    st.text(max_size=200),
    PLAIN,
    st.sampled_from(["我们决定{}。", "根因是{}。", "已拍板，{}。", "We decided to {}.", "The root cause is {}."]),
    st.text(st.sampled_from("abc 方案数据库二三"), min_size=3, max_size=60),
    PLAIN,
)
def test_a_conclusion_that_fits_survives_whatever_stands_around_it(
    title: str, before: str, frame: str, what: str, after: str
) -> None:
    sentence = frame.format(" ".join(what.split()) or "x")
    text = f"{before}\n\n{sentence}\n\n{after}"
    assert conclusion_of(text) == sentence
    assert sentence in abstract_of(title, text)


def test_hostile_megabytes_take_linear_time() -> None:
    for text in (
        "。" * 300_000,
        "Mr. " * 80_000,
        "“" * 300_000,
        "`" * 300_000,
        "we " * 100_000,
        "a" * 300_000,
        "没等" * 99_000,
    ):
        start = time.process_time()
        abstract_of("", text)
        language_of(text)
        assert time.process_time() - start < HANGS
