"""`pocketmind notes import`, as scripts and people use it: its report, its exit codes, and staying with --watch."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.interfaces import test_cli
from tests.interfaces.test_cli import POCKETMIND, Command

place = test_cli.place
pocketmind = test_cli.pocketmind
KEYS = {
    "imported", "updated", "unchanged", "moved", "deleted", "files", "skipped", "skipped_deleted", "conflicts",
    "failed", "notices",
}  # fmt: skip


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Two notes, a table, a file that is no text, and one that nobody reads."""
    folder = tmp_path / "vault"
    (folder / "项目").mkdir(parents=True)
    (folder / "plan.md").write_text("# Plan\n\nThe port is 8443. #ops\n", "utf-8")
    (folder / "项目" / "故障.md").write_text("根因是连接池耗尽。", "utf-8")
    (folder / "prices.csv").write_text("item,price\ntea,3\n", "utf-8")
    (folder / "broken\n.md").write_bytes(b"\x00\x01\xff" * 500)
    (folder / "board.canvas").write_text("{}")
    return folder


def test_the_report_tells_what_became_of_every_file(pocketmind: Command, vault: Path) -> None:
    report = pocketmind("notes", "import", vault, "--no-vectors", "--json").json
    assert report.keys() == KEYS
    assert (report["imported"], report["files"], report["skipped"]) == (2, 1, {".canvas": 1})
    assert report["failed"] == [{"path": "vault/broken\\n.md", "reason": "The file is binary, not text."}]
    notes = pocketmind("notes", "list", "--json").json["notes"]
    assert {note["source_name"] for note in notes} == {"vault/plan.md", "vault/项目/故障.md"}
    assert {tuple(note["tags"]) for note in notes} == {("ops",), ()}

    plan = next(note["note_id"] for note in notes if note["title"] == "Plan")
    pocketmind("notes", "edit", plan, "--body", "mine", "--no-vectors")
    (vault / "plan.md").write_text("theirs", "utf-8")
    (vault / "项目" / "故障.md").rename(vault / "故障.md")
    (vault / "prices.csv").unlink()
    second = pocketmind("notes", "import", vault, "--no-vectors", "--json").json
    assert second["moved"] == [{"from": "vault/项目/故障.md", "to": "vault/故障.md"}]
    assert second["deleted"] == ["vault/prices.csv"]
    assert [row["path"] for row in second["conflicts"]] == ["vault/plan.md"]
    assert pocketmind("notes", "import", vault, "--take-files", "--no-vectors", "--json").json["updated"] == 1
    assert pocketmind("notes", "show", plan).out == "theirs\n"

    pocketmind("notes", "rm", plan, "--yes")
    left = pocketmind("notes", "import", vault, "--json").json
    assert [row["path"] for row in left["skipped_deleted"]] == ["vault/plan.md"]
    assert pocketmind("notes", "import", vault, "--restore-deleted", "--no-vectors", "--json").json["imported"] == 1


def test_people_are_told_in_their_language(pocketmind: Command, vault: Path) -> None:
    ran = pocketmind("notes", "import", vault, "--no-vectors", POCKETMIND_LANGUAGE="zh")
    assert ran.out == "新增 2，更新 0，未变 0，移动 0，删除 0，文件 1，冲突 0，失败 1\n"
    assert "✗ vault/broken\\n.md：" in ran.err
    assert "1 个文件没有能读取的格式：.canvas×1" in ran.err
    for path in vault.iterdir():
        path.unlink() if path.is_file() else None
    (vault / "项目" / "故障.md").unlink()
    doubted = pocketmind("notes", "import", vault, "--no-vectors", POCKETMIND_LANGUAGE="zh")
    assert (doubted.code, "--prune" in doubted.err, "同时不见" in doubted.err) == (0, True, True)
    pruned = pocketmind("notes", "import", vault, "--prune", "--no-vectors")
    assert "3 deleted" in pruned.out
    assert "deleted vault/plan.md" in pruned.err


def test_one_file_can_be_imported_and_what_cannot_be_refuses(pocketmind: Command, vault: Path) -> None:
    assert pocketmind("notes", "import", vault / "plan.md", "--no-vectors", "--json").json["imported"] == 1
    bad = pocketmind("notes", "import", vault / "broken\n.md", "--json")
    assert (bad.code, json.loads(bad.out)["imported"]) == (1, 0)
    for words, code in (
        ([vault / "board.canvas"], 1),
        ([vault / "missing"], 1),
        ([vault, "--prune", "--keep-deleted"], 2),
    ):
        ran = pocketmind("notes", "import", *words)
        assert (ran.code, ran.out) == (code, ""), words


@contextmanager
def started(
    place: Mapping[str, str], user: str, *words: object
) -> Iterator[tuple[subprocess.Popen[str], queue.Queue[str]]]:
    """An import in a process of its own, and the lines that it prints."""
    environ = {**os.environ, **place, "POCKETMIND_USER": user}
    command = [str(word) for word in (POCKETMIND, "notes", "import", *words, "--no-vectors")]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        lines: queue.Queue[str] = queue.Queue()

        def read() -> None:
            assert child.stdout is not None
            for line in child.stdout:
                lines.put(line)

        threading.Thread(target=read, daemon=True).start()
        try:
            yield child, lines
        finally:
            child.kill()


def interrupted(child: subprocess.Popen[str]) -> tuple[int, str]:
    """Ctrl-C: the exit code, and what was said beside the answer."""
    child.send_signal(signal.SIGINT)
    code = child.wait(timeout=20)
    assert child.stderr is not None
    return code, child.stderr.read()


def test_ctrl_c_says_what_stays_and_the_next_run_goes_on(
    pocketmind: Command, place: Mapping[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    vault = tmp_path / "large"
    vault.mkdir()
    for n in range(40):
        (vault / f"a{n}.csv").write_text(f"{n}", "utf-8")
    for n in range(800):
        (vault / f"note {n}.md").write_text(f"# Note {n}\n\nwords of note {n}", "utf-8")
    assets = Path(place["POCKETMIND_HOME"]) / "assets/local" / request.node.name
    with started(place, request.node.name, vault) as (child, _):
        deadline = time.monotonic() + 60
        while not assets.exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.3)
        code, said = interrupted(child)
    assert code == 130
    stored = re.search(r"stopped; the (\d+) that were stored stay", said)
    assert stored is not None
    assert "Traceback" not in said
    again = pocketmind("notes", "import", vault, "--no-vectors", "--json").json
    assert again["imported"] + again["files"] + again["unchanged"] == 840
    assert 0 <= again["unchanged"] - int(stored[1]) <= 50, "but for a batch that was just committed"


def test_watching_imports_what_changes_and_ends_cleanly(place: Mapping[str, str], vault: Path) -> None:
    with started(place, "watch", vault, "--watch") as (child, lines):
        assert lines.get(timeout=60).startswith("2 imported")
        began = time.monotonic()
        (vault / "new.md").write_text("something new", "utf-8")
        assert lines.get(timeout=10) == "+ new vault/new.md\n"
        assert time.monotonic() - began < 10
        (vault / "new.md").write_text("something newer", "utf-8")
        (vault / ".obsidian").mkdir()
        (vault / ".obsidian/workspace.md").write_text("hidden", "utf-8")
        assert lines.get(timeout=10) == "~ changed vault/new.md\n"
        (vault / "项目").rename(vault / "archive")
        assert lines.get(timeout=10) == "→ moved vault/项目/故障.md → vault/archive/故障.md\n"
        (vault / "archive/故障.md").unlink()
        assert lines.get(timeout=10) == "- deleted vault/archive/故障.md\n"
        (vault / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        assert lines.get(timeout=10) == "+ file vault/picture.png\n"
        code, said = interrupted(child)
        assert code == 0
        assert "no longer watching" in said
        assert "Traceback" not in said
        assert lines.empty()


def test_watching_for_scripts_gives_a_document_a_line(place: Mapping[str, str], vault: Path) -> None:
    with started(place, "script", vault, "--watch", "--json") as (child, lines):
        assert json.loads(lines.get(timeout=60))["imported"] == 2
        (vault / "plan.md").write_text("another plan", "utf-8")
        change = json.loads(lines.get(timeout=10))
        assert (change["updated"], change["unchanged"]) == (1, 0)
        assert interrupted(child)[0] == 0
