"""Disclosure: Tier-0 stays in its budget, the gate opens at most one tier deeper, entries say what and how much."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.budget import count_tokens
from context.derived import ContextNode, Evidence
from context.types import ContextLevel, ContextType, KnowledgeLayer, Language, SpaceType, TaskType
from retrievers.base import Match, QueryPlan
from retrievers.disclosure import (
    CatalogueLine,
    DisclosureSettings,
    Entry,
    catalogue_text,
    choose_catalogue,
    cost,
    entry_of,
    gate,
    reason_of,
    valid_score,
    verbatim,
)

PROJECT, WHITEBOARD, USER, LOG = (
    KnowledgeLayer.PROJECT,
    KnowledgeLayer.WHITEBOARD,
    KnowledgeLayer.USER,
    KnowledgeLayer.LOG,
)

# --- Tier-0 -------------------------------------------------------------------------------------------------------

texts = st.one_of(
    st.text(alphabet="我们决定采用本地模型先上线再评估，。", min_size=1, max_size=90),
    st.text(alphabet="abcdefg hij klmn.opq-rst ", min_size=1, max_size=90),
    st.text(alphabet="龘㗊𠮷😀1.x→", min_size=1, max_size=40),
)
catalogues = st.lists(st.tuples(st.sampled_from([PROJECT, WHITEBOARD, USER, LOG]), texts), max_size=24).map(
    lambda rows: [CatalogueLine(uri=f"pm://{n}", vid=n, layer=layer, text=text) for n, (layer, text) in enumerate(rows)]
)


def of(layer: KnowledgeLayer, lines: list[CatalogueLine]) -> list[CatalogueLine]:
    return [line for line in lines if line.layer is layer]


@settings(deadline=None)  # the first call reads the vocabulary
@given(lines=catalogues, soft=st.integers(0, 500), hard=st.integers(0, 500))
def test_tier_0_never_passes_its_effective_budget(lines: list[CatalogueLine], soft: int, hard: int) -> None:
    chosen = choose_catalogue(lines, DisclosureSettings(tier0_max_tokens=soft, tier0_hard_tokens=hard))
    assert not chosen or count_tokens(catalogue_text(chosen)).gate <= min(soft, hard)
    assert sum(cost(line) for line in of(PROJECT, chosen)) <= min(soft, hard) * 0.6
    for layer in (PROJECT, WHITEBOARD, USER, LOG):
        mine = of(layer, chosen)
        assert mine == of(layer, lines)[: len(mine)], "the newest of each layer, in their order"


@settings(deadline=None)  # the first call reads the vocabulary
@given(lines=catalogues, budget=st.integers(60, 500))
def test_whiteboard_and_user_are_sure_of_a_line_that_fits(lines: list[CatalogueLine], budget: int) -> None:
    chosen = choose_catalogue(lines, DisclosureSettings(tier0_max_tokens=budget))
    boards, users = of(WHITEBOARD, lines), of(USER, lines)
    taken = 0
    if boards and cost(boards[0]) <= budget:
        assert of(WHITEBOARD, chosen)
        taken = max(cost(boards[0]), budget // 10)
    if users and taken + cost(users[0]) + 8 <= budget:  # 8: what the whole may count more than its parts
        assert of(USER, chosen)


def test_a_full_project_layer_leaves_its_share_to_the_others_in_both_languages() -> None:
    for text in ("我们决定采用本地模型先上线再评估", "We decided to launch with the local model first"):
        lines = [CatalogueLine(uri=f"pm://{n}", vid=n, layer=PROJECT, text=text) for n in range(60)]
        lines += [CatalogueLine(uri=f"pm://x{n}", vid=n, layer=USER if n % 2 else LOG, text=text) for n in range(60)]
        chosen = choose_catalogue(lines, DisclosureSettings())
        assert 0.5 * 400 < sum(cost(line) for line in of(PROJECT, chosen)) <= 240
        assert count_tokens(catalogue_text(chosen)).gate > 350, "what project may not take is used"


# --- the gate -----------------------------------------------------------------------------------------------------

ASKS = QueryPlan(task_type=TaskType.INFORMATIONAL)
TALKS = QueryPlan(task_type=TaskType.CONVERSATIONAL)


@pytest.mark.parametrize(
    ("plan", "question", "hits", "needs_quote", "tier", "reason"),
    [
        (TALKS, "why, verbatim?", 0, True, 0, "conversational"),
        (replace(ASKS, covered=True), "原文是什么", 0, True, 0, "covered by the conversation"),
        (ASKS, "原文是怎么写的", 9, False, 2, "asks for the source's own words (原文)"),
        (ASKS, "在第几行", 9, False, 2, "asks for the source's own words (第几行)"),
        (ASKS, "What did we say about Atlas?", 9, False, 2, "asks for the source's own words (What did we say)"),
        (ASKS, "Why? Give the exact words", 9, False, 2, "asks for the source's own words (exact)"),
        (ASKS, "Where is Atlas?", 9, True, 2, "the answer quotes its sources"),
        (ASKS, "为什么选它", 9, False, 1, "asks deeper (为什么)"),
        (ASKS, "How does it work?", 9, False, 1, "asks deeper (How)"),
        (ASKS, "Atlas 在哪里", 1, False, 1, "1 Tier-0 hits, fewer than 2"),
        (ASKS, "Where is Atlas?", 2, False, 0, "2 Tier-0 hits are enough"),
        (ASKS, "Somehow the whys of showing", 2, False, 0, "2 Tier-0 hits are enough"),
    ],
)
def test_the_gate(plan: QueryPlan, question: str, hits: int, needs_quote: bool, tier: int, reason: str) -> None:
    decision = gate(plan=plan, question=question, hits=hits, needs_quote=needs_quote, settings=DisclosureSettings())
    assert (decision.tier, decision.reason) == (tier, reason)


# --- entries ------------------------------------------------------------------------------------------------------


def node(**more: Any) -> ContextNode:
    values: dict[str, Any] = {
        "uri": "pm://user/ann/notes/n/1",
        "parent_uri": None,
        "level": ContextLevel.DETAIL,
        "is_leaf": True,
        "context_type": ContextType.RESOURCE,
        "space": SpaceType.USER,
        "layer": PROJECT,
        "source_type": None,
        "source_id": "n",
        "abstract": "We use Atlas.",
        "digest": b"\x01" * 32,
        "title": "Atlas",
        "source_name": "notes/atlas.md",
        "lines": (3, 9),
        "body": "We use Atlas because it is local.",
        "happened_at": datetime(2026, 3, 2, 23, tzinfo=UTC),
    }
    return ContextNode(**{**values, **more})


MATCH = Match(uri="u", vid=1, context_type=ContextType.RESOURCE, score=0.731, raw=0.5)


def entry(found: ContextNode, *, match: Match = MATCH, tier: int = 2, room: int = 2400, **more: Any) -> Entry:
    budgets = DisclosureSettings()
    return entry_of(found, match, n=1, total=4, tier=tier, room=room, zone=UTC, language="en", settings=budgets, **more)


def test_a_heading_says_where_it_comes_from() -> None:
    header = entry(node()).header
    assert header == (
        "Tier-2 · RESOURCE · project · current · Score: 0.73 (rank 1/4) · margin 0.000 · Atlas · notes/atlas.md:3-9"
        " · 2026-03-02"
    )


@pytest.mark.parametrize("word", ["很长的标题 · ", "a long title · \n", "x" * 50])
@pytest.mark.parametrize("tier", [1, 2])
def test_a_heading_is_short_however_long_title_and_source_are(word: str, tier: int) -> None:
    long = word * 500
    chunk = entry(node(title=long, source_name=long, abstract=long), tier=tier)
    uri = f"pm://user/ann/memories/PROFILE/{uuid4()}"
    proof = Evidence(source_uri="pm://m/1", quote="q", statement="s", lines=(3, 9), source_name=long)
    memory = node(uri=uri, context_type=ContextType.MEMORY, title=long, source_name=long, abstract=long, lines=None)
    remembered = entry(memory, tier=tier, evidence=[proof])
    for made in (chunk, remembered):
        assert len(made.header) <= 400
        assert "\n" not in made.header
        assert made.header.endswith(":3-9 · 2026-03-02"), "the lines of the source stay"
        assert made.header.count(" · ") == 8, "a title cannot forge a label"


def test_a_memory_opens_with_its_quotes_and_a_summary_with_its_abstract() -> None:
    proof = [Evidence(source_uri=f"pm://m/{n}", quote=quote, statement="s") for n, quote in enumerate("abab")]
    memory = node(uri="pm://user/ann/memories/PROFILE/1", context_type=ContextType.MEMORY, overview="- city: Berlin")
    assert entry(memory, evidence=proof).text == "a\nb"
    assert entry(memory, evidence=proof).facts == ("Berlin",)
    assert entry(node(abstract="x" * 500), tier=1).text == "x" * 139 + "…"


@pytest.mark.parametrize(
    ("language", "conclusion", "filler", "length"),
    [
        ("en", "We decided to launch on Monday.", "Some talk about the weather and lunch. ", "{} characters in all"),
        ("zh", "我们最终决定周一上线。", "大家聊了聊天气和午饭。", "全文 {} 字符"),
    ],
)
def test_a_cut_text_keeps_its_conclusion_and_says_how_long_it_is(
    language: Language, conclusion: str, filler: str, length: str
) -> None:
    text = f"{filler * 60}{conclusion} {filler * 60}"
    cut = verbatim(text, 300, language)
    assert len(cut) <= 300
    assert cut.startswith(conclusion + "\n" + filler)
    assert length.format(len(text)) in cut
    assert verbatim(text, len(text), language) == text


def test_labels_of_a_match() -> None:
    found = replace(
        MATCH, parts={"dense": 0.5}, arms={"lexical": 2, "dense": 1}, words=tuple("abcdefgh"), margin=0.0124
    )
    assert reason_of(found) == "dense#1+lexical#2 [a,b,c,d,e,f] dense 0.50/margin 0.012"
    assert reason_of(MATCH) == "margin 0.000"
    assert [valid_score(score) for score in (0.0, 1.0, -0.01, 1.01, float("nan"), float("inf"))] == [True] * 2 + [
        False
    ] * 4
    for odd in (float("nan"), -0.2, 7.0):
        assert "Score" not in entry(node(), match=replace(MATCH, score=odd)).header
