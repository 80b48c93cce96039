"""JSON lines of chats: ids that stay, times in a zone, and bad lines that stop nothing."""

from __future__ import annotations

import io
import json
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from context.truth import MessageRole
from resources.chats.lines import BadLine, ChatLine, read_chat_lines, session_id_of

GOOD = {"role": "user", "content": "我喜欢简短的回答", "sent_at": "2027-05-03T09:30:00Z"}


def read(*lines: object, name: str = "chat.jsonl", most_bytes: int = 1_000) -> list[ChatLine | BadLine]:
    """The lines of a file with these lines; text stands as it is, other values become JSON."""
    raw = b"\n".join(
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    )
    return list(read_chat_lines(io.BytesIO(raw), name=name, zone="Asia/Shanghai", most_bytes=most_bytes))


def good(*lines: object, name: str = "chat.jsonl") -> list[ChatLine]:
    """The same, all of them good."""
    found = read(*lines, name=name)
    assert not [line for line in found if isinstance(line, BadLine)]
    return [line for line in found if isinstance(line, ChatLine)]


def test_a_line_becomes_a_message() -> None:
    (line,) = good({**GOOD, "speaker": " Anna  B ", "timezone": "Europe/Berlin", "message_id": "m1", "session": "s"})
    message = line.message
    assert (message.role, message.content, message.speaker) == (MessageRole.USER, "我喜欢简短的回答", "Anna B")
    assert (message.sent_at.isoformat(), message.zone) == ("2027-05-03T09:30:00+00:00", "Europe/Berlin")
    assert (line.number, line.session) == (1, "s")


def test_a_time_without_offset_is_of_the_lines_zone_else_of_the_user() -> None:
    local = {**GOOD, "sent_at": "2027-05-03 09:30"}
    mine, theirs = good(local, {**local, "timezone": "America/New_York"})
    assert mine.message.sent_at == datetime.fromisoformat("2027-05-03T09:30+08:00")
    assert theirs.message.sent_at - mine.message.sent_at == timedelta(hours=12)


def test_ids_are_given_or_made_and_stay_the_same() -> None:
    given = "8b3a4b9e-3a4e-4b57-9d0d-0f6b8f6f3c11"
    lines = [{**GOOD, "message_id": given}, {**GOOD, "message_id": "m1"}, {**GOOD, "message_id": 7}, GOOD, GOOD]
    first, again = good(*lines), good(*lines)
    ids = [line.message.message_id for line in first]
    assert ids == [line.message.message_id for line in again]
    assert ids[0] == UUID(given)
    assert len(set(ids)) == len(ids)


def test_sessions_come_from_their_value_and_the_files_name() -> None:
    lines = [{**GOOD, "session": "a"}, {**GOOD, "session": "b"}, {**GOOD, "session": "a"}, GOOD]
    found = [line.session_id for line in good(*lines)]
    assert found[0] == found[2] == session_id_of("chat.jsonl", "a")
    assert len(set(found)) == 3
    assert not set(found) & {line.session_id for line in good(*lines, name="other.jsonl")}
    assert session_id_of("a", "bc") != session_id_of("ab", "c")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not json", "not JSON"),
        ("[1, 2]", "not a JSON object"),
        (b"\xff\xfe{}", "not UTF-8"),
        ({**GOOD, "role": "boss"}, "role:"),
        ({**GOOD, "content": " \n"}, "content: it is empty"),
        ({**GOOD, "content": 7}, "content:"),
        ({**GOOD, "content": "长" * 400}, "content: more than 1000 bytes"),
        ({**GOOD, "sent_at": "yesterday"}, "sent_at:"),
        ({**GOOD, "sent_at": "0001-01-01T00:00:00"}, "sent_at:"),
        ({"role": "user", "content": "x"}, "sent_at:"),
        ({**GOOD, "timezone": "Mars/Base"}, "timezone:"),
        ({**GOOD, "timezone": "../../etc/passwd"}, "timezone:"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_goes_on(line: object, reason: str) -> None:
    first, bad, last = read(GOOD, line, GOOD)
    assert isinstance(first, ChatLine)
    assert isinstance(last, ChatLine)
    assert isinstance(bad, BadLine)
    assert bad.number == 2
    assert bad.reason.startswith(reason)


def test_a_reason_quotes_nothing_that_somebody_wrote() -> None:
    found = read({**GOOD, "role": "my-password-123"}, {**GOOD, "sent_at": "my-password-123"})
    assert all(isinstance(line, BadLine) and "password" not in line.reason for line in found)


def test_marks_blank_lines_and_hostile_characters_do_no_harm() -> None:
    raw = b"\xef\xbb\xbf" + json.dumps({**GOOD, "content": "a\x00b\ud800c"}).encode()
    first, second = good(raw, "", "  ", GOOD)
    assert first.message.content == "a\ufffdb\ufffdc"
    assert second.number == 4


def test_a_line_without_end_is_passed_over_without_being_held() -> None:
    huge = io.BytesIO(b"x" * 9_000_000 + b"\n" + json.dumps(GOOD).encode())
    bad, line = read_chat_lines(huge, name="f", zone="UTC", most_bytes=1_000)
    assert isinstance(bad, BadLine)
    assert bad.reason == "longer than 4 MB"
    assert isinstance(line, ChatLine)
    assert line.number == 2
