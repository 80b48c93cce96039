"""`pocketmind sessions import`, driven as people drive it: exports of ChatGPT and Claude, again and again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, LiteralString
from uuid import UUID

import psycopg
import pytest

from resources.chats.tree import session_id_of
from tests.interfaces.test_cli import POCKETMIND, Command, place, pocketmind  # noqa: F401  # fixtures
from tests.support.chat_exports import BEGAN, PICTURE, branched, chatgpt, claude, node, said, zipped

# ruff: noqa: F811  # a fixture is taken by its name


def chatgpt_export() -> dict[str, Any]:
    """Two conversations, an empty one, one with a hostile character, and a picture."""
    work = [
        node("w1", "root", "user", "I work at Northwind\x00"),
        node("w2", "w1", "assistant", "Good to know."),
    ]
    return {
        "conversations.json": [
            branched(),
            chatgpt("empty", []),
            chatgpt("work", work, current="w2", create_time=BEGAN),
        ],
        "file_00aB-photo.png": PICTURE,
        "user.json": {"id": "me"},
    }


def state(place: Mapping[str, str], user: str) -> dict[str, list[Any]]:
    """All truth of a user, and what was made of it, as rows."""
    queries: dict[str, LiteralString] = {
        "messages": "select session_id, seq, message_id, parent_id, role, content, tool, sent_at, zone, speaker"
        " from pm.chat_message where owner_id = %s order by 1, 2",
        "sessions": "select session_id, title, last_seq, committed_seq from pm.chat_session where owner_id = %s"
        " order by 1",
        "assets": "select asset_id, digest, mime, name, bytes from pm.asset where owner_id = %s order by 1",
        "refs": "select source_uri, ref_type, target_uri from pm.context_ref where owner_id = %s order by 1, 2, 3",
        "nodes": "select uri, died from pm.context_catalog where owner_id = %s order by 1, 2",
        "memories": "select memory_id, version from pm.memory_records where owner_id = %s order by 1, 2",
    }
    with psycopg.connect(place["POCKETMIND_ADMIN_URL"]) as connection:
        connection.execute("select set_config('pm.tenant', 'local', true), set_config('pm.user', %s, true)", (user,))
        return {name: connection.execute(query, (user,)).fetchall() for name, query in queries.items()}


def test_an_export_of_chatgpt_comes_with_branches_and_pictures_and_twice_is_once(
    pocketmind: Command, place: Mapping[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    file = tmp_path / "export.bin"
    file.write_bytes(zipped(chatgpt_export()))
    first = pocketmind("sessions", "import", file, "--json").json
    assert (first["source"], first["imported"], first["known"], first["assets"]) == ("chatgpt", 10, 0, 1)
    assert [(s["title"], s["imported"]) for s in first["sessions"]] == [("Where I live", 8), ("work", 2)]
    assert [row["conversation"] for row in first["failed"]] == ["empty", "work"]
    assert "U+FFFD" in first["failed"][1]["reason"]
    assert all(commit["state"] for session in first["sessions"] for commit in session["commits"])

    session = first["sessions"][0]["session_id"]
    assert session == str(session_id_of("chatgpt", "branched"))
    messages = pocketmind("sessions", "show", session, "--json").json["messages"]
    assert [m["content"] for m in messages][-3:] == ["42", "It is 42.", "📎 file_00aB"]
    assert [m["content"] for m in messages if m["tool"].get("branch") == "side"] == [
        "I live in Lyon",
        "Paris.",
        "Noted.",
    ]

    before = state(place, request.node.name)
    (asset,) = before["assets"]
    assert asset[2:4] == ("image/png", "file_00aB-photo.png")
    root = f"pm://user/{request.node.name}"
    attached = [row for row in before["refs"] if row[1] == "attachment"]
    assert attached == [(f"{root}/sessions/{session}/messages/8", "attachment", f"{root}/assets/{asset[0]}")]
    again = pocketmind("sessions", "import", file, "--json").json
    assert (again["imported"], again["known"], again["assets"]) == (0, 10, 0)
    assert [s["commits"] for s in again["sessions"]] == [[], []]
    assert state(place, request.node.name) == before
    assert "Northwind" in pocketmind("chat", "-m", "Where do I work?", "--json").json["answer"]


def test_a_newer_export_brings_what_was_added_and_the_branch_people_moved_to(
    pocketmind: Command, tmp_path: Path
) -> None:
    file = tmp_path / "conversations.json"
    older = branched()
    file.write_text(json.dumps([older]), "utf-8")
    first = pocketmind("sessions", "import", file, "--no-commit", "--json").json
    assert (first["imported"], first["assets"]) == (8, 0)
    assert any("1 attachments" in row["reason"] for row in first["failed"])
    newer = [*older["mapping"].values(), node("n1", "a2", "user", "and now this")][1:]
    file.write_bytes(zipped({"c.json": [chatgpt("branched", newer, current="n1")], "file_00aB.png": PICTURE}))
    second = pocketmind("sessions", "import", file, "--no-commit", "--no-vectors", "--json").json
    assert (second["imported"], second["known"], second["assets"]) == (1, 8, 1)
    shown = pocketmind("sessions", "show", second["sessions"][0]["session_id"], "--json").json["messages"]
    sides = {message["content"] for message in shown if message["tool"].get("branch") == "side"}
    assert sides == {"I live in Lyon", "Paris.", "好的。", "42", "It is 42.", "📎 file_00aB"}
    assert shown[-1]["content"] == "and now this"
    assert next(m for m in shown if m["content"] == "42")["tool"]["name"] == "python"


def test_an_export_of_claude_comes_with_its_files_and_what_broke_is_told_in_the_persons_language(
    pocketmind: Command, tmp_path: Path
) -> None:
    sent: dict[str, Any] = {
        "attachments": [{"file_name": "plan.md", "extracted_content": "# Plan\n\nThe code word is Zephyr.\n"}]
    }
    good = claude("talk", [said("m1", "human", "记住：我对花生过敏", **sent), said("m2", "assistant", "好的。")])
    raw = f"[{json.dumps(good)}, {{]".encode()
    file = tmp_path / "claude.zip"
    file.write_bytes(zipped({"conversations.json": raw, "users.json": [{"uuid": "me"}], "projects.json": []}))
    ran = pocketmind("sessions", "import", file, POCKETMIND_LANGUAGE="zh")
    assert (ran.code, "已保存 1 个附件" in ran.out, "talk" in ran.out) == (0, True, True)
    assert "对话 2：JSON 在此处损坏" in ran.err
    assert "花生" in pocketmind("chat", "-m", "我对什么过敏？", "--json").json["answer"]
    again = pocketmind("sessions", "import", file, "--json").json
    assert (again["source"], again["imported"], again["known"], again["assets"]) == ("claude", 0, 2, 0)
    assert again["failed"] == [{"conversation": 2, "reason": again["failed"][0]["reason"]}]
    assert "the JSON is broken here" in again["failed"][0]["reason"]


def test_many_conversations_are_shown_up_to_twenty_and_committed_from_the_oldest_on(
    pocketmind: Command, tmp_path: Path
) -> None:
    def lives(number: int, town: str) -> dict[str, Any]:
        text = node("n", "root", "user", f"I live in {town}", create_time=BEGAN + 86_400 * number)
        return chatgpt(f"c{number}", [text])

    file = tmp_path / "many.zip"
    towns = ["Bergen", *(f"Town{number}" for number in range(21, 0, -1)), "Oslo"]
    made = [lives(23 - place, town) for place, town in enumerate(towns)]
    file.write_bytes(zipped({"conversations.json": made}))
    ran = pocketmind("sessions", "import", file, "--no-vectors")
    assert (ran.code, "and 3 more sessions" in ran.out) == (0, True)
    assert sum("-" in line.split(" ")[0] for line in ran.out.splitlines()) == 20
    found = pocketmind("memory", "search", "where do I live", "--json").json["matches"]
    assert any("Bergen" in match["abstract"] for match in found)


@pytest.mark.parametrize("content", [zipped({"notes.txt": b"x"}), b'[{"a": 1}]'])
def test_a_file_that_is_nobodys_export_is_refused_before_anything_starts(
    pocketmind: Command, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "export.zip"
    file.write_bytes(content)
    ran = pocketmind("sessions", "import", file, DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    assert (ran.code, ran.out) == (1, "")
    assert "an export of ChatGPT or Claude" in ran.err
    assert "ChatGPT 或 Claude 的导出" in pocketmind("sessions", "import", file, POCKETMIND_LANGUAGE="zh").err


def test_ctrl_c_keeps_what_was_stored_and_the_same_command_goes_on(place: Mapping[str, str], tmp_path: Path) -> None:
    texts = [f"message {number}" for number in range(20)]
    made = []
    for number in range(150):
        nodes = [node(f"n{n}", f"n{n - 1}" if n else "root", "user", text) for n, text in enumerate(texts)]
        made.append(chatgpt(f"c{number}", nodes, current="n19"))
    file = tmp_path / "export.zip"
    file.write_bytes(zipped({"conversations.json": made}))
    environment = {**os.environ, **place, "POCKETMIND_USER": "stopper"}
    words: list[str | Path] = [POCKETMIND, "sessions", "import", file, "--no-vectors", "--json"]
    with subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
        while not (stored := len(state(place, "stopper")["sessions"])):
            assert running.poll() is None
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=30)
    assert running.returncode == 130, err.decode()
    assert b"the same command goes on from here" in err
    kept = state(place, "stopper")
    assert stored <= len(kept["sessions"])
    assert all(last == 20 for _, _, last, _ in kept["sessions"])
    ended = subprocess.run([*words, "--no-commit"], env=environment, capture_output=True, check=True, timeout=60)
    report = json.loads(ended.stdout)
    assert report["known"] >= 20 * stored
    assert report["imported"] + report["known"] == 3_000
    assert len(state(place, "stopper")["messages"]) == 3_000
    assert len({UUID(session["session_id"]) for session in report["sessions"]}) == 150


def test_json_lines_still_are_json_lines(pocketmind: Command, tmp_path: Path) -> None:
    file = tmp_path / "lines.zip"
    file.write_text('{"role": "user", "content": "hello", "sent_at": "2027-05-03T09:00:00Z"}\n{broken\n', "utf-8")
    report = pocketmind("sessions", "import", file, "--no-commit", "--json").json
    assert (report["source"], report["imported"], report["assets"]) == ("lines", 1, 0)
    assert [row["line"] for row in report["failed"]] == [2]
