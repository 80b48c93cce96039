"""Recordings through a real HTTP endpoint on loopback: what is sent, what comes back, and every way it can fail."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from context.errors import ConfigurationError, ModelOutputInvalid, ModelUnavailable, ProjectionError
from context.types import SourceType
from models.transcription import Transcriber, build_transcriber
from resources.readers.isolated import read_document
from tests.support.hangs import HANGS
from tests.support.openai_models import CANARY, misleading_environment

SEGMENTS = [
    {"id": 0, "start": 0.0, "end": 4.0, "text": " 大家好，今天讨论数据库。"},
    {"id": 1, "start": 4.0, "end": 7.5, "text": " We move on Friday.", "speaker": "Ann"},
    {"id": 2, "start": 91.2, "end": 93.0, "text": " 再见。"},
]
AUDIO = b"ID3\x04" + bytes(range(256)) * 40
VERBOSE = {"task": "transcribe", "language": "chinese", "duration": 93.0, "text": "大家好……", "segments": SEGMENTS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of the endpoint. `seconds` it waits first; `refuses` names the response formats it answers 400 to."""

    body: Any = None
    status: int = 200
    kind: str = "application/json"
    seconds: float = 0.0
    refuses: tuple[str, ...] = ()
    cut: bool = False


@dataclass(slots=True)
class Endpoint:
    """A server that transcribes as it is told, and the forms it was sent: field names to values."""

    reply: Reply
    base_url: str = ""
    forms: list[dict[str, str]] = field(default_factory=list)
    audio: list[bytes] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    asked: threading.Event = field(default_factory=threading.Event)
    closing: threading.Event = field(default_factory=threading.Event)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoint: Endpoint

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.endpoint.headers.append(str(self.headers))
        message = BytesParser().parsebytes(
            b"Content-Type: " + self.headers["content-type"].encode() + b"\r\n\r\n" + body
        )
        form: dict[str, str] = {"path": self.path}
        for part in message.walk():
            name = part.get_param("name", header="content-disposition")
            if name == "file":
                form["file"] = f"{part.get_filename()} {part.get_content_type()}"
                self.endpoint.audio.append(bytes(part.get_payload(decode=True)))
            elif name:
                form[str(name)] = bytes(part.get_payload(decode=True)).decode()
        self.endpoint.forms.append(form)
        self.endpoint.asked.set()
        reply = self.endpoint.reply
        if self.endpoint.closing.wait(reply.seconds):
            return
        if form["response_format"] in reply.refuses:
            error = {
                "message": "response_format 'x' is not compatible",
                "param": "response_format",
                "code": "unsupported",
            }
            self._send(400, "application/json", json.dumps({"error": error}).encode(), cut=False)
        else:
            raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self._send(reply.status, reply.kind, raw, cut=reply.cut)

    def _send(self, status: int, kind: str, raw: bytes, *, cut: bool) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(raw[: len(raw) // 2] if cut else raw)


@contextmanager
def transcribing(reply: Reply) -> Iterator[Endpoint]:
    endpoint = Endpoint(reply)
    handler = type("Handler", (_Handler,), {"endpoint": endpoint})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    endpoint.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def on_this_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with misleading_environment(monkeypatch):
        yield


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "5f2c"
    path.write_bytes(AUDIO)
    return path


def transcriber(endpoint: Endpoint, *, timeout: float = 30.0, key: str | None = "sk-test") -> Transcriber:
    secret = SecretStr(key) if key else None
    return build_transcriber(
        model="whisper-1", base_url=endpoint.base_url, api_key=secret, timeout=timeout, max_retries=0
    )


async def test_a_recording_becomes_parts_of_a_minute(recording: Path) -> None:
    with transcribing(Reply(body=VERBOSE)) as endpoint:
        model = transcriber(endpoint)
        document = await read_document(recording, name="周会 2024.mp3", transcribe=model, language="zh")
        await model.close()
    assert document.source_type is SourceType.AUDIO_TRANSCRIPT and document.title == "周会 2024"
    assert [(part.anchor, part.text) for part in document.parts] == [
        ("t=00:00:00", "大家好，今天讨论数据库。\nAnn: We move on Friday."),
        ("t=00:01:31", "再见。"),
    ]
    assert endpoint.forms == [
        {
            "path": "/v1/audio/transcriptions",
            "file": "recording.mp3 audio/mpeg",
            "model": "whisper-1",
            "response_format": "verbose_json",
            "language": "zh",
        }
    ]
    assert endpoint.audio == [AUDIO] and CANARY not in endpoint.headers[0]


async def test_an_endpoint_without_times_is_asked_again_and_remembered(recording: Path) -> None:
    with transcribing(Reply(body={"text": " 没有时间。 "}, refuses=("verbose_json",))) as endpoint:
        model = transcriber(endpoint, key=None)
        for _ in range(2):
            document = await read_document(recording, name="a.m4a", transcribe=model)
            assert [(part.anchor, part.text) for part in document.parts] == [("", "没有时间。")]
        await model.close()
    assert [form["response_format"] for form in endpoint.forms] == ["verbose_json", "json", "json"]
    assert "language" not in endpoint.forms[0]


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Reply(body=b"plain words\n", kind="text/plain; charset=utf-8"), "plain words"),
        (Reply(body="就这些。".encode(), kind="text/html", refuses=("verbose_json", "json")), "就这些。"),
        (Reply(body=b"2024", kind="text/plain", refuses=("verbose_json", "json")), "2024"),
        (Reply(body={"text": "no list", "segments": None}), "no list"),
    ],
)
async def test_other_forms_of_an_answer(reply: Reply, text: str, recording: Path) -> None:
    with transcribing(reply) as endpoint:
        model = transcriber(endpoint)
        assert (await read_document(recording, name="a.wav", transcribe=model)).text == text
        await model.close()


@pytest.mark.parametrize(
    ("reply", "becomes", "words"),
    [
        (Reply(status=401, body={"error": {"message": "bad key sk-secret"}}), ConfigurationError, "key.*401"),
        (Reply(status=404, body={"error": {"message": "no model"}}), ConfigurationError, "no such transcription"),
        (Reply(status=413, body=b"too large", kind="text/plain"), ModelOutputInvalid, "larger than"),
        (Reply(status=400, body={"error": {"message": "not audio"}}), ModelOutputInvalid, "refused.*400"),
        (Reply(status=429, body={"error": {"message": "slow down"}}), ModelUnavailable, "429"),
        (Reply(status=503, body=b"", kind="text/plain"), ModelUnavailable, "503"),
        (Reply(body=b"<!doctype html><title>Welcome</title>", kind="text/html"), ModelOutputInvalid, "no transcript"),
        (Reply(body={"choices": []}), ModelOutputInvalid, "no transcript"),
        (Reply(body={"text": "x", "segments": [{"start": "soon"}]}), ModelOutputInvalid, "no transcript"),
        (Reply(body=VERBOSE, cut=True), ModelUnavailable, "connection broke"),
    ],
)
async def test_each_fault_becomes_our_error(
    reply: Reply, becomes: type[Exception], words: str, recording: Path
) -> None:
    with transcribing(reply) as endpoint:
        model = transcriber(endpoint)
        with pytest.raises(becomes, match=words) as caught:
            await read_document(recording, name="a.mp3", transcribe=model)
        await model.close()
    assert type(caught.value) is becomes and "sk-secret" not in str(caught.value)
    assert len(endpoint.forms) == 1, "only a refused form is asked for in another"


async def test_the_deadline_is_for_the_whole_recording(recording: Path) -> None:
    began = time.monotonic()
    with transcribing(Reply(body=VERBOSE, seconds=2 * HANGS)) as endpoint:
        model = transcriber(endpoint, timeout=0.3)
        with pytest.raises(ModelUnavailable, match=r"0\.3 s|in time"):
            await read_document(recording, name="a.mp3", transcribe=model)
        await model.close()
    assert time.monotonic() - began < HANGS


async def test_cancelling_ends_the_request(recording: Path) -> None:
    with transcribing(Reply(body=VERBOSE, seconds=2 * HANGS)) as endpoint:
        model = transcriber(endpoint)
        task = asyncio.create_task(read_document(recording, name="a.mp3", transcribe=model))
        assert await asyncio.to_thread(endpoint.asked.wait, HANGS)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await model.close()


async def test_silence_and_no_transcriber_are_reasons(recording: Path) -> None:
    with transcribing(Reply(body={"text": "", "segments": []})) as endpoint:
        model = transcriber(endpoint)
        with pytest.raises(ProjectionError, match="Nothing is said") as silent:
            await read_document(recording, name="a.mp3", transcribe=model)
        await model.close()
    with pytest.raises(ProjectionError, match="no model for transcription") as unset:
        await read_document(recording, name="a.mp3")
    assert silent.value.zh and "POCKETMIND_TRANSCRIPTION_MODEL" in (unset.value.hint or "")
    assert "POCKETMIND_TRANSCRIPTION_MODEL" in (unset.value.zh or "")


def test_openai_itself_needs_a_key() -> None:
    with pytest.raises(ConfigurationError, match="no API key"):
        build_transcriber(model="whisper-1", base_url=None, api_key=None)
