"""What a model proposes becomes memory only with a quote in which the user states it in their own words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from context.derived import Candidate
from context.truth import ChatMessage, ChatSession, MessageRole
from context.types import MemoryType
from memory.archive import Stage
from memory.extract import ProposedEvidence, ProposedMemory, Refused, check
from storage.commits import Commit

HOME = "I live in Berlin."


def stage_of(*said: tuple[str | None, str], role: MessageRole = MessageRole.USER) -> Stage:
    """A stage of (speaker, text)."""
    session = ChatSession(session_id=uuid4())
    messages = tuple(
        ChatMessage(
            message_id=uuid4(),
            role=role,
            content=text,
            sent_at=datetime(2026, 3, 2, 9, tzinfo=UTC),
            seq=seq,
            speaker=speaker,
        )
        for seq, (speaker, text) in enumerate(said, start=1)
    )
    commit = Commit(commit_id=uuid4(), session_id=session.session_id, from_seq=0, upto_seq=len(messages))
    return Stage(commit=commit, session=session, messages=messages)


def checked(stage: Stage, *cited: tuple[str, str], **more: Any) -> Candidate | Refused:
    """The fate of a proposal that cites (message, quote)."""
    values: dict[str, Any] = {
        "type": "PROFILE",
        "abstract": "Lives in Berlin",
        "overview": "Lives in Berlin",
        "subject": "user",
        "facet": "city",
        "evidence": [ProposedEvidence(message_id=name, quote=quote) for name, quote in cited],
        "event_time": None,
        "language": "en",
        "negated": False,
        "confidence": 0.9,
    }
    names = {f"m{n}": message for n, message in enumerate(stage.messages, start=1)}
    return check(ProposedMemory(**{**values, **more}), names, stage=stage, user="ann", zone=UTC, source="model")


def reason_for(text: str, quote: str, **more: Any) -> str:
    refused = checked(stage_of((None, text)), ("m1", quote), **more)
    assert isinstance(refused, Refused), f"accepted: {refused}"
    assert refused.digest, "a refusal is named in the report"
    assert quote not in refused.reason, "and repeats nothing of what was refused"
    return refused.reason


@pytest.mark.parametrize(("text", "quote"), [(HOME, "I live in Berlin"), ("我住在柏林。", "我住在柏林")])
def test_a_plain_statement_passes_with_its_quote_as_it_stands(text: str, quote: str) -> None:
    found = checked(stage_of((None, text)), ("m1", quote))
    assert isinstance(found, Candidate)
    assert [e.quote for e in found.evidence] == [quote]
    assert (found.memory_type, found.source) == (MemoryType.PROFILE, "model")


@pytest.mark.parametrize("field", ["abstract", "overview", "subject", "facet"])
@pytest.mark.parametrize("secret", ["password: hunter2x9", "验证码是 482913"])
def test_no_field_may_hold_a_secret(field: str, secret: str) -> None:
    assert reason_for(HOME, "I live in Berlin", **{field: secret}) == "secret"


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("My password is hunter2x9 at work.", "hunter2x9"),
        ("My password is hunter2x9 at work.", "hunter2x9 at work"),
        ("我的密码是 hunter2x9，公司用的。", "hunter2x9"),
    ],
)
def test_a_quote_cut_out_of_a_secret_is_a_secret(text: str, quote: str) -> None:
    assert reason_for(text, quote, abstract="Uses a word at work", overview="Uses a word at work") == "secret"
    assert reason_for(text, quote, type="CASE", abstract="A word", overview="A word") == "secret", "of any type"


@pytest.mark.parametrize(
    ("text", "quote", "reason"),
    [
        ("Don't save this. I live in Berlin.", "I live in Berlin", "do_not_save"),
        ("别记这个。我住在柏林。", "我住在柏林", "do_not_save"),
        ("What if I moved to Berlin?", "I moved to Berlin", "hypothetical"),
        ("如果我搬到柏林呢？", "我搬到柏林", "hypothetical"),
        ("Look:\n```\nI live in Berlin.\n```\nthanks", "I live in Berlin.", "evidence is quoted material"),
        ("> I live in Berlin\nIs that so?", "I live in Berlin", "evidence is quoted material"),
        ('She wrote "I live in Berlin now".', "I live in Berlin now", "evidence is quoted material"),
        ("I live in Berlin.", "I", "quote too short to prove anything"),
        ("我住在柏林。", "我", "quote too short to prove anything"),
        ("I live in Berlin.", "I live in Bern", "quote not found in the cited message"),
        (
            "I live in Berlin " + "and I like it " * 40,
            "I live in Berlin " + "and I like it " * 39,
            "quote of more than",
        ),
    ],
)
def test_words_that_state_nothing_of_the_user_s_own_prove_nothing(text: str, quote: str, reason: str) -> None:
    assert reason_for(text, quote).startswith(reason)


def test_one_sound_quote_is_enough_and_the_others_are_left_out() -> None:
    stage = stage_of((None, "What if I moved to Berlin?"), (None, HOME))
    found = checked(stage, ("m1", "I moved to Berlin"), ("m2", "I live in Berlin"), ("m9", "I live in Berlin"))
    assert isinstance(found, Candidate)
    assert [e.quote for e in found.evidence] == ["I live in Berlin"]


def test_where_several_speak_only_the_user_s_own_words_are_theirs() -> None:
    stage = stage_of((None, "我住在柏林。"), ("Bob", "I live in Oslo."))
    assert isinstance(checked(stage, ("m1", "我住在柏林")), Candidate)
    foreign = checked(stage, ("m2", "I live in Oslo"))
    assert isinstance(foreign, Refused)
    assert foreign.reason == "evidence is not in the user's own words"
    both_named = stage_of(("Ann", HOME), ("Bob", "I live in Oslo."))
    assert _accepted(both_named, [("m1", "I live in Berlin"), ("m2", "I live in Oslo")]) == [False, False]
    assert _accepted(stage_of(("Ann", HOME)), [("m1", "I live in Berlin")]) == [True], "who speaks alone is the user"
    said_by_model = stage_of((None, HOME), role=MessageRole.ASSISTANT)
    assert _accepted(said_by_model, [("m1", "I live in Berlin")]) == [False]


def _accepted(stage: Stage, cited: Sequence[tuple[str, str]]) -> list[bool]:
    return [isinstance(checked(stage, one), Candidate) for one in cited]
