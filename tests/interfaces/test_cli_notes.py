"""Notes changed, moved and deleted from the command line."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pty
import re
import shlex
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from uuid import UUID, uuid4

import pytest

from cli.main import run
from context.scope import Scope
from context.truth import Note
from context.uri import folder_uri, note_uri
from engine.engine import Engine, open_engine
from storage import catalog, clock, live, memories, vectors
from tests.interfaces import test_cli
from tests.interfaces.test_cli import POCKETMIND, Command, ended, read_until
from tests.support.engines import memory_record

T = TypeVar("T")
place = test_cli.place
pocketmind = test_cli.pocketmind
BODY = "会议纪要\r\n🧑‍🚀 the second line, without an end"


def inside(work: Callable[[Engine, Scope], Awaitable[T]]) -> T:
    """Do something with the test user's own engine, as another program would."""

    async def run() -> T:
        async with open_engine() as engine:
            return await work(engine, engine.local_scope())

    return asyncio.run(run())


def added(pocketmind: Command, body: str = BODY, **options: str) -> str:
    """The id of a new note."""
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    note = pocketmind("notes", "add", "--body", "-", *words, "--no-vectors", "--json", stdin=body.encode()).json
    return str(note["note_id"])


def editor_that(tmp_path: Path, code: str) -> str:
    """An editor that runs this code over the file `path`, as VISUAL or EDITOR would name it."""
    script = tmp_path / "editor.py"
    seen = f"import pathlib, sys\npath = pathlib.Path(sys.argv[-1])\npathlib.Path({str(tmp_path / 'edited')!r})"
    script.write_text(f"{seen}.write_text(str(path))\n{code}\n", "utf-8")
    return shlex.join([sys.executable, str(script), "--wait"])


# -- edit ----------------------------------------------------------------------------------------------------------


def test_an_edit_changes_what_is_given_and_nothing_else(pocketmind: Command) -> None:
    note_id = added(pocketmind, title="Standup", tag="team", folder="job/2027")
    before = pocketmind("notes", "show", note_id, "--json").json
    words = ("--title", " 站会\nnotes ", "--tag", "#daily", "--tag", "团队", "--pin", "--kind", "whiteboard")
    edited = pocketmind("notes", "edit", note_id, *words, "--no-vectors", "--json").json
    new = {"title": "站会 notes", "tags": ["daily", "团队"], "pinned": True, "kind": "whiteboard", "revision": 2}
    assert edited["updated_at"] > before["updated_at"]
    assert edited == {
        **before,
        **new,
        "updated_at": edited["updated_at"],
        "changed": ["title", "tags", "kind", "pinned"],
    }
    people = pocketmind("notes", "edit", note_id, "--body", "-", "--no-tags", "--no-pin", stdin=b"one\r\ntwo\n")
    assert "revision 3" in people.out
    assert "tags: #daily #团队 → (none)" in people.out
    assert "pinned: yes → no" in people.out
    assert "2 lines added, 2 removed" in people.out
    shown = pocketmind("notes", "show", note_id, "--json").json
    assert (shown["body"], shown["tags"], shown["title"]) == ("one\r\ntwo\n", [], "站会 notes")


def test_the_same_content_changes_nothing_and_says_so(pocketmind: Command) -> None:
    note_id = added(pocketmind, title="Plan", tag="a")
    before = pocketmind("notes", "show", note_id, "--json").json
    miv = pocketmind("retrieve", "plan", "--json").json["miv"]
    same = ("notes", "edit", note_id, "--title", "Plan", "--tag", "a", "--no-pin", "--body", "-")
    assert pocketmind(*same, "--json", stdin=BODY.encode()).json == {**before, "changed": []}
    assert f"note {note_id} is like that already" in pocketmind(*same, stdin=BODY.encode()).out
    assert "没有改动" in pocketmind(*same, stdin=BODY.encode(), POCKETMIND_LANGUAGE="zh").out
    assert pocketmind("retrieve", "plan", "--json").json["miv"] == miv


def test_an_edit_is_refused_when_the_note_has_moved_on_or_would_be_empty(pocketmind: Command) -> None:
    note_id = added(pocketmind)
    assert pocketmind("notes", "edit", note_id, "--title", "A", "--revision", "1", "--no-vectors").code == 0
    late = pocketmind("notes", "edit", note_id, "--title", "B", "--revision", "1", "--json")
    assert (late.code, late.out) == (1, "")
    assert "is not at revision 1 any more" in late.err
    zh = pocketmind("notes", "edit", note_id, "--title", "B", "--revision", "1", POCKETMIND_LANGUAGE="zh")
    assert "已不是第 1 版" in zh.err
    assert "The note is empty" in pocketmind("notes", "edit", note_id, "--title", "", "--body", " ").err
    assert "larger than 5 MB" in pocketmind("notes", "edit", note_id, "--body", "-", stdin=b"x" * 5_000_001).err
    shown = pocketmind("notes", "show", note_id, "--json").json
    assert (shown["title"], shown["body"], shown["revision"]) == ("A", BODY, 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["edit", "ID"], "nothing to change was given"),
        (["edit", "ID", "--tag", "x", "--no-tags"], "exclude each other"),
        (["edit", "ID", "--body", "x", "--editor"], "exclude each other"),
        (["rm", "ID"], "add --yes"),
        (["mv", "ID"], "FOLDER"),
    ],
)
def test_what_cannot_be_meant_is_a_mistake_of_usage(pocketmind: Command, words: list[str], said: str) -> None:
    ran = pocketmind("notes", *words, "--json")
    assert (ran.code, ran.out) == (2, "")
    assert said in " ".join(ran.err.replace("│", " ").split())


def test_the_editor_gets_the_text_and_an_unchanged_one_changes_nothing(pocketmind: Command, tmp_path: Path) -> None:
    note_id = added(pocketmind)
    # As many editors do, this one ends the file with a line end, and changes nothing else.
    looks = editor_that(tmp_path, "path.write_bytes(path.read_bytes() + b'\\n')")
    assert pocketmind("notes", "edit", note_id, "--editor", "--json", VISUAL=looks).json["changed"] == []
    writes = editor_that(tmp_path, "path.write_bytes(path.read_bytes().replace('纪要'.encode(), b'X') + b'\\n')")
    edit = ("notes", "edit", note_id, "-e", "--title", "T", "--no-vectors", "--json")
    edited = pocketmind(*edit, VISUAL=writes, EDITOR="/nowhere").json
    assert edited["changed"] == ["title", "body"]
    assert edited["body"] == BODY.replace("纪要", "X")
    assert not Path((tmp_path / "edited").read_text()).parent.exists()


def test_an_editor_that_fails_or_is_not_there_changes_nothing(pocketmind: Command, tmp_path: Path) -> None:
    note_id = added(pocketmind)
    broken = editor_that(tmp_path, "sys.exit(3)")
    failed = pocketmind("notes", "edit", note_id, "--editor", EDITOR=broken, VISUAL="")
    assert (failed.code, failed.out) == (1, "")
    assert "ended with code 3" in failed.err
    absent = pocketmind("notes", "edit", note_id, "--editor", VISUAL="/nowhere/editor")
    assert (absent.code, "cannot be started" in absent.err) == (2, True)
    assert pocketmind("notes", "show", note_id, "--json").json["revision"] == 1


def test_what_was_written_while_somebody_else_changed_the_note_is_kept(pocketmind: Command, tmp_path: Path) -> None:
    note_id = added(pocketmind, title="Plan")
    meanwhile = [str(POCKETMIND), "notes", "edit", note_id, "--title", "Theirs", "--no-vectors"]
    code = f"import subprocess\nsubprocess.run({meanwhile!r}, check=True, stdout=2)\npath.write_text('my words')"
    ran = pocketmind("notes", "edit", note_id, "--editor", "--json", VISUAL=editor_that(tmp_path, code))
    assert (ran.code, ran.out) == (1, "")
    assert "is not at revision 1 any more" in ran.err
    kept = Path(re.findall(r"kept in (\S+)", ran.err)[0])
    assert kept.read_text() == "my words"
    assert kept.parent.stat().st_mode & 0o077 == 0
    kept.unlink()
    kept.parent.rmdir()
    shown = pocketmind("notes", "show", note_id, "--json").json
    assert (shown["title"], shown["body"]) == ("Theirs", BODY)


# -- mv ------------------------------------------------------------------------------------------------------------


def test_a_move_changes_the_folder_alone_and_both_folders_say_so(pocketmind: Command) -> None:
    first = added(pocketmind, "The gateway listens on 8443.", title="Ports", folder="work/net")
    second = added(pocketmind, "根因是连接池耗尽。", title="故障", folder="work/net")
    pocketmind("notes", "edit", first, "--pin")  # makes the vectors too

    async def stand(engine: Engine, scope: Scope) -> tuple[int, dict[str, str], list[str]]:
        """Leaves without a vector; leaves and their parents; what the old folder, the new one and that above it say."""
        uris = [str(folder_uri(scope.user, folder)) for folder in ("work/net", "archive/2027", "archive")]
        async with engine.database.transaction(scope) as tx:
            pending = await vectors.count_without_vector(tx, engine=engine.engine_id)
            miv = (await clock.read(tx, engine=engine.engine_id)).miv
            rows = await live.read_snapshot(tx, miv=miv, engine=engine.engine_id, vectors=[], terms=[])
            folders = await catalog.live_nodes(tx, uris)
        leaves = {node.uri: node.parent_uri or "" for node in rows.nodes or [] if node.is_leaf}
        return pending, leaves, [folders[uri].abstract if uri in folders else "" for uri in uris]

    pending, leaves, _ = inside(stand)
    assert (pending, len(leaves)) == (0, 2)
    before = {note_id: pocketmind("notes", "show", note_id, "--json").json for note_id in (first, second)}
    move = ("notes", "mv", first, second, first, "/archive//2027/", "--no-vectors")
    moved = pocketmind(*move, "--json").json["notes"]
    for note in moved:
        own = {"folder": "archive/2027", "changed": ["folder"], "updated_at": note["updated_at"]}
        old = before[note["note_id"]]
        assert note == {**old, **own, "revision": old["revision"] + 1}
    pending, after, told = inside(stand)
    assert (pending, after) == (0, leaves)
    old_folder, new_folder, above = told
    assert "Ports" not in old_folder and "故障" not in old_folder
    assert "Ports" in new_folder and "根因是连接池耗尽" in new_folder
    assert "2027" in above

    again = pocketmind("notes", "mv", first, "archive/2027", "--json").json
    assert (again["changed"], again["revision"]) == ([], moved[0]["revision"])
    people = pocketmind("notes", "mv", first, "/")
    assert "folder: archive/2027 → /" in people.out
    assert pocketmind("notes", "mv", first, "0" * 12, "x").code == 1


# -- rm ------------------------------------------------------------------------------------------------------------


def test_a_note_is_deleted_with_what_rests_on_it_alone(pocketmind: Command, place: Mapping[str, str]) -> None:
    note_id, kept = added(pocketmind, "They ship with kanarik."), added(pocketmind, "Something else.")

    async def remember(engine: Engine, scope: Scope) -> None:
        uri = str(note_uri(scope.user, UUID(note_id)))
        alone = memory_record("They say kanarik.", uri)
        shared = [memory_record(text, uri, "pm://user/x/sessions/s") for text in ("They ship.", "They sail.")]
        async with engine.database.transaction(scope) as tx:
            miv = await clock.advance(tx, engine=engine.engine_id)
            for record in (alone, *shared):
                await memories.insert(tx, record, miv=miv)
            await engine.assets.add(tx, uuid4(), data=b"kanarik", mime="text/plain", name="k.txt", owner_uri=uri)

    inside(remember)
    (file,) = [path for path in (Path(place["POCKETMIND_HOME"]) / "assets").rglob("*") if path.is_file()]
    assert file.read_bytes() == b"kanarik"
    unknown = pocketmind("notes", "rm", note_id, "0" * 32, "--yes", "--json")
    assert (unknown.code, unknown.out) == (1, "")
    assert "There is no note" in unknown.err
    assert pocketmind("notes", "show", note_id).code == 0
    gone = pocketmind("notes", "rm", note_id[:8], note_id, "--yes", "--json").json
    assert gone == {"deleted": [note_id], "memories_erased": 1, "memories_poorer": 2}
    assert not file.exists()
    assert pocketmind("notes", "show", note_id).code == 1
    assert pocketmind("retrieve", "kanarik", "--json").json["matches"] == []
    zh = pocketmind("notes", "rm", kept, "--yes", POCKETMIND_LANGUAGE="zh")
    assert "已删除 1 条笔记" in zh.out


# -- ids -----------------------------------------------------------------------------------------------------------


def test_the_beginning_of_an_id_names_a_note_if_it_is_the_only_one(pocketmind: Command) -> None:
    ids = [UUID(f"00000{n}0{m}-1111-4111-8111-111111111111") for n, m in ((0, 1), (0, 2), (1, 1))]

    async def save(engine: Engine, scope: Scope) -> None:
        async with engine.database.transaction(scope) as tx:
            note = Note(note_id=ids[0], title="", body="One of three.")
            await engine.projector.save_notes(tx, [replace(note, note_id=note_id) for note_id in ids])

    inside(save)
    for words in ("000001", "00000101-1111", "000001011111", str(ids[2]).upper()):
        assert pocketmind("notes", "show", words, "--json").json["note_id"] == str(ids[2])
    several = pocketmind("notes", "rm", "000000", "--yes")
    assert several.code == 1
    assert f"several ids, such as {ids[0]} and {ids[1]}" in several.err
    assert "多条笔记编号的开头" in pocketmind("notes", "mv", "000000", "x", POCKETMIND_LANGUAGE="zh").err
    assert "at least 6 characters" in pocketmind("notes", "edit", "00000", "--pin").err
    theirs = pocketmind("notes", "show", "00000101", "--user", "somebody-else")
    unknown = pocketmind("notes", "show", "abcdef01")
    assert (theirs.code, theirs.err) == (1, unknown.err.replace("abcdef01", "00000101"))
    assert len(pocketmind("notes", "list", "--json").json["notes"]) == 3


# -- on a terminal -------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """Standard input on which somebody has typed."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_an_editor_opens_and_a_deletion_asks(
    pocketmind: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    note_id = added(pocketmind, title="Door code")
    monkeypatch.setenv("VISUAL", editor_that(tmp_path, "path.write_text('zimtstern')"))
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert run(["notes", "edit", note_id, "--no-vectors"]) == 0
    assert pocketmind("notes", "show", note_id, "--json").json["body"] == "zimtstern"
    for answer, code in (("", 1), ("n\n", 1), ("y\n", 0)):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        assert pocketmind("notes", "show", note_id).code == 0
        assert run(["notes", "rm", note_id, "--json"]) == code
        told = capsys.readouterr()
        assert re.search(r"Door code\n.*delete these 1 notes.*\[y/N\]", told.err)
        assert "nothing was deleted" in told.err if code else json.loads(told.out)["deleted"] == [note_id]
    assert pocketmind("notes", "show", note_id).code == 1


def test_a_deletion_asks_on_a_real_terminal(
    pocketmind: Command, place: Mapping[str, str], request: pytest.FixtureRequest
) -> None:
    note_id = added(pocketmind, title="门禁密码")
    environ = {**os.environ, **place, "POCKETMIND_USER": request.node.name, "POCKETMIND_LANGUAGE": "zh"}
    child, terminal = pty.fork()
    if child == 0:
        os.execve(POCKETMIND, [str(POCKETMIND), "notes", "rm", note_id], environ)  # noqa: S606  # the command itself
    try:
        read_until(terminal, "门禁密码", "删除以上 1 条笔记", "[y/N]")
        os.write(terminal, "是\r".encode())
        read_until(terminal, "已删除 1 条笔记")
        assert ended(child) == 0
    finally:
        os.close(terminal)
    assert pocketmind("notes", "show", note_id).code == 1


def test_a_search_can_be_asked_as_of_an_earlier_time(pocketmind: Command) -> None:
    note = added(pocketmind, "The staging gateway listens on port 8443.")
    before = pocketmind("retrieve", "staging gateway port", "--json").json
    pocketmind("notes", "edit", note, "--body", "The staging gateway listens on port 9000.", "--no-vectors")

    def texts(*options: object) -> list[str]:
        found = pocketmind("retrieve", "staging gateway port", "--json", *options).json
        return [match["text"] for match in found["matches"]]

    assert texts() == ["The staging gateway listens on port 9000."]
    assert texts("--as-of", before["miv"]) == ["The staging gateway listens on port 8443."]
    refused = pocketmind("retrieve", "staging", "--as-of", 10_000, expect=1)
    assert "10000" in refused.err
    pocketmind("notes", "rm", note, "--yes")
    assert texts("--as-of", before["miv"]) == [], "what was erased is erased at all times"
