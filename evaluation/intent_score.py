"""How often the intent of an unseen sentence is told, for each language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from context.errors import ConfigurationError
from evaluation.labelled import rows_of
from models.intents import Intent, IntentClassifier


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentOutcome:
    """One sentence, what it wants, and what was guessed."""

    text: str
    language: str
    true: Intent
    guessed: Intent
    source: str

    @property
    def right(self) -> bool:
        """Whether the guess is the label."""
        return self.true is self.guessed


async def score_intents(path: Path, classifier: IntentClassifier) -> list[IntentOutcome]:
    """Classify every sentence of a set (rows: text, intent, lang).

    Raises:
        ConfigurationError: the set cannot be used.
    """
    outcomes = []
    for row in rows_of(path, ("text", "intent", "lang")):
        try:
            true = Intent(row["intent"])
        except ValueError as error:
            raise ConfigurationError(f"{path} names an intent that there is not: {row['intent']!r}.") from error
        guess = await classifier.classify(row["text"])
        outcomes.append(
            IntentOutcome(text=row["text"], language=row["lang"], true=true, guessed=guess.intent, source=guess.source)
        )
    return outcomes


def accuracy(outcomes: Sequence[IntentOutcome]) -> float:
    """Share of right guesses, 0..1."""
    return sum(outcome.right for outcome in outcomes) / len(outcomes)


def macro_f1(outcomes: Sequence[IntentOutcome]) -> float:
    """Mean over the intents that occur of 2 tp / (guessed + true), 0..1: a rare intent counts like a common one."""
    scores = []
    for intent in Intent:
        hits = sum(o.right for o in outcomes if o.true is intent)
        both = sum((o.true is intent) + (o.guessed is intent) for o in outcomes)
        if both:
            scores.append(2 * hits / both)
    return sum(scores) / len(scores)
