"""What the offline brain says to each kind of message. Pure: a turn and an intent in, a text with citations out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from context.condense import cut
from context.terms import terms
from models.about_me import compose_about_me
from models.answers import (
    Answer,
    EvidenceEntry,
    Similarity,
    best_sentences,
    citations_of,
    cited,
    compose_answer,
    question_terms,
)
from models.cues import is_asked
from models.digests import compose_digest
from models.intents import Intent, IntentGuess
from models.phrases import phrase
from models.quotes import inert, quotable, quote
from models.turn import Turn

_LONGEST_ECHO = 80
"""Characters of the user's own sentence that an acknowledgement repeats."""
_WINDOW = 10
"""Earlier messages of the user that may answer a question."""
_SAID_SCORE = 0.5
_ORDER_TO_REMEMBER = re.compile(
    r"^(?:请|麻烦|帮我|你|对了|[，, ])*(?:记住|记下来?|记得|记一下|记着|记录一下|别忘了)[了，,：: ]*"
    r"|^(?:please )?(?:remember|note|keep in mind|make a note|don't forget)(?: that|:|,)?\s+",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"(?:密码|口令|验证码|CVV|私钥|密钥|卡号|身份证号码?).{0,6}(?:是|为|：|:|改成|叫)"
    r"|(?:这|下面|以上|上面|刚才).{0,8}(?:别|不要|不用)(?:记|保存|存)"
    r"|\b(?:password|passcode|passphrase|pin(?: code)?|otp|cvv|(?:one-time|verification) code|card number"
    r"|(?:api|secret|private) key)\b.{0,20}(?:\bis\b|=|:|\bto\b)"
    r"|\bdon't (?:save|store|record|remember) (?:this|that|it)\b",
    re.IGNORECASE,
)


def reply(turn: Turn, guess: IntentGuess, similarity: Similarity | None) -> Answer:
    """The reply to a turn whose tools have been asked.

    Args:
        similarity: of the sentences of `evidence_for`; None compares by words alone.
    """
    if guess.special == "about_me":
        return compose_about_me(turn)
    match guess.intent:
        case Intent.CHITCHAT:
            name = guess.special if guess.special in ("greeting", "thanks", "farewell", "help") else "chitchat"
            return Answer(text=phrase(name, turn.language))
        case Intent.STATEMENT:
            return Answer(text=_noted(turn))
        case Intent.CORRECTION:
            return _corrected(turn, guess, similarity)
        case Intent.TASK:
            return _incomplete(_task(turn, guess, similarity), turn)
        case Intent.QUESTION:
            answer = compose_answer(
                turn.question, evidence_for(turn, guess), language=turn.language, similarity=similarity
            )
            return _incomplete(answer, turn)


def evidence_for(turn: Turn, guess: IntentGuess) -> tuple[EvidenceEntry, ...]:
    """What may be quoted: what was found, and for a question also what the user said before in this session."""
    if guess.intent is not Intent.QUESTION:
        return turn.entries
    found = {sentence for entry in turn.entries for sentence in quotable(entry.text)}
    said = [
        EvidenceEntry(n=0, text=sentence, layer="log", context_type="SESSION", score=_SAID_SCORE)
        for message in turn.said[-_WINDOW:]
        for sentence in quotable(message)
        if not is_asked(sentence) and sentence not in found  # found again, it has a number to cite
    ]
    return (*turn.entries, *said)


def _noted(turn: Turn) -> str:
    if _SECRET.search(turn.question):
        return phrase("secret", turn.language)
    name = "noted" if turn.leaves_memory else "noted_without_memory"
    return phrase(name, turn.language, text=_echo(turn.question))


def _corrected(turn: Turn, guess: IntentGuess, similarity: Similarity | None) -> Answer:
    """An acknowledgement, and the record that the correction is about where one was found."""
    if _SECRET.search(turn.question):
        return Answer(text=phrase("secret", turn.language))
    forget = guess.special == "forget"
    name = ("forget" if forget else "corrected") if turn.leaves_memory else "corrected_without_memory"
    text = phrase(name, turn.language, text=_echo(turn.question))
    found = best_sentences(turn.question, turn.entries, limit=1, similarity=similarity)
    if not found:
        return Answer(text=text)
    concerned = phrase("concerns", turn.language, text=cited(found[0], turn.language))
    return Answer(text=f"{text}\n{concerned}", citations=citations_of(found))


def _task(turn: Turn, guess: IntentGuess, similarity: Similarity | None) -> Answer:
    if guess.special in ("summarise", "list"):
        return compose_digest(turn.question, turn.entries, language=turn.language)
    found = best_sentences(turn.question, turn.entries, similarity=similarity)
    if guess.special == "lookup":
        named = _naming(turn) if found else []
        return compose_digest(turn.question, named or [one.entry for one in found], language=turn.language)
    if not found:
        return Answer(text=phrase("cannot", turn.language))
    lines = [phrase("cannot_but", turn.language), *(f"- {cited(sentence, turn.language)}" for sentence in found)]
    return Answer(text="\n".join(lines), citations=citations_of(found))


def _naming(turn: Turn) -> list[EvidenceEntry]:
    """The entries that name what the message is about, in at least one word or pair of characters."""
    wanted = {term for term in question_terms(turn.question) if len(term) > 1}
    return [entry for entry in turn.entries if wanted & set(terms(f"{entry.title} {entry.text}"))]


def _incomplete(answer: Answer, turn: Turn) -> Answer:
    """An answer that cites nothing while a part of the search did not run says so: absence is not proven."""
    if answer.citations or not turn.degradations:
        return answer
    reasons = _joined(turn.degradations, "；" if turn.language == "zh" else "; ")
    return Answer(text=f"{answer.text}\n{phrase('incomplete', turn.language, reasons=reasons)}")


def _joined(reasons: Sequence[str], separator: str) -> str:
    return separator.join(dict.fromkeys(reason.strip(" []") for reason in reasons))


def _echo(text: str) -> str:
    """The user's sentence, short and inert, without the order to remember it and without its final stop."""
    bare = quote(_ORDER_TO_REMEMBER.sub("", inert(text).strip()))
    return cut(bare or quote(inert(text)), _LONGEST_ECHO).rstrip("。.！!；; ")
