"""Dates in Chinese and English, told what day it is: a table, and the rules around it."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.dates import date_spans, day_windows, resolve_time
from context.errors import InvalidInputError

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2023, 5, 17, 9, 30, tzinfo=SHANGHAI)  # a Wednesday


def days(text: str, now: datetime = NOW) -> list[str]:
    """The windows of a text, written `first..last` without the year 2023."""

    def short(day: date) -> str:
        return day.isoformat().removeprefix("2023-")

    return [
        short(w.first) if w.first == w.last else f"{short(w.first)}..{short(w.last)}"
        for w in day_windows(text, now=now)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # calendar dates, English
        ("on 3 May 2023", "05-03"),
        ("the 3rd of May, 2023", "05-03"),
        ("May 3rd", "05-03"),
        ("December 1,2022", "2022-12-01"),
        ("Sept. 5, 2022", "2022-09-05"),
        ("May 2023", "05-01..05-31"),
        ("in february of 2024", "2024-02-01..2024-02-29"),
        ("in July", "2022-07-01..2022-07-31"),
        ("in summer 2021", "2021-01-01..2021-12-31"),
        ("since 2019", "2019-01-01..2019-12-31"),
        ("2023-05-03T10:00", "05-03"),
        ("2023/5/3", "05-03"),
        ("2023-04", "04-01..04-30"),
        ("5/3/2023", "05-03"),
        ("17/5/2023", "05-17"),
        ("from May 3 to May 5, 2023", "05-03..05-05"),
        # calendar dates, Chinese
        ("5月3号", "05-03"),
        ("2023年5月3日", "05-03"),
        ("２０２３年５月", "05-01..05-31"),
        ("2023年", "01-01..12-31"),
        ("23年4月", "04-01..04-30"),
        ("二〇二二年十二月二十五号", "2022-12-25"),
        ("十二月的账单", "2022-12-01..2022-12-31"),
        ("5月3日至5月7日", "05-03..05-07"),
        ("2月29号", "2020-02-29"),
        # relative days
        ("昨天", "05-16"),
        ("前天去了", "05-15"),
        ("大前天", "05-14"),
        ("今天天气", "05-17"),
        ("昨晚", "05-16"),
        ("明早开会", "05-18"),
        ("大后天", "05-20"),
        ("yesterday", "05-16"),
        ("the day before yesterday", "05-15"),
        ("last night", "05-16"),
        ("this morning", "05-17"),
        ("Tomorrow", "05-18"),
        # weeks begin on Monday
        ("上周", "05-08..05-14"),
        ("上週五", "05-12"),
        ("上个星期天", "05-14"),
        ("这周", "05-15..05-21"),
        ("本周三", "05-17"),
        ("下周一", "05-22"),
        ("上周末", "05-13..05-14"),
        ("last week", "05-08..05-14"),
        ("last Friday", "05-12"),
        ("last Wednesday", "05-10"),
        ("this week", "05-15..05-21"),
        ("next Friday", "05-26"),
        ("last weekend", "05-13..05-14"),
        ("on Monday", "05-15"),
        ("周三", "05-17"),
        # months, quarters, years
        ("上个月", "04-01..04-30"),
        ("上个月5号", "04-05"),
        ("下月", "06-01..06-30"),
        ("上季度", "01-01..03-31"),
        ("last month", "04-01..04-30"),
        ("去年", "2022-01-01..2022-12-31"),
        ("去年五月三号", "2022-05-03"),
        ("前年", "2021-01-01..2021-12-31"),
        ("last year", "2022-01-01..2022-12-31"),
        ("last June", "2022-06-01..2022-06-30"),
        ("last April", "04-01..04-30"),
        # so long ago, up to now
        ("三天前", "05-14"),
        ("10天之前", "05-07"),
        ("两周前", "05-01..05-07"),
        ("半年前", "2022-11-01..2022-11-30"),
        ("5 days ago", "05-12"),
        ("two weeks ago", "05-01..05-07"),
        ("a month ago", "04-01..04-30"),
        ("3 years ago", "2020-01-01..2020-12-31"),
        ("最近", "05-03..05-17"),
        ("近三天", "05-14..05-17"),
        ("最近一周", "05-10..05-17"),
        ("recently", "05-03..05-17"),
        ("the past 3 days", "05-14..05-17"),
        ("the last two weeks", "05-03..05-17"),
        ("几天前", "05-11..05-16"),
        ("三天后", "05-20"),
        ("in one breath: yesterday 和 上周五", "05-16 05-12"),
    ],
)
def test_windows(text: str, expected: str) -> None:
    assert days(text) == expected.split(" ")


@pytest.mark.parametrize(
    "text",
    [
        "目前天气很好", "以后天天跑步", "说明日志在哪", "线上周报", "过去年轻的时候", "早上月亮很圆", "每周三次",
        "最近的地铁站在哪", "第三天后", "五月天的演唱会", "3个月的账单", "5月30日线", "Cyberpunk 2077",
        "step 3 may fail", "this may help", "v2023.5.3.1", "2023-02-30", "13月1日", "in 2000 words",
        "the last week of August", "", "版本 1.2.3 发布",
    ],
)  # fmt: skip
def test_words_that_only_look_like_dates(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "now", "expected"),
    [
        ("昨天", datetime(2024, 1, 1, 0, 10), ["12-31"]),
        ("上周", datetime(2024, 1, 1), ["12-25..12-31"]),
        ("last week", datetime(2024, 1, 7), ["12-25..12-31"]),
        ("上周日", datetime(2024, 1, 7), ["12-31"]),
        ("上个月", datetime(2024, 1, 31), ["12-01..12-31"]),
        ("last quarter", datetime(2024, 2, 5), ["10-01..12-31"]),
        ("下个月", datetime(2023, 12, 31), ["2024-01-01..2024-01-31"]),
        ("一个月前", datetime(2024, 3, 31), ["2024-02-01..2024-02-29"]),
        ("12月31日", datetime(2024, 1, 1), ["12-31"]),
        ("May 18", datetime(2023, 5, 17), ["2022-05-18"]),
        ("May 17", datetime(2023, 5, 17), ["05-17"]),
    ],
)
def test_edges_of_years_months_and_weeks(text: str, now: datetime, expected: list[str]) -> None:
    assert days(text, now.replace(tzinfo=SHANGHAI)) == expected


def test_today_is_judged_in_the_zone_of_now() -> None:
    moment = datetime(2023, 5, 17, 20, 0, tzinfo=ZoneInfo("UTC"))
    assert days("今天", moment) == ["05-17"]
    assert days("今天", moment.astimezone(SHANGHAI)) == ["05-18"]
    with pytest.raises(InvalidInputError):
        day_windows("今天", now=datetime(2023, 5, 17))
    with pytest.raises(InvalidInputError):
        resolve_time("今天", said_at=datetime(2023, 5, 17))


def test_a_date_without_a_year_takes_every_year_in_memory() -> None:
    windows = day_windows("5月3号和 in June", now=NOW, years=[2023, 2021, 2023])
    assert [w.first for w in windows] == [date(2021, 5, 3), date(2023, 5, 3), date(2021, 6, 1), date(2023, 6, 1)]
    assert day_windows("5月3号", now=NOW, years=[]) == []
    assert [w.first for w in day_windows("2月29号", now=NOW, years=[2020, 2021])] == [date(2020, 2, 29)]


def test_a_window_says_what_it_was_read_from_and_how_sure_it_is() -> None:
    explicit, relative, vague = day_windows("２０２２年５月3日、上周五，以及最近", now=NOW)
    assert (explicit.text, explicit.explicit, explicit.vague) == ("２０２２年５月3日", True, False)
    assert (relative.text, relative.explicit, relative.vague) == ("上周五", False, False)
    assert (vague.text, vague.vague) == ("最近", True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我昨天搬到了上海", "2023-05-16"),
        ("We decided last Friday", "2023-05-12"),
        ("去年我说过，2021年3月5日入职", "2021-03-05"),
        ("The launch is on June 1", "2023-06-01"),
        ("决定6月1号发布", "2023-06-01"),
        ("In 2020, exactly on 5 March 2020, we met", "2020-03-05"),
        ("两周前开始的", "2023-05-01"),
    ],
)
def test_event_time_is_the_start_of_the_best_window(text: str, expected: str) -> None:
    assert resolve_time(text, said_at=NOW) == datetime.fromisoformat(expected).replace(tzinfo=SHANGHAI)


@pytest.mark.parametrize("text", ["我喜欢爬山", "最近很忙", "on Monday I run", "a few days ago", "周三开会"])
def test_nothing_sure_dates_nothing(text: str) -> None:
    assert resolve_time(text, said_at=NOW) is None


def test_spans_are_of_calendar_dates_only() -> None:
    text = "昨天说的 2023年5月3日 and May 4"
    assert [text[start:end] for start, end in date_spans(text)] == ["2023年5月3日", "May 4"]


@given(
    st.dates(date(1990, 1, 1), date(2089, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%Y年%m月%d日", "%d %B %Y", "%B %d, %Y"]),
)
def test_every_written_date_is_read_back(day: date, form: str) -> None:
    (window,) = day_windows(f"x {day.strftime(form)} y", now=NOW)
    assert (window.first, window.last, window.explicit) == (day, day, True)


@given(
    st.text(st.sampled_from("0123456789年月日号天周上下前后个去今昨 -/.MayJuneago")), st.datetimes(datetime(1800, 1, 1))
)
def test_any_text_at_any_time_gives_ordered_windows_or_none(text: str, now: datetime) -> None:
    for window in day_windows(text, now=now.replace(tzinfo=SHANGHAI)):
        assert window.first <= window.last
        assert window.text in text
    resolve_time(text, said_at=now.replace(tzinfo=SHANGHAI))


@given(st.integers(0, 400))
def test_last_week_is_the_seven_days_before_this_monday(shift: int) -> None:
    now = NOW + timedelta(days=shift)
    (this_week,), (last_week,) = day_windows("这周", now=now), day_windows("上周", now=now)
    assert this_week.first.weekday() == 0
    assert this_week.first <= now.date() <= this_week.last
    assert last_week.last + timedelta(days=1) == this_week.first
