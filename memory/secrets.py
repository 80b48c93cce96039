"""Secrets in a text: passwords, one-time codes, cards, keys, numbers of identity. None of them may become a memory.

A secret is known by its own form (a card number passes Luhn's check, a key has a vendor's prefix) or by a cue beside
a value ("password: ...", 验证码是 ...). Every pattern has bounded repeats, so the scan is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from context.characters import fold_width


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """Where a secret and its cue lie in the text: `text[start:end]`.

    Attributes:
        kind: `password`, `one_time_code`, `card_number`, `api_key`, `id_number` or `bank_account`.
    """

    kind: str
    start: int
    end: int


def holds_secret(text: str) -> str | None:
    """The kind of the first secret in `text`, None if there is none."""
    first = min(secret_spans(text), key=lambda span: span.start, default=None)
    return first.kind if first else None


def secret_spans(text: str) -> tuple[SecretSpan, ...]:
    """Every secret in `text`, in order of its place; spans may overlap."""
    folded = fold_width(text)  # one character for one, so places stay true
    return tuple(sorted(_found(folded), key=lambda span: (span.start, span.end)))


def _found(text: str) -> Iterator[SecretSpan]:
    for kind, pattern in _FORMS:
        for match in pattern.finditer(text):
            yield SecretSpan(kind, *match.span())
    for match in _DIGIT_RUN.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if 13 <= len(digits) <= 19 and digits[0] in "23456" and _passes_luhn(digits):
            yield SecretSpan("card_number", *match.span())
        elif len(digits) == 17 + 1 and _is_resident_number(digits):
            yield SecretSpan("id_number", *match.span())
    for match in _RESIDENT_X.finditer(text):
        if _is_resident_number(match.group().upper()):
            yield SecretSpan("id_number", *match.span())
    for match in _IBAN.finditer(text):
        if _passes_iban(match.group()):
            yield SecretSpan("bank_account", *match.span())
    for match in _PASSWORD.finditer(text):
        if match["value"].lower().strip(".,;!?") not in _NO_PASSWORD:
            yield SecretSpan("password", *match.span())


def _passes_luhn(digits: str) -> bool:
    """The check digit of ISO/IEC 7812-1, annex B."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_resident_number(number: str) -> bool:
    """A Chinese resident identity number, GB 11643: a birth date and a check character (ISO 7064, mod 11-2)."""
    if not re.match(r"[1-9]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", number):
        return False
    total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(number[:17]))
    return "10X98765432"[total % 11] == number[17]


def _passes_iban(text: str) -> bool:
    """The check digits of ISO 13616: mod 97 is 1."""
    compact = text.replace(" ", "").upper()
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


_IS = r"\s{0,3}(?:is|was|are|=|:|是|为|就是|改成了?|改为)\s{0,3}[:\"'“「`]{0,2}\s{0,3}"
_LOOSE = r"[\s:=,是为“\"'「(（`#-]{0,6}"
_ONE_TIME = (
    r"(?:验证码|校验码|动态码|动态密码|动态口令|一次性密码|取件码|备用码|恢复码|\botp\b|\b2fa\b|"
    r"\bmfa\b|\b(?:verification|security|one[- ]time|login|sign[- ]?in|confirmation|"
    r"authentication|auth|access|sms|backup|recovery) (?:code|pin|passcode|password)|\bcvv2?\b|"
    r"\bcvc\b|安全码|门禁码|取货码|解锁码|door code|alarm code|gate code|unlock code)"
)
_CODE = r"(?<![\w.])(?=[a-z]{0,4}[- ]?\d)[a-z0-9]{0,5}[- ]?\d{3,8}(?:-\d{3,8})?(?![\w])"

_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("one_time_code", rf"{_ONE_TIME}(?:\s{{0,2}}(?:is|was|:|是|为))?{_LOOSE}{_CODE}"),
        ("one_time_code", rf"\byour (?:\w{{1,20}} )?code is{_LOOSE}{_CODE}"),
        ("one_time_code", rf"(?<!\d)\d{{4,8}}\s?(?:是|is)(?:你|您|我|your|my|the|本次|的|\s){{0,4}}{_ONE_TIME}"),
        (
            "api_key",
            r"\b(?:sk|pk|rk)[-_](?:[a-z]{1,12}[-_])?[a-z0-9_-]{16,200}|"
            r"\bgh[pousr]_[a-z0-9]{20,100}|\bgithub_pat_\w{20,100}|\bglpat-[\w-]{16,60}|\b(?:AKIA|"
            r"ASIA)[0-9A-Z]{16}\b|\bxox[abprs]-[\w-]{10,100}|\bAIza[\w-]{30,45}|"
            r"\beyJ[\w-]{8,500}\.[\w-]{8,500}\.|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----",
        ),
        (
            "api_key",
            r"(?:\b(?:api|access|secret|private|encryption|license)[ _-]?(?:key|token|secret)|\b"
            r"(?:client|app) secret|\b(?:bearer|access|auth|refresh) token|\btoken\b|密钥|秘钥|令牌|"
            rf"私钥){_IS}(?=[^\s]{{0,80}}\d)[\w.+/=-]{{8,300}}",
        ),
        ("api_key", rf"(?:\b(?:seed|recovery|mnemonic) phrase|助记词){_IS}\S"),
        ("id_number", r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])"),
        (
            "id_number",
            r"(?:身份证|护照|驾照|驾驶证|社保|港澳通行证|\b(?:social security|ssn|passport|"
            r"driver'?s licen[cs]e|national id|id card|identity card|tax id|nhs)\b)(?:号码?|\s?(?:number|"
            rf"no\.?|#))?(?:\s{{0,2}}(?:is|:|是|为))?{_LOOSE}"
            r"(?=[a-z]{0,3}\d)[a-z0-9][a-z0-9 -]{5,24}\d[\dx]?",
        ),
        (
            "bank_account",
            r"(?:银行卡|卡号|银行账号|银行账户|\b(?:bank )?account (?:number|no\.?)|\b(?:credit|debit|"
            r"bank) card(?: number)?|\bcard number)(?:号码?)?(?:\s{0,2}(?:is|:|是|"
            rf"为))?{_LOOSE}\d[\d -]{{6,30}}\d",
        ),
    )
)
_DIGIT_RUN = re.compile(r"(?<!\d)\d(?:[ \u00a0.-]?\d){12,18}(?!\d)")
_RESIDENT_X = re.compile(r"(?<!\d)\d{17}[xX](?![\da-zA-Z])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_PASSWORD = re.compile(
    r"(?:密码|口令|暗号|\bpassw(?:or)?d\b|\bpasscode\b|\bpassphrase\b|\bpwd\b|\bpin(?: code|"
    rf" number|码)?\b)(?: (?:for|to|of|on) [\w' ]{{1,30}}?)?(?:{_IS}|\s?(?=[!-~]{{0,30}}\d))"
    r"(?P<value>[^\s,，。；;、]{3,80})",
    re.IGNORECASE,
)
_ORDINARY = """
    wrong expired required not too very the incorrect correct strong weak gone lost stored saved kept invalid
    missing protected reset being same different set still always never empty case-sensitive in on a an my your
    safe secure 什么 多少 错的 错了 对的 不对 弱密码 强密码 什么来着 多少来着
"""
_NO_PASSWORD = frozenset(_ORDINARY.split())
"""What follows "password is" in talk about passwords."""
