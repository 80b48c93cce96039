"""Ask the running server one question over HTTP, as a client would: note in, answer with its source out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

_WAIT = 120.0


def call(url: str, token: str, body: object = None) -> object:
    """One JSON request."""
    request = urllib.request.Request(url, data=None if body is None else json.dumps(body).encode())  # noqa: S310
    request.add_header("Authorization", f"Bearer {token}")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  # loopback only
        return json.load(answer)


def main(port: str, folder: str) -> None:
    """Fails loudly when the answer is not the note's."""
    base = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + _WAIT
    while True:
        try:
            call(f"{base}/ok", "")
            break
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    notes = Path(folder) / "notes"
    notes.mkdir()
    (notes / "gateway.md").write_text("# Gateway\n\nThe staging gateway listens on port 8443.\n", "utf-8")
    subprocess.run([".venv/bin/pocketmind", "notes", "import", str(notes)], check=True)  # noqa: S603
    token = (Path(os.environ["POCKETMIND_HOME"]) / "token").read_text().strip()
    thread = str(uuid.uuid4())
    call(f"{base}/threads", token, {"thread_id": thread})
    question = {"messages": [{"role": "user", "content": "Which port does the staging gateway listen on?"}]}
    state = call(f"{base}/threads/{thread}/runs/wait", token, {"assistant_id": "chat", "input": question})
    assert isinstance(state, dict)  # noqa: S101
    answer = state["messages"][-1]["content"]
    if "8443" not in answer or not state["answer"]["citations"]:
        raise SystemExit(f"Not the note's answer: {answer!r}")
    print(f"asked over HTTP, answered: {answer.splitlines()[0]}")


main(*sys.argv[1:])
