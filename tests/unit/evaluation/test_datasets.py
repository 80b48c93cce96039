"""Labelled data sets, in made-up files of their formats: what is read, repaired, left out and refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from context.errors import ConfigurationError
from context.truth import MessageRole
from evaluation.datasets import ADVERSARIAL, find_sets, read_locomo, read_memorybank
from tests.support.labelled import write_locomo, write_memorybank


def test_locomo_has_every_turn_with_speaker_photo_and_time(tmp_path: Path) -> None:
    (conversation,) = read_locomo(write_locomo(tmp_path)).conversations
    assert [sitting.key for sitting in conversation.sittings] == ["D1", "D2"]
    first, second = conversation.sittings[0].turns[:2]
    assert (first.unit, first.speaker, first.role) == ("D1:1", "Ada", MessageRole.USER)
    assert first.sent_at == datetime(2023, 5, 8, 23, 59, tzinfo=UTC)
    assert second.text.endswith("[photo: a red kayak]")
    assert conversation.asked_at == datetime(2023, 6, 4, 12, 0, tzinfo=UTC)


def test_broken_evidence_is_repaired_and_a_question_without_any_left_out(tmp_path: Path) -> None:
    (conversation,) = read_locomo(write_locomo(tmp_path)).conversations
    assert [(q.category, sorted(q.evidence)) for q in conversation.questions] == [
        ("4 single-hop", ["D1:2"]),
        ("1 multi-hop", ["D1:2", "D2:1"]),
        (ADVERSARIAL, ["D2:2"]),
    ]
    assert sorted(conversation.questions[0].corrected) == ["D1:1"]
    assert conversation.questions[1].corrected == conversation.questions[1].evidence


def test_memorybank_has_two_messages_an_exchange_and_one_owner_a_user(tmp_path: Path) -> None:
    one, other = read_memorybank(write_memorybank(tmp_path)).conversations
    assert [sitting.key for sitting in one.sittings] == ["2023-04-27", "2023-05-03"]
    assert [(turn.unit, turn.role) for turn in one.sittings[0].turns[:3]] == [
        ("2023-04-27#0", MessageRole.USER),
        ("2023-04-27#0", MessageRole.ASSISTANT),
        ("2023-04-27#1", MessageRole.USER),
    ]
    (question,) = one.questions
    assert (question.evidence, question.neither) == (frozenset({"2023-05-03#0"}), frozenset({"2023-04-27#1"}))
    assert question.dated
    assert len(other.questions) == 1


def test_sets_are_found_by_file_by_folder_and_below_a_folder(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    locomo = write_locomo(tmp_path / "one")
    write_memorybank(tmp_path / "two")
    assert [data.kind for data in find_sets(tmp_path)] == ["locomo", "memorybank"]
    assert [data.kind for data in find_sets(tmp_path / "two")] == ["memorybank"]
    assert [data.kind for data in find_sets(locomo)] == ["locomo"]
    renamed = locomo.rename(locomo.with_name("other.json"))
    assert [data.kind for data in find_sets(renamed, "locomo")] == ["locomo"]
    with pytest.raises(ConfigurationError, match="no labelled data set"):
        find_sets(tmp_path / "two", "locomo")


def test_a_choice_takes_conversations_by_number_and_questions_from_all_over(tmp_path: Path) -> None:
    data = read_locomo(write_locomo(tmp_path))
    (conversation,) = data.chosen((0,), questions=2).conversations
    assert [question.category for question in conversation.questions] == ["4 single-hop", "1 multi-hop"]
    with pytest.raises(ConfigurationError, match="no conversation 3"):
        data.chosen((0, 3), questions=None)


@pytest.mark.parametrize("content", ["not json", [{"conversation": {}}], {"qa": []}])
def test_another_shape_is_refused_and_the_file_named(tmp_path: Path, content: Any) -> None:
    file = tmp_path / "locomo10.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    with pytest.raises(ConfigurationError, match=r"locomo10\.json"):
        read_locomo(file)
