"""The rules dates are read by: a table of patterns, each with the reader that turns a match into days."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from context import date_readers as readers
from context import date_words as words
from context.date_readers import Clock, Found, Span


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and its reader. A group `shown` narrows the words that count as the date."""

    pattern: re.Pattern[str]
    read: Callable[[Found, Clock], Iterator[Span]]
    explicit: bool = False
    vague: bool = False

    def spans(self, match: Found, clock: Clock) -> tuple[Span, ...]:
        """The days of a match; none for a date that no calendar holds (February 30, the year 0)."""
        try:
            return tuple(self.read(match, clock))
        except (ValueError, OverflowError):
            return ()


def _english(pattern: str) -> re.Pattern[str]:
    """Spaces stand for one to three blanks of any kind, so that nothing runs away on long blanks."""
    return re.compile(pattern.replace(" ", r"\s{1,3}"), re.IGNORECASE)


_YEAR = r"(?P<year>(?:19|20)\d\d)"
_THEN_YEAR = rf"(?:\s?,\s?| )(?:of )?{_YEAR}\b"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?\b"
_NUMERALS = r"\d一二三四五六七八九十"
_CHINESE_YEAR = rf"(?<![{_NUMERALS}])(?P<year>[12]\d{{3}}|[一二][〇零○一二三四五六七八九]{{3}})\s?年"
_OPTIONAL_DAY = rf"份?(?:\s?{words.CHINESE_DAY})?"
# What stands before a shifting character must not make another word of it: 线上周报, 目前天气, 过去年轻人, 说明日志.
_SPAN_SHIFT = r"(?P<shift>(?<![晚早马以线网身手路床桌楼车])(?:上上|下下|[上下])[个一]?|[这本][个一]?)"
_YEAR_SHIFT = r"(?P<shift>大前年|(?<![以之目当])前年|(?<!过)去年|今年|本年|(?<!聪)明年|(?<![以今之然最])后年)"
_DAY_SHIFT = (
    r"(?P<shift>大前(?=天)|(?<![以目之当提日年周月])前(?=[天日晚])|[昨今](?=[天日晚夜早晨儿])"
    r"|(?<![聪文光说证表声阐注透鲜黎分发])明(?=[天日早晚晨儿])|大后(?=天)|(?<![以今之然最背日年周月])后(?=天))[天日晚夜早晨儿](?!性)"
)
_SPAN_BACK = r"(?:最近|过去|这(?!一天)|(?<![附将接靠])近)的?"

_CALENDAR_RULES = tuple(
    Rule(pattern, read, explicit=True)
    for pattern, read in (
        (_english(rf"\b{_DAY}(?: of)? {words.ANY_MONTH}{_THEN_YEAR}"), readers.calendar),
        (_english(rf"\b{_DAY}(?: of)? {words.MONTH}"), readers.calendar),
        (_english(rf"\b{words.ANY_MONTH} (?:the )?{_DAY}{_THEN_YEAR}"), readers.calendar),
        (_english(rf"\b{words.MONTH} (?:the )?{_DAY}(?![:\d])"), readers.calendar),
        (_english(rf"\b{words.ANY_MONTH}{_THEN_YEAR}"), readers.calendar),
        (
            _english(
                r"\b(?:in|during|since|until|around|early|late|mid|(?:beginning|start|middle|end|rest|month|half) of)"
                rf"(?: |-)(?P<shown>{words.ANY_MONTH})(?!\s?\d)"
            ),
            readers.calendar,
        ),
        (
            _english(
                r"\b(?:in|during|since|until|till|by|before|after|from|of|for|year|early|late|mid|around|spring|summer"
                rf"|autumn|fall|winter)(?: |-)(?P<shown>{_YEAR})\b"
                r"(?![-/.]\d|\s?%| (?:words|people|items|tokens|dollars|users|lines|steps|files)\b)"
            ),
            readers.whole_year,
        ),
        (
            re.compile(
                rf"(?<![\d/.-]){_YEAR}(?P<mark>[-/.])(?P<month>0?[1-9]|1[0-2])(?P=mark)(?P<day>0?[1-9]|[12]\d|3[01])"
                r"(?!\d|[-/.]\d)"
            ),
            readers.calendar,
        ),
        (re.compile(rf"(?<![\d/.-]){_YEAR}[-/](?P<month>0[1-9]|1[0-2])(?!\d|[-/.]\d)"), readers.calendar),
        (re.compile(rf"(?<![\d/.-])(?P<first>\d{{1,2}})/(?P<second>\d{{1,2}})/{_YEAR}(?![\d/])"), readers.slashed),
        (re.compile(rf"{_CHINESE_YEAR}的?\s?{words.CHINESE_MONTH}{_OPTIONAL_DAY}"), readers.calendar),
        (re.compile(rf"(?<!\d)(?P<year>\d\d)年{words.CHINESE_MONTH}{_OPTIONAL_DAY}"), readers.calendar),
        (re.compile(rf"{_CHINESE_YEAR}(?![代级款])"), readers.whole_year),
        (
            re.compile(rf"(?<![{_NUMERALS}第]){words.CHINESE_MONTH}份?\s?{words.CHINESE_DAY}(?![线楼院店])"),
            readers.calendar,
        ),
        (
            re.compile(rf"(?<![{_NUMERALS}第每半]){words.CHINESE_MONTH}(?:份|(?![{_NUMERALS}亮饼球光天]))"),
            readers.calendar,
        ),
    )
)

_RELATIVE_RULES = tuple(
    Rule(pattern, read)
    for pattern, read in (
        (re.compile(rf"{_YEAR_SHIFT}的?\s?{words.CHINESE_MONTH}{_OPTIONAL_DAY}"), readers.calendar),
        (re.compile(rf"{_YEAR_SHIFT}(?!轻)"), readers.relative_year),
        (re.compile(rf"{_SPAN_SHIFT}月[份的]?\s?{words.CHINESE_DAY}"), readers.day_of_month),
        (re.compile(rf"{_SPAN_SHIFT}(?:周|星期|礼拜){words.CHINESE_WEEKDAY}"), readers.day_of_week),
        (
            re.compile(rf"{_SPAN_SHIFT}(?P<unit>周末|周(?![末边围转密])|星期|礼拜|季度|月(?![\d亮饼球光]))"),
            readers.relative_period,
        ),
        (re.compile(_DAY_SHIFT), readers.relative_day),
        (
            _english(
                r"\b(?P<shift>(?:the )?day before yesterday|(?:the )?day after tomorrow|yesterday|last night|today"
                r"|tonight|this (?:morning|afternoon|evening)|tomorrow)\b"
            ),
            readers.relative_day,
        ),
        (
            _english(
                r"\b(?P<shift>last|previous|this|next|coming) (?P<unit>week|weekend|month|quarter|year)\b(?! of\b)"
            ),
            readers.relative_period,
        ),
        (_english(rf"\b(?P<shift>last|this|next) {words.MONTH}(?!\s?\d)"), readers.shifted_month),
        (_english(rf"\b(?:last|past) {words.WEEKDAY}"), readers.last_weekday),
        (_english(rf"\b(?P<shift>this|next) {words.WEEKDAY}"), readers.day_of_week),
        (re.compile(rf"(?<![\d第]){words.CHINESE_NUMBER}{words.CHINESE_UNIT}多?(?:以前|之前|前)"), readers.ago),
        (re.compile(rf"(?<![\d第]){words.CHINESE_NUMBER}{words.CHINESE_UNIT}(?:以后|之后|后(?!天))"), readers.ahead),
        (_english(rf"\b{words.ENGLISH_NUMBER} {words.ENGLISH_UNIT} ago\b"), readers.ago),
        (_english(rf"\b{words.ENGLISH_NUMBER} {words.ENGLISH_UNIT} from (?:now|today)\b"), readers.ahead),
        (re.compile(rf"{_SPAN_BACK}{words.CHINESE_NUMBER}{words.CHINESE_UNIT}(?:以来|之内|[来内里])?"), readers.past),
        (
            _english(rf"\b(?:(?:past|last|previous) {words.ENGLISH_NUMBER} |past ){words.ENGLISH_UNIT}(?! of\b)"),
            readers.past,
        ),
    )
)

_VAGUE_RULES = tuple(
    Rule(pattern, read, vague=True)
    for pattern, read in (
        (_english(rf"\bon {words.WEEKDAY}"), readers.bare_weekday),
        (
            re.compile(rf"(?<![上下这本每个一两])(?:周|星期|礼拜){words.CHINESE_WEEKDAY}(?![至到鸣末])"),
            readers.bare_weekday,
        ),
        (re.compile(rf"好?几{words.CHINESE_UNIT}(?:以前|之前|前)"), readers.few_ago),
        (_english(rf"\b(?:a few|several|some) {words.ENGLISH_UNIT} ago\b"), readers.few_ago),
        (re.compile(rf"(?:{_SPAN_BACK}|前)(?:好?几|两(?=天)|些(?=[天日年])){words.CHINESE_UNIT}"), readers.past_few),
        (_english(rf"\b(?:past|last) (?:few|several) {words.ENGLISH_UNIT}"), readers.past_few),
        (
            re.compile(
                r"最近(?!的[^，。？！]{0,6}(?:站|店|医院|超市|银行|机场|公园|餐厅|酒店|学校))|近期|近来|近日|前段时间|前阵子"
                r"|这段时间|这阵子"
            ),
            readers.recent,
        ),
        (_english(r"\b(?:recently|lately|these days|the other day)\b"), readers.recent),
    )
)

RULES: tuple[Rule, ...] = (*_CALENDAR_RULES, *_VAGUE_RULES, *_RELATIVE_RULES)
"""In the order in which readings of the same words win."""
