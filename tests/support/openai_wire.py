"""The wire of the test server: OpenAI's HTTP protocol, spoken by the standard library so that any byte can be cut.

uvicorn would be shorter, but it hides the socket, and half of the faults are faults of the socket.
"""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from tests.support.hashing import hashed_vector
from tests.support.openai_replies import EmbeddingReply, Fault, Rendered, Reply, Vectors, render
from tests.support.openai_script import Body, ScriptedOpenAI


class ScriptedServer(ThreadingHTTPServer):
    daemon_threads = False  # so that `server_close` waits for every handler: no thread outlives its test
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, scripted: ScriptedOpenAI) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scripted = scripted
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._open_lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._open_lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        """End the keep-alive connections that clients have left open."""
        with self._open_lock:
            for connection in self._open:
                with contextlib.suppress(OSError):  # the client was faster
                    connection.shutdown(socket.SHUT_RDWR)


class _Gone(Exception):
    """The client went away, or the fault is to cut the connection: nothing more can be said on it."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each small piece of a stream waits 40 ms for an acknowledgement

    @property
    def scripted(self) -> ScriptedOpenAI:
        return cast(ScriptedServer, self.server).scripted

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: what happened is in `ScriptedOpenAI`."""

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            models = [
                {"id": name, "object": "model", "created": 0, "owned_by": "tests"} for name in self.scripted.models
            ]
            self._send_json(200, {"object": "list", "data": models})
        else:
            self._send_error_object(self.scripted.surprise(f"GET {self.path}"))

    def do_POST(self) -> None:
        body: Body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.scripted.note(body, dict(self.headers))
        try:
            if self.path == "/v1/chat/completions":
                self._chat(self.scripted.next_reply(body), body)
            elif self.path == "/v1/embeddings":
                self._embed(self.scripted.next_embeddings(body), body)
            else:
                self._send_error_object(self.scripted.surprise(f"POST {self.path}"))
        except _Gone:
            self.close_connection = True
        except OSError:
            self.close_connection = True
            self.scripted.note_hangup()

    # -- chat completions --------------------------------------------------------------------------------------

    def _chat(self, reply: Reply, body: Body) -> None:
        fault = reply if isinstance(reply, Fault) else None
        if fault and self._broke_before_the_reply(fault):
            return
        said = render(reply, body)
        if body.get("stream"):
            self._stream(said, body, fault)
            return
        message: Body = {"role": "assistant", "content": said.content or None, "refusal": said.refusal}
        if said.tool_calls:
            message["tool_calls"] = list(said.tool_calls)
        choice = {"index": 0, "message": message, "finish_reason": said.finish_reason, "logprobs": None}
        nulled = fault is not None and fault.kind == "null_choices"
        whole = _envelope(body, "chat.completion", None if nulled else [choice]) | {"usage": _usage(said, body)}
        self._send_json(200, whole, cut=fault is not None and fault.kind == "cut")

    def _broke_before_the_reply(self, fault: Fault) -> bool:
        if fault.kind == "status":
            self._send_error_object(fault)
        elif fault.kind == "html":
            self._send(200, "text/html", b"<!doctype html><title>Welcome</title>")
        elif fault.kind == "hang":
            self._wait(fault.seconds)
            return False
        else:
            return False
        return True

    def _stream(self, said: Rendered, body: Body, fault: Fault | None) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for place, delta in enumerate(_deltas(said)):
            if fault is not None:
                self._stream_fault(fault, place)
            self._send_event(_envelope(body, "chat.completion.chunk", [_delta(delta)]))
        if said.finish_reason is not None:
            self._send_event(_envelope(body, "chat.completion.chunk", [_delta({}, said.finish_reason)]))
        if (body.get("stream_options") or {}).get("include_usage"):
            self._send_event(_envelope(body, "chat.completion.chunk", []) | {"usage": _usage(said, body)})
        self._send_chunk(b"data: [DONE]\n\n")
        self._send_chunk(b"")

    def _stream_fault(self, fault: Fault, place: int) -> None:
        if fault.kind == "slow" or (fault.kind == "stall" and place == fault.after):
            self._wait(fault.seconds)
        elif fault.kind == "cut" and place == fault.after:
            self._cut()
        elif fault.kind == "error_event" and place == fault.after:
            self._send_event({"error": {"message": fault.text, "type": "server_error", "code": fault.code}})
            self._send_chunk(b"")
            raise _Gone

    # -- embeddings --------------------------------------------------------------------------------------------

    def _embed(self, reply: EmbeddingReply, body: Body) -> None:
        if isinstance(reply, Fault):
            if self._broke_before_the_reply(reply):
                return
            if reply.kind == "cut":
                self._send_json(200, {"object": "list", "data": []}, cut=True)
            reply = Vectors([hashed_vector(text, 8).tolist() for text in body["input"]])
        packed = body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": index, "embedding": _packed(vector) if packed and vector else vector}
            for index, vector in zip(reply.indices or range(len(reply.vectors)), reply.vectors, strict=True)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._send_json(200, {"object": "list", "data": data, "model": body.get("model"), "usage": usage})

    # -- the wire ----------------------------------------------------------------------------------------------

    def _wait(self, seconds: float) -> None:
        """Wait, but no longer than the client stays or the test lasts."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.scripted.closing.wait(min(left, 0.01)):
                raise _Gone
            if self._client_left():
                self.scripted.note_hangup()
                raise _Gone

    def _client_left(self) -> bool:
        self.connection.setblocking(False)
        try:
            waiting: bytes = self.connection.recv(1, socket.MSG_PEEK)
            return not waiting
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            self.connection.setblocking(True)

    def _cut(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)
        raise _Gone

    def _send_error_object(self, fault: Fault) -> None:
        headers = {} if fault.retry_after is None else {"retry-after": f"{fault.retry_after:g}"}
        error = {"message": fault.text, "type": "scripted_error", "param": None, "code": fault.code}
        self._send_json(fault.status, {"error": error}, headers=headers)

    def _send_json(
        self, status: int, value: Body, *, headers: Mapping[str, str] | None = None, cut: bool = False
    ) -> None:
        raw = json.dumps(value, ensure_ascii=False).encode()
        self._send(status, "application/json", raw, headers=headers, cut=cut)

    def _send(
        self, status: int, mime: str, raw: bytes, *, headers: Mapping[str, str] | None = None, cut: bool = False
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": mime, "content-length": str(len(raw)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw[: len(raw) // 2] if cut else raw)
        if cut:
            self._cut()

    def _send_event(self, value: Body) -> None:
        self._send_chunk(b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n")

    def _send_chunk(self, raw: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(raw), raw))


def _envelope(body: Body, kind: str, choices: list[Body] | None) -> Body:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": body.get("model"), "choices": choices}


def _delta(delta: Body, finish_reason: str | None = None) -> Body:
    return {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}


def _deltas(said: Rendered) -> Iterator[Body]:
    """The pieces of a stream: role first, text four characters at a time, each call's arguments in two halves."""
    yield {"role": "assistant", "content": ""}
    if said.refusal is not None:
        yield {"refusal": said.refusal}
    for start in range(0, len(said.content), 4):
        yield {"content": said.content[start : start + 4]}
    for index, call in enumerate(said.tool_calls):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        half = len(arguments) // 2
        opening = {"index": index, "id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}}
        yield {"tool_calls": [opening]}
        for piece in (arguments[:half], arguments[half:]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _usage(said: Rendered, body: Body) -> Body:
    """Counts that are stable, not true: four characters a token."""
    sent = sum(len(str(message.get("content") or "")) for message in body["messages"]) // 4 + 1
    received = len(said.content) // 4 + 1
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def _packed(vector: Sequence[float]) -> str:
    """Base64 of little-endian float32, which is what the openai client asks for."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
