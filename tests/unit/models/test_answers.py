"""Extractive answers and digests: what is quoted, in which order, and what is never let through."""

from __future__ import annotations

import string

import pytest

from context.types import Language, MemoryType
from models.answers import (
    SHORTLIST,
    EvidenceEntry,
    best_sentences,
    compose_answer,
    question_terms,
)
from models.digests import compose_digest
from models.phrases import MEMORY_LABELS, PHRASES, phrase
from models.quotes import LONGEST_QUOTE, inert, quotable


def entry(n: int, text: str, **values: object) -> EvidenceEntry:
    return EvidenceEntry(**{"n": n, "text": text, "score": 0.6, **values})  # type: ignore[arg-type]  # test shorthand


ZH = (
    entry(1, "内存泄漏的根因是连接池没有关闭。修复版本是 v2.3.1，2025-03-14 已上线。", title="故障复盘"),
    entry(2, "合同将于 2026年3月31日 到期，金额是 ¥352,000.50。", title="合同"),
    entry(3, "李雷负责测试，王芳负责前端。", title="分工"),
)
EN = (
    entry(
        1, "The memory leak came from an unclosed pool. The fix is v2.3.1, live since 2025-03-14.", title="Postmortem"
    ),
    entry(2, "The contract expires on March 31, 2026 and is worth $352,000.50.", title="Contract"),
    entry(3, "Liam O'Neill does the testing, Wendy the frontend.", title="Roles"),
)


@pytest.mark.parametrize(
    ("question", "entries", "language", "text", "citations"),
    [
        ("合同什么时候到期？", ZH, "zh", "你的笔记里写着：合同将于 2026年3月31日 到期，金额是 ¥352,000.50。 [2]", (2,)),
        ("谁负责测试", ZH, "zh", "你的笔记里写着：李雷负责测试，王芳负责前端。 [3]", (3,)),
        ("When does the contract expire?", EN, "en",
         "Your notes say: The contract expires on March 31, 2026 and is worth $352,000.50. [2]", (2,)),
        ("Who does the testing", EN, "en",
         "Your notes say: Liam O'Neill does the testing, Wendy the frontend. [3]", (3,)),
    ],
)  # fmt: skip
def test_an_answer_is_the_stored_sentence_and_its_number(
    question: str, entries: tuple[EvidenceEntry, ...], language: Language, text: str, citations: tuple[int, ...]
) -> None:
    answer = compose_answer(question, entries, language=language)
    assert (answer.text, answer.citations) == (text, citations)


@pytest.mark.parametrize(
    ("question", "entries", "language", "nothing"),
    [
        ("我的血型是什么", ZH, "zh", "我这里没有关于这件事的记录。"),
        ("What is my blood type?", EN, "en", "I have nothing on that."),
        ("合同什么时候到期？", (), "zh", "我这里没有关于这件事的记录。"),
    ],
)
def test_below_the_floor_there_is_nothing(
    question: str, entries: tuple[EvidenceEntry, ...], language: Language, nothing: str
) -> None:
    answer = compose_answer(question, entries, language=language)
    assert (answer.text, answer.citations) == (nothing, ())


def test_meaning_finds_what_words_do_not() -> None:
    entries = (entry(1, "My cat is called Biscuit."), entry(2, "The rent is $1,450 a month."))
    meaning = {"My cat is called Biscuit.": 0.6, "The rent is $1,450 a month.": 0.0}
    assert best_sentences("Which pet do I own", entries) == []
    found = best_sentences("Which pet do I own", entries, similarity=lambda _, texts: [meaning[t] for t in texts])
    assert [sentence.entry.n for sentence in found] == [1]


def test_similarity_is_asked_once_for_a_short_list() -> None:
    asked: list[int] = []
    many = [entry(n, f"Port number {n} is open. It serves customer {n}.") for n in range(1, 60)]

    def similarity(_: str, texts: list[str]) -> list[float]:
        asked.append(len(texts))
        return [0.5] * len(texts)

    assert best_sentences("Which port is open?", many, similarity=similarity)
    assert asked == [SHORTLIST]


def test_questions_and_headings_are_no_answers() -> None:
    assert quotable("# Database port\nWhich port is it?\n端口是多少？\n端口是哪个呢\nThe port is 5433.") == [
        "The port is 5433."
    ]


def test_the_newer_of_two_versions_leads_and_the_older_says_so() -> None:
    old = entry(1, "数据库的端口是 5432。", date="2024-01-02", score=0.9, context_type="MEMORY")
    new = entry(2, "数据库的端口现在是 5433。", date="2025-02-01", score=0.8, context_type="MEMORY")
    for entries in ((old, new), (new, old)):
        answer = compose_answer("数据库的端口是多少", entries, language="zh")
        assert answer.text == (
            "我记得：\n- 数据库的端口现在是 5433。 [2]\n- 更早的记录：数据库的端口是 5432。 (2024-01-02) [1]"
        )


def test_at_near_equal_relevance_current_knowledge_goes_before_the_log() -> None:
    log = entry(1, "Tom said we pick Hetzner as hosting provider.", layer="log", date="2025-05-01")
    memory = entry(2, "Our pick of hosting provider is Hetzner in Helsinki.", layer="user", context_type="MEMORY")
    found = best_sentences("Which hosting provider did we pick?", (log, memory), similarity=lambda _, t: [0.5] * len(t))
    assert [sentence.entry.n for sentence in found] == [2, 1]


def test_repeats_are_dropped_but_never_over_a_number() -> None:
    entries = (
        entry(1, "The server port is 5433."),
        entry(2, "the server port is 5433"),
        entry(3, "The server port is 5434."),
    )
    found = best_sentences("server port", entries)
    assert [sentence.text for sentence in found] == ["The server port is 5433.", "The server port is 5434."]


@pytest.mark.parametrize(
    ("stored", "quoted"),
    [
        ("- **3.14** is the ratio", "3.14 is the ratio"),
        ("3.14 is the ratio", "3.14 is the ratio"),
        ("2. Back up first", "Back up first"),
        ("- [ ] 联系 snake_case 和 __init__", "联系 snake_case 和 init"),
        ("> 引用：版本 v2.3.1-rc.1，路径 /etc/app.conf", "引用：版本 v2.3.1-rc.1，路径 /etc/app.conf"),
        ("| Port | 5433 |", "Port | 5433"),
        ("10% of users pay €1.234,50", "10% of users pay €1.234,50"),
    ],
)
def test_only_marks_and_blanks_are_trimmed(stored: str, quoted: str) -> None:
    assert quotable(stored) == [quoted]


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("see ![pixel](https://evil.example/?q=1) here", "see  here"),
        ('![a](x "t") ![b][ref] ![[secret.png]]', "  "),
        ("![out ![in](https://a.example)](https://b.example)", ""),
        ("read [the plan](https://evil.example/a_(b)) now", "read the plan now"),
        ("[[notes/plan|the plan]] and [[other]]", "the plan and other"),
        ("<img src=x onerror=alert(1)>hi<script>go()</script>", "higo()"),
        ("<https://evil.example/x>", "https://evil.example/x"),
        ("as proven in [1] and items[3], List<String>", "as proven in (1) and items[3], List<String>"),
        ("text\n[ref]: https://evil.example", "text\n"),
    ],
)
def test_stored_text_can_only_be_read(hostile: str, harmless: str) -> None:
    assert inert(hostile) == harmless


def test_a_quote_is_never_a_copy() -> None:
    (sentence,) = quotable("很长的一句话，" * 200)
    assert len(sentence) <= LONGEST_QUOTE


@pytest.mark.parametrize(
    ("request_text", "language", "text"),
    [
        (
            "列出我的决定",
            "zh",
            "决定（2 条）：\n**周会**（2025-03-03）\n- 团队决定改用 PostgreSQL。 [2]\n- 国际版暂缓。 [2]",
        ),
        (
            "总结这周的笔记",
            "zh",
            "我找到的内容（3 条）：\n- 周一跑了 5 公里（2025-03-02） [1]\n**周会**（2025-03-03）\n"
            "- 团队决定改用 PostgreSQL。 [2]\n**想法**\n- 想学吉他。 [3]",
        ),
        (
            "list my to-dos",
            "en",
            "I found no sentence that states this outright. What I found instead (3):\n"
            "- 周一跑了 5 公里 (2025-03-02) [1]\n**周会** (2025-03-03)\n- 团队决定改用 PostgreSQL。 [2]\n"
            "**想法**\n- 想学吉他。 [3]",
        ),
    ],
)
def test_a_digest_is_dated_grouped_and_cited(request_text: str, language: Language, text: str) -> None:
    entries = (
        entry(3, "想学吉他。", title="想法"),
        entry(2, "会议室在三楼。团队决定改用 PostgreSQL。国际版暂缓。", title="周会", date="2025-03-03T10:00:00+08:00"),
        entry(1, "", title="周一跑了 5 公里", date="2025-03-02"),
    )
    assert compose_digest(request_text, entries, language=language).text == text


def test_open_items_keep_their_verbs() -> None:
    note = entry(1, "- [ ] Call the vendor\n- [x] Book the room\n- Liam needs to sign\nIt rained.", title="Monday")
    assert compose_digest("show my to-dos", (note,), language="en").text == (
        "Open items (2):\n**Monday**\n- Call the vendor [1]\n- Liam needs to sign [1]"
    )


def test_a_long_digest_counts_what_it_leaves_out() -> None:
    answer = compose_digest(
        "summarise my notes", [entry(n, f"Fact number {n}.", title=f"Note {n}") for n in range(1, 16)], language="en"
    )
    assert answer.text.endswith("… and 3 more.")
    assert answer.citations == tuple(range(1, 13))


def test_question_words_are_not_what_a_question_is_about() -> None:
    assert question_terms("Do you remember what my cat is called?") == {"cat"}
    assert "猫" in question_terms("你还记得我的猫叫什么吗") and "什么" not in question_terms("你还记得我的猫叫什么吗")


def test_both_languages_have_the_same_sentences() -> None:
    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert PHRASES["zh"].keys() == PHRASES["en"].keys()
    assert all(fields(PHRASES["zh"][name]) == fields(PHRASES["en"][name]) for name in PHRASES["zh"])
    assert all(set(labels) == set(MemoryType) for labels in MEMORY_LABELS.values())
    assert phrase("noted", "en", text="{not a field}").startswith("Noted: “{not a field}”")
