"""Read a file in a process of its own, under limits: whatever is in it, the answer is a document or a plain reason."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import stat
import sys
import time
from pathlib import Path

from context.errors import ProjectionError
from context.text import clean
from models.transcription import Transcriber
from resources.readers import plain
from resources.readers.audio import read_recording
from resources.readers.document import Document, ReaderLimits
from resources.readers.ocr import MOST_THREADS
from resources.readers.reading import too_much_memory
from resources.readers.registry import AUDIO, PLAIN, recognise
from resources.readers.source import Source
from resources.readers.wire import BrokenAnswer, decode, encode_limits, longest_answer

_SMALL_TEXT = 1_000_000
"""Bytes of plain text that are read in this process: nothing but decoding happens to them, and that takes 0.04 s at
the most, where a process of its own costs 0.15 s before it begins."""
_HEAD = 1_024
_LAST_WORDS = 5.0
"""Seconds for the output of a process that has been killed."""
_LONGEST_ARGUMENT = 500
_KEPT = (
    "PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "HOME", "USERPROFILE",
    "APPDATA", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
)  # fmt: skip
"""What a Python process needs to start, named one by one: no secret is passed on by a name nobody thought of."""


async def read_document(
    path: Path,
    *,
    name: str,
    mime: str = "",
    limits: ReaderLimits = ReaderLimits(),  # noqa: B008  # a frozen value
    transcribe: Transcriber | None = None,
    language: str = "",
) -> Document:
    """Read a file; never longer than its limit of seconds, and nothing is left behind when this is cancelled.

    A recording is the exception: the transcriber sends it to its endpoint from this process, under its own deadline.

    Args:
        path: where the bytes lie.
        name: what the file is called; its suffix says what it is, where the first bytes do not.
        mime: its media type, for a name without a known suffix; a `charset` in it counts for web pages.
        transcribe: turns recordings into text; without one they are refused with a hint.
        language: ISO 639-1 code of what is spoken in a recording; empty lets the model tell.

    Raises:
        ProjectionError: it cannot be read; the reason is for the person who gave it and quotes nothing of it.
        ModelError, ConfigurationError: the transcriber failed; see `Transcriber.transcribe`.
    """
    name, mime = _argument(name), _argument(mime)
    path, size, head = await asyncio.to_thread(_look, path, limits)
    format = recognise(name, mime, head)
    if format is None:
        raise ProjectionError("There is no reader for this kind of file.", zh="不支持读取这种文件。")
    if format is AUDIO:
        return await read_recording(
            path, name=name, mime=mime, limits=limits, transcriber=transcribe, language=language
        )
    if format is PLAIN and size <= _SMALL_TEXT:
        return await asyncio.to_thread(_read_plain, path, name, limits)
    return await _read_apart([str(path), name, mime, format.reader, encode_limits(limits)], limits)


def _look(path: Path, limits: ReaderLimits) -> tuple[Path, int, bytes]:
    """The whole path of a file, its size and its first bytes."""
    try:
        seen = path.stat()
        if not stat.S_ISREG(seen.st_mode):
            raise ProjectionError("This is not a plain file.", zh="这不是普通文件。")
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise _unreadable(error) from error
    if not seen.st_size:
        raise ProjectionError("The file is empty.", zh="文件是空的。")
    if seen.st_size > limits.max_bytes:
        most = limits.max_bytes // 1_000_000
        raise ProjectionError(f"The file is larger than {most} MB.", zh=f"文件超过 {most} MB。")
    return path.absolute(), seen.st_size, head


def _read_plain(path: Path, name: str, limits: ReaderLimits) -> Document:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise _unreadable(error) from error
    return plain.read(Source(raw=raw, name=name, limits=limits, began=time.monotonic()))


async def _read_apart(arguments: list[str], limits: ReaderLimits) -> Document:
    """Run `python -m resources.readers` and wait for its answer; it and all it started are gone when this returns."""
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-B", "-m", "resources.readers", *arguments,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            env=_environment(), start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise ProjectionError(
            f"The process that reads files could not be started: {error.strerror}.", zh="无法启动读取文件的进程。"
        ) from error
    try:
        async with asyncio.timeout(limits.seconds):
            raw = await _all_of(process, longest_answer(limits))
            status = await process.wait()
    except TimeoutError as error:
        raise _too_slow(limits) from error
    finally:
        _end(process)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS):
                await process.communicate()  # what it had still written; without that its pipe would stay open
    return _understood(raw, status, limits)


async def _all_of(process: asyncio.subprocess.Process, most: int) -> bytes:
    """What the process writes until it closes its output."""
    if process.stdout is None:
        raise RuntimeError("The reading process was started without a pipe.")
    pieces: list[bytes] = []
    size = 0
    while piece := await process.stdout.read(1 << 20):
        size += len(piece)
        if size > most:
            raise _crashed()
        pieces.append(piece)
    return b"".join(pieces)


def _understood(raw: bytes, status: int, limits: ReaderLimits) -> Document:
    """The document, or the reason why there is none, from the answer and the exit status (negative: a signal)."""
    if status == 0:
        try:
            answer = decode(raw)
        except BrokenAnswer as error:
            raise _crashed() from error
        if isinstance(answer, ProjectionError):
            raise answer
        return answer
    if sys.platform != "win32":
        if -status in (signal.SIGALRM, signal.SIGXCPU):
            raise _too_slow(limits)
        if -status == signal.SIGKILL:  # not ours: what the kernel does when the machine's memory is used up
            raise ProjectionError(
                "Reading the file was stopped from outside, most likely because memory ran out.",
                hint="Try again, or split the file.",
                zh="读取文件时进程被终止，可能是内存不足；请重试，或拆分文件。",
            )
        if -status == signal.SIGABRT:  # how C++ ends when it gets no memory
            raise too_much_memory(limits)
    if status > 0:  # Python itself: not the file's fault
        raise ProjectionError(
            f"The process that reads files failed (exit status {status}).",
            hint="Install pocketmind again with all it depends on.",
            zh=f"读取文件的进程出错（退出码 {status}）。",
        )
    raise _crashed()


def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the process with its whole group: what it started may live on and hold its output."""
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _argument(text: str) -> str:
    """A name as it can be handed to a process: no NUL, no lone surrogates, its end if it is very long."""
    return clean(text).text[-_LONGEST_ARGUMENT:]


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    threads = str(min(MOST_THREADS, os.cpu_count() or 1))
    return kept | {
        "PYTHONUTF8": "1",
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": "1",  # each one reserves address space on its own
        "ORT_DISABLE_TELEMETRY": "1",
    }


def _unreadable(error: OSError) -> ProjectionError:
    return ProjectionError(f"The file cannot be read: {error.strerror}.", zh="文件无法读取。")


def _too_slow(limits: ReaderLimits) -> ProjectionError:
    return ProjectionError(
        f"Reading the file took longer than {limits.seconds:g} s and was stopped.",
        hint="Split it, or save it in a simpler form.",
        zh=f"读取文件超过 {limits.seconds:g} 秒，已停止。",
    )


def _crashed() -> ProjectionError:
    return ProjectionError(
        "The reader crashed on this file: it is damaged, or made to do harm.",
        zh="读取程序在处理该文件时崩溃：文件已损坏，或是恶意构造的。",
    )
