"""Secrets: known by their form or by the cue beside them; talk about them is none."""

from __future__ import annotations

import time

import pytest

from memory.secrets import holds_secret, secret_spans
from tests.support.hangs import HANGS


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("my password is Tr0ub4dor&3", "password"),
        ("wifi password for the office is swordfish", "password"),
        ("wifi密码：sunflower99", "password"),
        ("门禁，密码hunter2", "password"),
        ("the OTP is 77120", "one_time_code"),
        ("482913 is your verification code", "one_time_code"),
        ("验证码是 482913，别告诉别人", "one_time_code"),
        ("刚收到的动态码 77120", "one_time_code"),
        ("use the backup code 8821-4432", "one_time_code"),
        ("pay with 4111 1111 1111 1111", "card_number"),
        ("卡是４１１１１１１１１１１１１１１１", "card_number"),
        ("我的银行卡号是 6222020200112233445", "bank_account"),
        ("IBAN DE89 3704 0044 0532 0130 00", "bank_account"),
        ("sk-proj-abcdefghijklmnop1234567890", "api_key"),
        ("my api key: a8f5f167f44f4964e6c998dee827110c", "api_key"),
        ("-----BEGIN RSA PRIVATE KEY-----", "api_key"),
        ("11010519491231002X", "id_number"),
        ("my SSN is 078-05-1120", "id_number"),
        ("护照号码是E12345678", "id_number"),
    ],
)
def test_secrets_are_seen(text: str, kind: str) -> None:
    assert holds_secret(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "my password is wrong",
        "我的密码忘了",
        "I need a new password for 3 accounts",
        "we use token buckets of 12 tokens",
        "the passport office moved to 12 Main Street",
        "call me at 13812345678",
        "我生日是1990年5月12日",
        "order 4111 1111 1111 1112 arrived",  # fails Luhn
        "110105194912310021",  # fails its check character
        "commit 8f14e45fceea167a5a36dedd4bea2543",
        "The meeting is on 2026-05-13 at 10:30.",
    ],
)
def test_talk_about_secrets_and_plain_numbers_are_none(text: str) -> None:
    assert holds_secret(text) is None


def test_spans_cover_the_secret_and_its_cue() -> None:
    text = "First 密码是 hunter2, then nothing"
    (span,) = secret_spans(text)
    assert text[span.start : span.end].startswith("密码是 hunter2")


@pytest.mark.parametrize("hostile", ["1 ", "密码是 ", "sk-a", "eyJ", "AA11 ", "password "])
def test_hostile_text_is_scanned_in_linear_time(hostile: str) -> None:
    started = time.perf_counter()
    holds_secret((hostile * 200_000)[:200_000])
    assert time.perf_counter() - started < HANGS
