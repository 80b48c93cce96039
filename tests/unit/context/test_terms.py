"""The tokeniser that index and query share, and the keys of a question."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.terms import MAX_TERM, keys_of, term_counts, terms
from tests.support.hangs import HANGS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Caroline’s running shoes", ["carolin", "run", "sho"]),
        ("studies tries tried flies", ["study", "try", "try", "fly"]),
        ("making hoped stopped falling classes boss", ["mak", "hop", "stop", "fall", "class", "boss"]),
        ("thing sing bring", ["thing", "sing", "bring"]),
        ("What did you do with it", []),
        ("QX-4471 v2.3.1 kestrel-api snake_case 3rd", ["qx-4471", "v2.3.1", "kestrel-api", "snake_cas", "3rd"]),
        ("北京大学", ["北", "北京", "京", "京大", "大", "大学", "学"]),
        ("我的书", ["我的", "的书", "书"]),
        ("用 PostgreSQL18 吧", ["用", "postgresql18"]),
        ("ＱＸ－４４７１，Ｖ２", ["qx-4471", "v2"]),
        ("José café naïve", ["jos", "caf", "naiv"]),
        ("Привет мир", ["привет", "мир"]),
        ("カフェ", ["カ", "カフ", "フ", "フェ", "ェ"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_composed_and_decomposed_accents_are_one_term() -> None:
    assert terms("Jose\u0301 Álvarez") == terms("Jos\u00e9 A\u0301lvarez")


def test_counts_are_of_the_same_terms() -> None:
    assert term_counts("run runs RUNNING 跑") == {"run": 3, "跑": 1}


def test_an_overlong_term_keeps_its_head_and_is_told_apart_by_its_digest() -> None:
    one, other = terms("x" * 500 + "1") + terms("x" * 500 + "2")
    assert one != other
    assert one[:47] == other[:47] == "x" * 47
    assert len(one) == MAX_TERM
    assert one == terms("x" * 500 + "1")[0]


@given(st.text(max_size=300))
def test_terms_are_bounded_and_repeatable(text: str) -> None:
    found = terms(text)
    assert all(0 < len(term) <= MAX_TERM for term in found)
    assert found == terms(text)
    assert sum(term_counts(text).values()) == len(found)


@given(st.text(st.characters(max_codepoint=0x7F), max_size=200))
def test_case_and_width_do_not_matter(text: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert terms(text.upper()) == terms(text) == terms(wide)


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "a." * 500_000, "汉" * 500_000, "word runs " * 100_000, "a’s" * 300_000]
)
def test_a_megabyte_takes_linear_time(text: str) -> None:
    start = time.process_time()
    terms(text)
    assert time.process_time() - start < HANGS


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("What about QX-4471 in v2.3.1?", ("QX-4471", "v2.3.1")),
        ("Who said “never again” and 「不行」 in 《三体》?", ("never again", "不行", "三体")),
        ("Did Ada Lovelace meet Charles Babbage in New York?", ("Ada Lovelace", "Charles Babbage", "New York")),
        ("What did Caroline buy on 3 May 2023?", ("Caroline", "3 May 2023")),
        ("5月3号那个 300 万元的预算，kestrel_api 批了吗", ("5月3号", "300 万元", "kestrel_api")),
        ("Is SQL faster than 250 ms?", ("SQL", "250 ms")),
        ("你好，最近怎么样", ()),
        ("how are you today", ()),
    ],
)
def test_keys_of_a_question(question: str, keys: tuple[str, ...]) -> None:
    assert keys_of(question) == keys


@given(st.text(max_size=200))
def test_keys_are_verbatim_and_distinct(text: str) -> None:
    keys = keys_of(text)
    assert len(set(keys)) == len(keys)
    assert all(key in text and key.strip() == key for key in keys)
