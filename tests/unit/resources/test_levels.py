"""The rule-made overview (L1)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from context.budget import count_tokens
from resources.levels import OVERVIEW_TOKENS, overview_of

FILLER = "大家轮流发言，说法很多。\n\n" * 200
NOTE = (
    f"# 存储\n\n会议讨论了三个方案。\n\n{FILLER}"
    f"## 选型\n\n我们决定采用 PostgreSQL 18。\n\n{FILLER}"
    "## 备份\n\n每天一次。\n"
)


def test_short_texts_have_no_overview() -> None:
    assert overview_of("t", "x" * 5_000) is None
    assert overview_of("t", "x" * 5_001) is not None
    assert overview_of("t", "x" * 101, chars=100) is not None


def test_an_overview_has_conclusions_sections_points_and_the_way_to_the_whole() -> None:
    overview = overview_of("架构评审", NOTE, address="pm://user/u/notes/n")
    assert overview is not None
    title, conclusions, sections, points, whole = overview.split("\n\n")
    assert title == "# 架构评审"
    assert conclusions == "## 结论\n- 我们决定采用 PostgreSQL 18。"
    assert sections.split("\n") == [
        "## 章节",
        "- 存储: 会议讨论了三个方案。",
        "  - 选型: 我们决定采用 PostgreSQL 18。",
        "  - 备份: 每天一次。",
    ]
    assert points == "## 要点\n- 大家轮流发言，说法很多。"
    assert f"{len(NOTE)} 字符" in whole
    assert "pm://user/u/notes/n" in whole


def test_an_english_text_has_an_english_overview() -> None:
    overview = overview_of("", "We talked. We decided to stay at home. " * 200)
    assert overview is not None
    assert overview.startswith("## Conclusions\n- We decided to stay at home.")
    assert "## Full text" in overview


@given(
    st.integers(1, 400),
    st.sampled_from(
        [
            "## Heading {}\n\nWe decided to do thing number {} after a long talk.\n\n",
            "第{}段：我们决定做第{}件事。\n\n",
            "{} {}",
        ]
    ),
)
def test_an_overview_stays_within_its_tokens_and_says_what_it_left_out(count: int, frame: str) -> None:
    text = "".join(frame.format(n, n) for n in range(count)).ljust(6_000, "x")
    overview = overview_of("Title " * 100, text)
    assert overview is not None
    assert count_tokens(overview).gate <= OVERVIEW_TOKENS
    if count == 400 and "Heading" in frame:
        assert "more not listed" in overview
