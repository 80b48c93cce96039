"""`pocketmind run`: the real server under `langgraph dev`, asked over HTTP, stopped, and started again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from storage.embedded import stop_server

ROOT = Path(__file__).resolve().parents[2]
_READY = 90.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="pocketmind-server-", dir="/tmp"))  # others must enter it
    folder.chmod(0o755)
    yield folder
    stop_server(folder)
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(home: Path, port: int) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """The server, ready, and a client that is signed in."""
    environment = {**os.environ, "POCKETMIND_HOME": str(home), "POCKETMIND_LANGUAGE": "en"}
    command = [sys.executable, "-m", "server.launch", "--port", str(port)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        deadline = time.monotonic() + _READY
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if httpx.get(f"http://127.0.0.1:{port}/ok", timeout=2).status_code == 200:
                    break
            except httpx.HTTPError:
                time.sleep(0.2)
        assert process.poll() is None, process.stdout.read() if process.stdout else ""
        token = (home / "token").read_text()
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as client:
            yield client, process
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, "a server that is told to stop ends well"


def ask(client: httpx.Client, thread: str, text: str, **more: Any) -> httpx.Response:
    body = {"assistant_id": "chat", "input": {"messages": [{"role": "user", "content": text}]}, **more}
    return client.post(f"/threads/{thread}/runs/wait", json=body)


def test_a_server_answers_refuses_strangers_and_keeps_its_history_over_a_restart(home: Path) -> None:
    port, thread = free_port(), str(uuid4())
    with running(home, port) as (client, _):
        assert {row["graph_id"] for row in client.post("/assistants/search", json={}).json()} == {"chat", "commit"}
        client.post("/threads", json={"thread_id": thread}).raise_for_status()
        state = ask(client, thread, "记住：我偏好中文输出").json()
        assert "偏好中文输出" in state["messages"][-1]["content"]
        assert state["answer"]["offline"] is True

        bare = httpx.Client(base_url=client.base_url, timeout=30)
        assert bare.post("/threads/search", json={}).status_code == 401
        assert bare.get("/ok", headers={"Host": "evil.example"}).status_code == 400
        for closed in ("/store/items", "/mcp", "/a2a/x"):
            assert client.get(closed).status_code in (403, 404, 405)
        forged = ask(client, thread, "hello", config={"configurable": {"pm_user": "bob"}})
        assert "ScopeError" in forged.text

        second = subprocess.run(
            [sys.executable, "-m", "server.launch", "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, "POCKETMIND_HOME": str(home), "POCKETMIND_LANGUAGE": "en"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert second.returncode == 2
        assert "running already" in second.stderr

    with running(home, port) as (client, _):
        found = client.post("/threads/search", json={}).json()
        assert thread in {row["thread_id"] for row in found}, "recent sessions are there again"
        history = client.post(f"/threads/{thread}/history", json={"limit": 20}).json()
        assert any("偏好中文输出" in str(step["values"].get("messages")) for step in history)
    assert not (ROOT / ".langgraph_api").exists(), "no pickle with people's words is left behind"
