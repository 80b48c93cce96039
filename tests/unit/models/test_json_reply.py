"""JSON is found where models put it, and problems are told without repeating what stood there."""

from __future__ import annotations

import time

import pytest
from pydantic import BaseModel, Field, ValidationError

from models.json_reply import describe_problems, read_json_reply
from tests.support.hangs import HANGS


class Fact(BaseModel):
    text: str
    confidence: float = Field(ge=0, le=1)


ENDLESS = ('{"a":[' + "1," * 1_000) * 300
"""Each of its braces opens an object that is broken only at the very end."""

GOOD = '{"text": "不吃辣", "confidence": 0.9}'


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"好的，这是结果：\n```\n{GOOD}\n```\n还需要别的吗？",
        f"Sure! Use {{braces}} like this: {GOOD} Hope it helps.",
        f'<think>maybe {{"text": "wrong", "confidence": 0.1}}</think>{GOOD}',
        f'{{"note": "an example"}} and the answer {GOOD}',
    ],
)
def test_the_object_that_fits_is_found(reply: str) -> None:
    assert read_json_reply(reply, Fact) == Fact(text="不吃辣", confidence=0.9)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "我不知道。",
        GOOD[:-4],
        "[1, 2]",
        "{" * 5_000,
        '{"a":' * 5_000,
        '{"text": "\\ud800", "confidence": 1}',
        ENDLESS,
    ],
)
def test_what_does_not_fit_is_refused_in_no_time(reply: str) -> None:
    began = time.monotonic()
    with pytest.raises(ValidationError):
        read_json_reply(reply, Fact)
    assert time.monotonic() - began < HANGS


def test_problems_say_where_and_leave_out_the_users_words() -> None:
    with pytest.raises(ValidationError) as caught:
        read_json_reply('{"text": ["我的秘密"], "confidence": 7}', Fact)
    for_log = describe_problems(caught.value, with_words=False)
    assert for_log == "text (string_type); confidence (less_than_equal)"
    assert "秘密" not in describe_problems(caught.value, with_words=True)
