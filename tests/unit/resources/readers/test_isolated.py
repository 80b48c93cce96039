"""Reading in a process of its own: what it is given, what it may do, and that it always ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import docx
import pytest

from context.errors import ProjectionError
from context.types import SourceType
from resources.readers.document import ReaderLimits
from resources.readers.isolated import read_document
from tests.support.hangs import HANGS
from tests.unit.resources.readers.files import picture, png, saved
from tests.unit.resources.readers.pdf_files import Page, pdf

SLOW = png(picture(*["many words on a picture"] * 30))
"""A file that takes a second and more: the models that read it must be loaded first."""

needs_proc = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks at processes in /proc")


def stored(folder: Path, raw: bytes) -> Path:
    path = folder / "5f2c"  # assets lie under their digest, not under their name
    path.write_bytes(raw)
    return path


def readers_of(path: Path) -> list[int]:
    """The processes that have this path among their arguments."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                arguments = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:  # it ended while we looked
                continue
            if os.fsencode(path) in arguments:
                found.append(int(process.name))
    return found


def environment_of(process: int) -> bytes:
    return Path(f"/proc/{process}/environ").read_bytes()


async def reader_of(path: Path) -> int:
    """The process that reads this file, as soon as it is no longer a copy of this one."""
    for _ in range(int(HANGS * 100)):
        for process in readers_of(path):
            if b"ORT_DISABLE_TELEMETRY=1" in environment_of(process):
                return process
        await asyncio.sleep(0.01)
    raise AssertionError("no process reads the file")


async def test_a_file_comes_back_as_it_was_read(tmp_path: Path) -> None:
    raw = pdf([Page(["决定采用数据库。"]), Page(["Second."])], title="标题")
    document = await read_document(stored(tmp_path, raw), name="a.pdf")
    assert document.title == "标题" and document.source_type is SourceType.PDF_TEXT
    assert [(part.anchor, part.text) for part in document.parts] == [
        ("page=1", "决定采用数据库。"),
        ("page=2", "Second."),
    ]


async def test_a_reason_comes_back_whole(tmp_path: Path) -> None:
    with pytest.raises(ProjectionError, match="password") as caught:
        await read_document(stored(tmp_path, pdf([Page(["x"])], password="p")), name="a.pdf")
    assert caught.value.hint and caught.value.zh


async def test_small_plain_text_needs_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    path = stored(tmp_path, "你好".encode("utf-16"))
    assert (await read_document(path, name="a.txt")).text == "你好"
    with pytest.raises(ProjectionError, match="could not be started"):
        await read_document(path, name="a.srt")


async def test_large_plain_text_is_read_apart(tmp_path: Path) -> None:
    path = stored(tmp_path, "一行文字\n".encode() * 100_000)
    document = await read_document(path, name="a.txt", limits=ReaderLimits(max_characters=1_000))
    assert len(document.text) == 1_000 and "1000 characters" in document.notices[0]


@pytest.mark.parametrize(
    ("raw", "name", "limits", "reason"),
    [
        (b"", "a.pdf", ReaderLimits(), "empty"),
        (b"", "a.txt", ReaderLimits(), "empty"),
        (b"x" * 2_000_000, "a.txt", ReaderLimits(max_bytes=1_000_000), "larger than 1 MB"),
        (b"MZ\x90\x00", "program.exe", ReaderLimits(), "no reader"),
        (b"ID3\x04", "song.mp3", ReaderLimits(), "Recordings cannot be read"),
        (b"words", "a\x00\ud800.docx", ReaderLimits(), "damaged"),
        (pdf([Page(["x"])]), "report.docx", ReaderLimits(), None),
    ],
)
async def test_what_is_said_before_and_behind(
    raw: bytes, name: str, limits: ReaderLimits, reason: str | None, tmp_path: Path
) -> None:
    if reason is None:
        assert (await read_document(stored(tmp_path, raw), name=name)).source_type is SourceType.PDF_TEXT
        return
    with pytest.raises(ProjectionError, match=reason) as caught:
        await read_document(stored(tmp_path, raw), name=name, limits=limits)
    assert caught.value.zh


async def test_what_is_no_plain_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "missing"):
        with pytest.raises(ProjectionError):
            await asyncio.wait_for(read_document(path, name="a.pdf"), HANGS)


@needs_proc
async def test_the_deadline_ends_the_process(tmp_path: Path) -> None:
    path = stored(tmp_path, SLOW)
    began = time.monotonic()
    with pytest.raises(ProjectionError, match=r"longer than 0\.2 s") as caught:
        await read_document(path, name="a.png", limits=ReaderLimits(seconds=0.2))
    assert time.monotonic() - began < HANGS and "0.2 秒" in (caught.value.zh or "")
    assert readers_of(path) == []


@needs_proc
async def test_cancelling_ends_the_process(tmp_path: Path) -> None:
    path = stored(tmp_path, SLOW)
    task = asyncio.create_task(read_document(path, name="a.png"))
    await reader_of(path)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert readers_of(path) == []


@needs_proc
@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (signal.SIGKILL, "stopped from outside"),
        (signal.SIGSEGV, "crashed"),
        (signal.SIGABRT, "memory"),
        (signal.SIGALRM, "longer than"),
    ],
)
async def test_a_process_that_dies_is_a_reason(number: signal.Signals, reason: str, tmp_path: Path) -> None:
    path = stored(tmp_path, SLOW)
    task = asyncio.create_task(read_document(path, name="a.png"))
    os.kill(await reader_of(path), number)
    with pytest.raises(ProjectionError, match=reason) as caught:
        await task
    assert caught.value.zh


async def test_too_little_memory_is_a_reason(tmp_path: Path) -> None:
    path = stored(tmp_path, b"a line of text\n" * 5_000_000)
    with pytest.raises(ProjectionError, match="more than 200 MB of memory") as caught:
        await read_document(path, name="a.txt", limits=ReaderLimits(memory_bytes=200_000_000))
    assert "200 MB" in (caught.value.zh or "")


@needs_proc
async def test_no_secret_reaches_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "DATABASE_URL", "POCKETMIND_ADMIN_URL", "AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "canary")
    path = stored(tmp_path, SLOW)
    task = asyncio.create_task(read_document(path, name="a.png"))
    assert b"canary" not in environment_of(await reader_of(path))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_the_folder_is_left_as_it_was(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("words")
    path = stored(tmp_path, saved(document.save))
    before = path.stat()
    asyncio.run(read_document(path, name="a.docx"))
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert (path.stat().st_mtime_ns, path.stat().st_size) == (before.st_mtime_ns, before.st_size)


@pytest.mark.parametrize(
    "attempt",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.fork()",
        "open('written', 'w')",
        "import os; os.open('written', os.O_CREAT)",
        "import os; os.remove('kept')",
        "bytearray(900_000_000)",
    ],
)
def test_a_confined_process_is_refused(attempt: str, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    program = (
        "from resources.readers.confinement import confine\nfrom resources.readers.document import ReaderLimits\n"
        f"confine(ReaderLimits(memory_bytes=800_000_000))\ntry:\n    {attempt}\n"
        "except (PermissionError, MemoryError):\n    print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept"]
