"""Synthetic notes and vectors: the same in every run, of the promised size, half Chinese and half English."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from context.scope import Scope
from context.text import language_of
from context.types import Language
from evaluation.synthetic import NOTE_BYTES, TOPICS, TopicVectors, plain_passage, synthetic_note, synthetic_question
from resources.material import note_nodes

NOTES = [synthetic_note(number) for number in range(40)]


def test_a_number_always_gives_the_same_note_and_no_two_are_alike() -> None:
    assert synthetic_note(7) == NOTES[7]
    assert len({note.body for note in NOTES}) == len({note.note_id for note in NOTES}) == len(NOTES)


def test_half_the_notes_are_chinese_and_each_is_about_a_kilobyte_in_one_chunk() -> None:
    assert [language_of(note.body) for note in NOTES] == ["en", "zh"] * 20
    assert all(NOTE_BYTES <= len(note.body.encode()) <= 1.5 * NOTE_BYTES for note in NOTES)
    assert {len(note_nodes(Scope(tenant="t", user="u"), note)) for note in NOTES} == {2}


def test_questions_of_two_series_differ() -> None:
    first, second = ({synthetic_question(n, series=series) for n in range(30)} for series in ("a", "b"))
    assert len(first & second) <= 1


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_passage_has_the_bytes_it_is_timed_by(language: Language) -> None:
    passage = plain_passage(language, 3)
    assert language_of(passage) == language
    assert NOTE_BYTES - 3 < len(passage.encode()) <= NOTE_BYTES


def test_vectors_are_unit_deterministic_and_near_their_own_topic() -> None:
    chance = np.random.default_rng(1)
    names = [*chain.from_iterable(TOPICS.values())]
    topics = {name: chance.standard_normal(384) for name in names}
    topics = {name: vector / np.linalg.norm(vector) for name, vector in topics.items()}
    vectors = TopicVectors({name: vector.tolist() for name, vector in topics.items()})
    texts = [note.body for note in NOTES]
    made = np.array(vectors.embed_documents(texts))
    np.testing.assert_array_equal(made, np.array(vectors.embed_documents(texts)))
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1.0, atol=1e-9)
    nearest = (made @ np.array([topics[name] for name in names]).T).argmax(axis=1)
    assert [names[place] for place in nearest] == [note.tags[0] for note in NOTES]
