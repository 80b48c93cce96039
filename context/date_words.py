"""The vocabulary of dates in Chinese and English: months, weekdays, numerals, units, and words that shift a day."""

from __future__ import annotations

_OTHER_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    "|dec(?:ember)?"
)
MONTH = rf"(?P<month>{_OTHER_MONTHS}|(?-i:M)(?i:ay|ar(?:ch)?))\b\.?"
"""`may` and `march` are verbs ("step 3 may fail"): they need their capital."""
ANY_MONTH = rf"(?P<month>{_OTHER_MONTHS}|may|mar(?:ch)?)\b\.?"
"""For places where only a month can stand ("in may", "3 may 2023")."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

WEEKDAY = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
CHINESE_WEEKDAY = "(?P<weekday>[一二三四五六日天1-6])"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

FEW = 6
"""What 几 and "a few" reach back to at most."""

ENGLISH_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "a couple of": 2, "couple of": 2,
}  # fmt: skip
ENGLISH_NUMBER = (
    r"(?P<number>\d{1,3}|a couple of|couple of|half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve)"
)
_CHINESE_DIGITS = dict(zip("〇零○一二三四五六七八九两", (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2), strict=True))
_NUMERAL = r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"
HALF = ("半", "half a", "half an")
CHINESE_NUMBER = rf"(?P<number>\d{{1,3}}|{_NUMERAL}|半)"
CHINESE_MONTH = rf"(?P<month>{_NUMERAL})\s?月"
CHINESE_DAY = rf"(?P<day>{_NUMERAL})\s?[日号]"

UNITS = {
    "day": "day", "天": "day", "日": "day", "week": "week", "周": "week", "星期": "week", "礼拜": "week",
    "weekend": "weekend", "周末": "weekend", "month": "month", "月": "month", "quarter": "quarter", "季度": "quarter",
    "year": "year", "年": "year",
}  # fmt: skip
DAYS_OF_UNIT = {"day": 1, "week": 7, "month": 30, "year": 365}
CHINESE_UNIT = r"(?P<unit>天|日|周|个?星期|个?礼拜|个月|年)"
ENGLISH_UNIT = r"(?P<unit>days?|weeks?|months?|years?)\b"

DAY_SHIFTS = {
    "大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3,
    "the day before yesterday": -2, "day before yesterday": -2, "yesterday": -1, "last night": -1,
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
    "tomorrow": 1, "the day after tomorrow": 2, "day after tomorrow": 2,
}  # fmt: skip
SHIFTS = {
    "上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2,
    "大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2,
    "last": -1, "previous": -1, "this": 0, "next": 1, "coming": 1,
}  # fmt: skip
"""By how many weeks, months, quarters or years a word moves from the current one."""


def shift_of(word: str) -> int:
    """The move of one of `SHIFTS`, however it is written (`Last`, `上个`, `这一`)."""
    return SHIFTS[word.lower().rstrip("个一")]


def unit_of(word: str) -> str:
    """`day`, `week`, `weekend`, `month`, `quarter` or `year`."""
    return UNITS[word.lower().rstrip("s").removeprefix("个")]


def month_number(word: str) -> int:
    """1 to 12 of an English or Chinese month; ValueError when there is no such month."""
    if word[0].isascii() and word[0].isalpha():
        return _MONTHS.index(word[:3].lower()) + 1
    month = number(word)
    if not 1 <= month <= 12:
        raise ValueError(f"no month {month}")
    return month


def weekday_number(word: str) -> int:
    """0 for Monday to 6 for Sunday."""
    if len(word) > 1:
        return _WEEKDAYS.index(word.lower())
    return 6 if word in "日天" else number(word) - 1


def number(word: str) -> int:
    """The value of digits, of 一 to 九十九, or of an English number word to twelve; ValueError for 十三五."""
    if word.isdecimal():
        return int(word)
    if word.isascii():
        return ENGLISH_NUMBERS[" ".join(word.lower().split())]
    tens, ten, ones = word.partition("十")
    if len(tens) > 1 or len(ones) > 1 or "十" in ones:
        raise ValueError(f"no number {word}")
    if not ten:
        return _CHINESE_DIGITS[tens]
    return (_CHINESE_DIGITS[tens] if tens else 1) * 10 + (_CHINESE_DIGITS[ones] if ones else 0)


def year_number(word: str) -> int:
    """The year of four Arabic or Chinese digits, or of two (23年5月 is 2023)."""
    value = int("".join(c if c.isdecimal() else str(_CHINESE_DIGITS[c]) for c in word))
    return value + 2000 if value < 100 else value
