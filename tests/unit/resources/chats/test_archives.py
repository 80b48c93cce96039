"""Archives of ChatGPT and Claude: what is taken of them, in which order, and what is said about the rest."""

from __future__ import annotations

import io
import json
import random
import re
import time
import tracemalloc
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile
from zoneinfo import ZoneInfo

import pytest

from context.errors import InvalidInputError
from context.truth import MessageRole
from resources.chats.archives import ChatArchive, FileBytes, opened_archive
from resources.chats.json_items import Item, read_items
from resources.chats.reasons import Reason
from resources.chats.tree import BadConversation, Conversation
from storage.encoding import dump_json
from tests.support.chat_exports import BEGAN, PICTURE, branched, chatgpt, claude, node, said, zipped

UNDATED = datetime(2027, 2, 1, tzinfo=UTC)


def conversations(archive: ChatArchive, *, most_bytes: int = 100_000) -> list[Conversation | BadConversation]:
    """What an archive holds."""
    return list(archive.conversations(zone=ZoneInfo("Asia/Shanghai"), most_bytes=most_bytes, undated=UNDATED))


def read(content: Any, *, most_bytes: int = 100_000) -> list[Conversation | BadConversation]:
    """The conversations of a file: bytes as they are, a mapping as a zip of such members, else the list as JSON."""
    raw = content if isinstance(content, bytes) else None
    if raw is None:
        raw = zipped(content) if isinstance(content, Mapping) else json.dumps(content).encode()
    with opened_archive(io.BytesIO(raw)) as archive:
        assert archive is not None
        return conversations(archive, most_bytes=most_bytes)


def one(content: Any, *, most_bytes: int = 100_000) -> Conversation:
    """The only one, which is good."""
    (found,) = read([content], most_bytes=most_bytes)
    assert isinstance(found, Conversation), found
    return found


def texts(conversation: Conversation) -> list[str]:
    """Its messages' words, in order."""
    return [one.message.content for one in conversation.messages]


def codes(conversation: Conversation | BadConversation) -> dict[str, Any]:
    """Its reasons by their codes."""
    reasons = [conversation.reason] if isinstance(conversation, BadConversation) else conversation.reasons
    return {reason.code: dict(reason.values) for reason in reasons}


# --- ChatGPT ------------------------------------------------------------------------------------------------------


def test_branches_that_were_left_come_before_the_one_people_stayed_on() -> None:
    found = one(branched())
    assert texts(found) == [
        "I live in Lyon",
        "Paris.",
        "我住在巴黎",
        "Noted.",
        "好的。",
        "42",
        "It is 42.",
        "📎 file_00aB",
    ]
    sides = [message.message.tool.get("branch") for message in found.messages]
    assert sides == ["side", "side", None, "side", None, None, None, None]
    by_text = {message.message.content: message.message for message in found.messages}
    ids = {message.message_id: text for text, message in by_text.items()}
    parents = {text: ids.get(message.parent_id) if message.parent_id else None for text, message in by_text.items()}
    assert parents == {
        "I live in Lyon": None,
        "我住在巴黎": None,
        "Paris.": "I live in Lyon",
        "Noted.": "我住在巴黎",
        "好的。": "我住在巴黎",
        "42": "好的。",
        "It is 42.": "42",
        "📎 file_00aB": "It is 42.",
    }
    tool = by_text["42"]
    assert (tool.role, tool.tool) == (MessageRole.TOOL, {"name": "python"})
    assert (by_text["我住在巴黎"].speaker, by_text["我住在巴黎"].zone) == (None, "Asia/Shanghai")
    assert (found.title, codes(found)) == ("Where I live", {})


def test_without_a_current_node_the_branch_written_last_is_current() -> None:
    nodes = [
        node("q", "root", "user", "question"),
        node("late", "q", "assistant", "late", create_time=BEGAN + 90),
        node("early", "q", "assistant", "early", create_time=BEGAN + 10),
    ]
    assert texts(one(chatgpt("c", nodes))) == ["question", "early", "late"]
    assert texts(one(chatgpt("c", nodes, current="early"))) == ["question", "late", "early"]


def test_every_type_of_content_is_read_left_out_or_named() -> None:
    told = [
        node("c", "root", "assistant", content_type="code", language="python", text="print(1)", recipient="python"),
        node("o", "c", "tool", content_type="execution_output", text="1", name="python"),
        node("w", "o", "tool", content_type="tether_quote", title="Page", url="https://x.test", text="quoted"),
        node("t", "w", "assistant", content_type="thoughts", thoughts=[{"content": "hm"}]),
        node("r", "t", "assistant", content_type="reasoning_recap", content="Thought for 3 s"),
        node("e", "r", "user", content_type="user_editable_context", user_profile="I am"),
        node("s", "e", "system", "You are"),
        node("n", "s", "assistant", content_type="super_widget", widget={}),
        node("x", "n", "ghost", "boo"),
        node("m", "x", "user", "look", {"content_type": "audio_transcription", "text": "heard"}),
        node("empty", "m", "assistant", ""),
    ]
    found = one(chatgpt("c", told, current="empty"))
    assert texts(found) == ["```python\nprint(1)\n```", "1", "Page\nhttps://x.test\nquoted", "look\nheard"]
    assert found.messages[0].message.tool["calls"][0]["name"] == "python"
    assert codes(found) == {"unknown_roles": {"count": 1}, "unread_content": {"count": 1, "kinds": "super_widget"}}


def test_times_are_seconds_milliseconds_or_iso_and_a_missing_one_is_that_of_the_message_before() -> None:
    times = [BEGAN, BEGAN * 1000, "2027-01-15T16:00:00", "2027-01-15T08:00:00Z", str(BEGAN)]
    nodes = [node(f"n{place}", "root", "user", "x", create_time=when) for place, when in enumerate(times)]
    found = one(chatgpt("c", nodes))
    assert {message.message.sent_at.timestamp() for message in found.messages} == {BEGAN}
    odd: list[Any] = [None, True, "yesterday", 1e300, -1e14, [], "9" * 400]
    nodes = [node("first", "root", "user", "x", create_time=BEGAN + 5)]
    nodes += [node(f"n{place}", "first", "user", "x", create_time=when) for place, when in enumerate(odd)]
    found = one(chatgpt("c", nodes))
    assert {message.message.sent_at.timestamp() for message in found.messages} == {BEGAN + 5}
    assert codes(found) == {"undated": {"count": len(odd)}}
    (lost,) = one(
        chatgpt("c", [node("n", "root", "user", "x", create_time=None)], create_time=None, update_time=None)
    ).messages
    assert lost.message.sent_at == UNDATED


def test_a_mapping_that_runs_in_circles_loses_no_message() -> None:
    nodes = [
        node("tail", "b", "user", "tail"),
        node("a", "b", "user", "a"),
        node("b", "a", "user", "b"),
        node("self", "self", "user", "self"),
        node("lost", "nowhere", "user", "lost"),
    ]
    found = one(chatgpt("c", nodes, current="tail"))
    assert sorted(texts(found)) == ["a", "b", "lost", "self", "tail"]
    assert (texts(found)[-1], codes(found)) == ("tail", {"loop": {"count": 2}})
    seen: set[Any] = set()
    for message in found.messages:
        assert message.message.parent_id in {None, *seen}
        seen.add(message.message.message_id)


def test_a_long_chain_is_no_burden() -> None:
    nodes = [node(f"n{place}", f"n{place - 1}" if place else "root", "user", "x") for place in range(8_000)]
    began = time.process_time()
    assert len(one(chatgpt("c", nodes[::-1], current="n7999")).messages) == 8_000
    assert time.process_time() - began < 3


# --- Claude -------------------------------------------------------------------------------------------------------


def test_an_answer_with_tools_becomes_what_was_said_found_and_said() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "I will look."},
        {"type": "tool_use", "id": "c1", "name": "web_search", "input": {"query": "x\x00"}},
        {
            "type": "tool_result",
            "tool_use_id": "c1",
            "name": "web_search",
            "content": [{"type": "text", "text": "found"}],
        },
        {"type": "text", "text": "It is so."},
        {"type": "hologram"},
    ]
    messages = [said("u1", "human", "look it up"), said("u2", "assistant", content=blocks), said("u3", "human", "谢谢")]
    found = one(claude("c", messages))
    assert texts(found) == ["look it up", "I will look.", "found", "It is so.", "谢谢"]
    placed = [message.message for message in found.messages]
    assert [message.parent_id for message in placed] == [None, *[message.message_id for message in placed[:-1]]]
    assert placed[1].tool == {"calls": [{"id": "c1", "name": "web_search", "args": {"query": "x\ufffd"}}]}
    assert placed[2].tool == {"name": "web_search", "call_id": "c1", "status": "success"}
    assert codes(found) == {"unread_content": {"count": 1, "kinds": "hologram"}, "replaced": {"count": 1}}


def test_branches_of_claude_hang_on_the_last_message_of_an_answer() -> None:
    nil = "00000000-0000-4000-8000-000000000000"
    tools = [{"type": "tool_result", "name": "t", "content": "r"}, {"type": "text", "text": "done"}]
    messages = [
        said("late", "human", "the last word", parent="a", created_at="2027-01-15T11:00:00Z"),
        said("q", "human", "question", parent=nil),
        said("a", "assistant", parent="q", content=tools),
        said("old", "human", "an old word", parent="a", created_at="2027-01-15T10:00:00Z"),
        said("old", "human", "twice", parent="a"),
        said("x", "robot", "beep", parent="a"),
    ]
    found = one(claude("c", messages))
    assert texts(found) == ["question", "r", "done", "an old word", "the last word"]
    done, old, late = (message.message for message in found.messages[2:])
    assert old.parent_id == late.parent_id == done.message_id
    assert (old.tool, late.tool) == ({"branch": "side"}, {})
    assert codes(found) == {"duplicates": {"count": 1}, "unknown_roles": {"count": 1}}
    assert texts(one(claude("c", messages, current_leaf_message_uuid="old")))[-1] == "an old word"


def test_the_text_of_a_file_is_a_file_and_a_name_alone_is_a_line() -> None:
    files: dict[str, Any] = {
        "attachments": [{"file_name": "../计划.md", "file_type": "md", "extracted_content": "# 计划\ud800"}]
    }
    raw = zipped({"conversations.json": [claude("c", [said("m", "human", **files, files=[{"file_name": "x.png"}])])]})
    with opened_archive(io.BytesIO(raw)) as archive:
        assert archive is not None
        (found,) = conversations(archive)
        assert isinstance(found, Conversation)
        text, name = found.messages[0].files
        assert texts(found) == ["📎 计划.md, x.png"]
        assert archive.read(text) == FileBytes(name="计划.md", mime="text/plain", data="# 计划\ufffd".encode())
        assert archive.read(name) is None
    assert codes(found) == {"replaced": {"count": 1}}


# --- ids, kinds, files --------------------------------------------------------------------------------------------


def test_ids_stay_and_belong_to_kind_conversation_and_message() -> None:
    def ids(*found: Conversation) -> list[Any]:
        return [identity for c in found for identity in (c.session_id, *[m.message.message_id for m in c.messages])]

    same = "8b3a4b9e-3a4e-4b57-9d0d-0f6b8f6f3c11"
    ours = one(chatgpt(same, [node(same, "root", "user", "x")]))
    assert ids(ours) == ids(one(chatgpt(same, [node(same, "root", "user", "x, edited")])))
    other = one(chatgpt("other", [node(same, "root", "user", "x")]))
    theirs = one(claude(same, [said(same, "human", "x")]))
    assert len({same, *map(str, ids(ours, other, theirs))}) == 7
    unnamed = {"mapping": {"r1": node("r1", None, "user", "x")}}
    another = {"mapping": {"r2": node("r2", None, "user", "x")}}
    assert one(unnamed).session_id != one(another).session_id


def test_the_kind_is_told_by_the_content_and_parts_are_read_in_order() -> None:
    def part(given: str) -> list[Any]:
        return [chatgpt(given, [node("n", "root", "user", given)])]

    members = {
        "user.json": {"id": "me"},
        "export/conversations-001.json": part("second"),
        "export/conversations-000.json": part("first"),
        "export/shared_conversations.json": [{"id": "s", "title": "shared"}],
        "chat.html": b"<html>",
    }
    with opened_archive(io.BytesIO(zipped(members))) as archive:
        assert archive is not None
        assert archive.kind == "chatgpt"
        assert [found.given for found in conversations(archive)] == ["first", "second"]
        assert archive.position == archive.size
    with opened_archive(io.BytesIO(zipped({"any.json": [claude("c", [said("m", "human", "x")])]}))) as archive:
        assert archive is not None
        assert archive.kind == "claude"
    lines = io.BytesIO(b'{"role": "user", "content": "x", "sent_at": "2027-01-15T08:00:00Z"}\n')
    with opened_archive(lines) as nothing:
        assert nothing is None
        assert lines.tell() == 0


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'[{"name": "a project", "docs": []}]', ("ChatGPT or Claude", "ChatGPT 或 Claude")),
        (b"[]", ("ChatGPT or Claude", "ChatGPT 或 Claude")),
        (zipped({"a.txt": b"x"}), ("ChatGPT or Claude", "ChatGPT 或 Claude")),
        (zipped({"conversations.json": [branched()]})[:-30], ("download it again", "重新下载")),
        (b"PK\x03\x04 and nothing", ("download it again", "重新下载")),
        (zipped({"conversations.json": b"[" + b" " * 120_000_000 + b"]"}), ("far more", "不合常理")),
    ],
)
def test_what_is_no_archive_is_refused_in_both_languages(raw: bytes, words: tuple[str, str]) -> None:
    with pytest.raises(InvalidInputError) as refused, opened_archive(io.BytesIO(raw)):
        pass
    assert words[0] in refused.value.text("en")
    assert words[1] in refused.value.text("zh")


def test_an_encrypted_zip_is_refused() -> None:
    raw = zipped({"conversations.json": [branched()]})
    with pytest.raises(InvalidInputError, match="password"), opened_archive(io.BytesIO(locked(raw))):
        pass


def locked(raw: bytes) -> bytes:
    """The same zip with every member marked as encrypted."""
    marked = bytearray(raw)
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        for found in re.finditer(re.escape(signature), raw):
            marked[found.start() + place] |= 1
    return bytes(marked)


def test_files_are_found_by_the_id_their_names_begin_with() -> None:
    sent = {"attachments": [{"id": "file-Xy12", "name": "notes.pdf", "mime_type": "application/pdf"}]}
    shows = [
        {"asset_pointer": "file-service://file-Ab34"},
        {"asset_pointer": "sediment://file_5678?shared=1"},
        {"asset_pointer": "sediment://file_gone"},
    ]
    members = {
        "conversations.json": [chatgpt("c", [node("n", "root", "user", "see", *shows, metadata=sent)])],
        "file-Ab345-other.png": b"another one",
        "file-Ab34-photo.png": PICTURE,
        "user-1/file_5678.dat": PICTURE,
        "file-Xy12-notes.pdf": b"%PDF-1.7",
        "../file_gone.png": b"out of the folder",
        "/etc/file_gone.png": b"absolute",
        "C:\\file_gone.png": b"elsewhere",
    }
    with opened_archive(io.BytesIO(zipped(members))) as archive:
        assert archive is not None
        (found,) = conversations(archive)
        assert isinstance(found, Conversation)
        kept = [archive.read(file) for file in found.messages[0].files]
        assert kept == [
            FileBytes(name="file-Ab34-photo.png", mime="image/png", data=PICTURE),
            FileBytes(name="file_5678.dat", mime="image/png", data=PICTURE),
            None,
            FileBytes(name="notes.pdf", mime="application/pdf", data=b"%PDF-1.7"),
        ]
        assert archive.left_out == (Reason.of("unsafe_names", count=3),)
    assert texts(found) == ["see"]


def test_a_file_that_is_too_large_or_damaged_is_named_with_its_reason() -> None:
    shows = [{"asset_pointer": "sediment://file_large"}, {"asset_pointer": "sediment://file_broken"}]
    members = {
        "conversations.json": [chatgpt("c", [node("n", "root", "user", *shows)])],
        "file_large.png": bytes(50_000_001),
        "file_broken.png": b"to be damaged, to be damaged",
    }
    raw = zipped(members)
    with ZipFile(io.BytesIO(raw)) as archive:
        place = archive.getinfo("file_broken.png").header_offset + 30 + len("file_broken.png")
    damaged = bytearray(raw)
    damaged[place : place + 4] = b"\xff\xff\xff\xff"
    with opened_archive(io.BytesIO(bytes(damaged))) as opened:
        assert opened is not None
        (found,) = conversations(opened)
        assert isinstance(found, Conversation)
        large, broken = (opened.read(file) for file in found.messages[0].files)
    assert large == Reason.of("large_file", name="file_large.png", megabytes=50)
    assert isinstance(broken, Reason)
    assert (broken.code, broken.values["name"]) == ("bad_file", "file_broken.png")


# --- hostile JSON -------------------------------------------------------------------------------------------------


def test_what_stands_before_a_break_is_read_and_the_break_is_named() -> None:
    good = json.dumps(chatgpt("good", [node("n", "root", "user", "x")]))
    for rest, detail in (
        ("{]", "parse error"),
        ('{"mapping": {"a', "premature EOF"),
        ('{"a": "\\uZZ"}]', "lexical error"),
    ):
        found, broken = read(f"[{good}, {rest}".encode())
        assert found.given == "good"
        assert isinstance(broken, BadConversation)
        assert (broken.number, broken.reason.code) == (2, "broken_json")
        assert detail in broken.reason.values["detail"]
    raw = bytearray(zipped({"conversations.json": f'[{good}, {good[:-1]}, "z": {list(range(50_000))}}}]'.encode()}))
    raw[-200] ^= 0xFF
    found, *_, damaged = read(bytes(raw))
    assert (found.given, codes(damaged)) == ("good", {"damaged": {"detail": damaged.reason.values["detail"]}})  # type: ignore[union-attr]


def test_one_bad_conversation_costs_only_itself() -> None:
    deep = f'{{"mapping": {"[" * 50_000}{"]" * 50_000}}}'
    odd = '{"mapping": {"n": 7, "m": {"message": []}, "o": {"message": {"author": 1, "content": {"parts": {}}}}}}'
    good = json.dumps(chatgpt("good", [node("n", "root", "user", "x")]))
    empty = json.dumps(chatgpt("empty", []))
    found = read(f"[{empty}, {deep}, 7, null, {odd}, {{}}, {good}]".encode())
    reasons = [next(iter(codes(one)), "") for one in found]
    assert reasons == ["no_messages", "too_deep", *["not_a_conversation"] * 2, "no_messages", "not_a_conversation", ""]
    assert [one.number for one in found] == list(range(1, 8))
    assert found[0].given == "empty"


def test_hostile_characters_are_replaced_and_counted_and_escapes_survive_every_cut() -> None:
    found = one(chatgpt("c", [node("n", "root", "user", "a\x00b \ud800 c \udc00\ud83d\ude00", "\\ud800")]))
    assert texts(found) == ["a\ufffdb \ufffd c \ufffd😀\n\\ud800"]
    assert codes(found) == {"replaced": {"count": 3}}
    pieces = ["a", "\\\\", '\\"', "\\n", "\\u4f60", "\\ud83d\\ude00", "\\ud800", "\\udc00", "\\uDBFF", "\\u0000", "你"]
    for seed in range(300):
        chance = random.Random(seed)
        raw = f'["{"".join(chance.choices(pieces, k=10))}", 1]'
        wanted = [re.sub("[\ud800-\udfff]", "\x00", value) if value != 1 else 1 for value in json.loads(raw)]
        got = [item.value for item in read_items(Slow(raw.encode(), chance)) if isinstance(item, Item)]
        assert got == wanted, raw


class Slow:
    """A stream that gives a few bytes at a time."""

    def __init__(self, raw: bytes, chance: random.Random) -> None:
        self._file = io.BytesIO(raw)
        self._chance = chance

    def read(self, size: int, /) -> bytes:
        """One to eight bytes."""
        return self._file.read(min(size, self._chance.randint(1, 8)))


ODD: list[Any] = [None, True, 0, 1.5, 10**18, "", "x", "\x00", "\ud800", [], {}, [[]], {"a": {}}, [None], [{}]]


def mutated(value: Any, chance: random.Random) -> Any:
    """A value some parts of which are something else, and some keys of which have gone."""
    if chance.random() < 0.06:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {key: mutated(inner, chance) for key, inner in value.items() if chance.random() > 0.02}
    return [mutated(inner, chance) for inner in value] if isinstance(value, list) else value


def test_whatever_stands_in_a_conversation_its_messages_can_be_stored_in_order() -> None:
    blocks = [{"type": "tool_use", "id": "1", "input": {"q": 1}}, {"type": "tool_result", "content": [{"text": "r"}]}]
    text: dict[str, Any] = {
        "attachments": [{"file_name": "a", "extracted_content": "t"}],
        "files": [{"file_name": "b"}],
    }
    talk = claude("c", [said("m", "human", "x", **text), said("n", "assistant", parent="m", content=blocks)])
    for seed in range(400):
        good = (branched(), talk)[seed % 2]
        for found in read([good, mutated(good, random.Random(seed))]):
            seen: set[Any] = {None}
            for kept in found.messages if isinstance(found, Conversation) else ():
                assert kept.message.parent_id in seen
                assert kept.message.message_id not in seen
                seen.add(kept.message.message_id)
                stored = f"{kept.message.content}{dump_json(kept.message.tool)}".encode()
                assert b"\x00" not in stored
                assert b"\\u0000" not in stored


def test_a_zip_with_flipped_bytes_is_read_or_refused() -> None:
    raw = zipped({"conversations.json": [branched(), branched("other")], "file_00aB.png": PICTURE})
    for seed in range(400):
        chance = random.Random(seed)
        flipped = bytearray(raw)
        for _ in range(chance.randint(1, 3)):
            flipped[chance.randrange(len(raw))] = chance.randrange(256)
        try:
            with opened_archive(io.BytesIO(bytes(flipped))) as archive:
                if archive is None:
                    continue
                told = [found for found in conversations(archive) if isinstance(found, Conversation)]
                files = [file for found in told for kept in found.messages for file in kept.files]
                assert all(isinstance(archive.read(file), FileBytes | Reason | None) for file in files)
        except InvalidInputError as refused:
            assert refused.zh


def test_limits_hold_for_a_conversation_and_for_a_single_value() -> None:
    long, many, alone = b"x" * 90_000, b"1," * 3_000, b"y" * 300_000
    raw = b'[{"a": "' + long + b'"}, {"a": [' + many + b'1]}, "small", "' + alone + b'", 5]'
    found = [type(item).__name__ for item in read_items(io.BytesIO(raw), most=100_000)]
    assert found == ["Item", "BadItem", "Item", "BadItem"]


def test_a_message_that_is_too_long_is_kept_as_a_file() -> None:
    text = "长" * 30_000
    assert texts(one(chatgpt("c", [node("n", "root", "user", text)]))) == [text]
    found = one(chatgpt("c", [node("n", "root", "user", text)]), most_bytes=1_000)
    (message,) = found.messages
    assert message.message.content == f"{'长' * 2_000}…\n📎 message.txt"
    assert message.files[0].attachment.text == text
    assert codes(found) == {"long_messages": {"count": 1}}


def test_forty_megabytes_are_read_one_conversation_at_a_time(tmp_path: Path) -> None:
    nodes = [node(f"n{place}", f"n{place - 1}" if place else "root", "user", "今天 word " * 500) for place in range(20)]
    conversation = json.dumps(chatgpt("@@", nodes, current="n19")).encode()
    number = 40_000_000 // len(conversation)
    path = tmp_path / "conversations.json"
    path.write_bytes(b"[" + b",".join(conversation.replace(b"@@", b"%d" % place) for place in range(number)) + b"]")
    tracemalloc.start()
    began = time.process_time()
    with path.open("rb") as file, opened_archive(file) as archive:
        assert archive is not None
        told = archive.conversations(zone=ZoneInfo("UTC"), most_bytes=100_000, undated=UNDATED)
        assert sum(len(one.messages) for one in told if isinstance(one, Conversation)) == number * 20
    seconds, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000
    assert seconds < 3
