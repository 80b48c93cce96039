"""Subtitles of every kind as lines of who says what, by the minute."""

from __future__ import annotations

import pytest

from context.errors import ProjectionError
from context.types import SourceType
from tests.unit.resources.readers.files import read

SRT = """1
00:00:01,000 --> 00:00:03,500
<i>大家好</i>，
今天讨论数据库。

2
00:00:59,000 --> 00:01:00,000
{\\an8}I <3 it & more

3
00:01:01,200 --> 00:01:04,000
决定了。

"""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16"])
def test_srt_in_parts_of_a_minute(encoding: str) -> None:
    document = read(SRT.replace("\n", "\r\n").encode(encoding), "会议.srt")
    assert document.source_type is SourceType.AUDIO_TRANSCRIPT and document.title == "会议" and not document.notices
    assert [(part.anchor, part.text) for part in document.parts] == [
        ("t=00:00:01", "大家好， 今天讨论数据库。\nI <3 it & more"),
        ("t=00:01:01", "决定了。"),
    ]


def test_vtt_tells_who_speaks_and_leaves_the_rest_out() -> None:
    vtt = """WEBVTT - a title

NOTE a comment
of two lines

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.000 align:start
<v.loud Ann Lee>Shall we &amp; can we <c.red>move</c>?</v>

1:00:00.500 --> 1:00:04.000
<v 王小明>可以。
<v Ann Lee>Good.
"""
    document = read(vtt.encode(), "talk.vtt")
    assert [(part.anchor, part.text) for part in document.parts] == [
        ("t=00:00:01", "Ann Lee: Shall we & can we move?"),
        ("t=01:00:00", "王小明: 可以。\nAnn Lee: Good."),
    ]


def test_rolling_captions_say_each_line_once() -> None:
    vtt = """WEBVTT

00:00.000 --> 00:02.000
we will now move

00:02.000 --> 00:02.010
we will now move

00:02.010 --> 00:04.000
we will now move
the database

00:04.000 --> 00:06.000
the database
tomorrow

00:09.000 --> 00:10.000
tomorrow
"""
    assert read(vtt.encode(), "a.vtt").text == "we will now move\nthe database\ntomorrow\ntomorrow"


def test_a_caption_that_grows_word_by_word_is_its_last_form() -> None:
    srt = "".join(
        f"{n}\n00:00:0{n},000 --> 00:00:0{n + 1},000\n{words}\n\n"
        for n, words in enumerate(["we", "we move", "we move now", "stop"], start=1)
    )
    assert read(srt.encode(), "a.srt").text == "we move now\nstop"


def test_broken_cues_are_told_by_their_lines_and_the_others_kept() -> None:
    srt = """1
00:00:01,000 --> 00:00:02,000
first

goes on after an empty line

2
00:00:xx --> 00:00:04,000
lost
3
00:00:05,000 --> 00:00:06,000
third
"""
    document = read(srt.encode(), "a.srt")
    assert document.text == "first goes on after an empty line\nthird"
    assert document.notices == ("1 of the subtitles could not be read (at line 8).",)
    assert document.notices_zh == ("有 1 条字幕无法读取（第 8 行）。",)


def test_lyrics_with_repeated_lines() -> None:
    document = read("[ti:山歌]\n[ar:x]\n[00:10.50][01:20.00]唱山歌\n[00:15]哎\n".encode("gb18030"), "song.lrc")
    assert document.title == "山歌"
    assert [(part.anchor, part.text) for part in document.parts] == [
        ("t=00:00:10", "唱山歌\n哎"),
        ("t=00:01:20", "唱山歌"),
    ]


def test_no_cues_is_a_reason() -> None:
    with pytest.raises(ProjectionError, match="no subtitles"):
        read(b"WEBVTT\n\nNOTE nothing\n", "a.vtt")
