"""Background work from the command line: done by the command itself, seen, tried again, and drained on SIGTERM."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest

from context.scope import Scope
from engine.engine import Engine
from storage import live
from storage.jobs import READ
from tests.interfaces import test_cli
from tests.interfaces.test_cli import POCKETMIND, Command
from tests.interfaces.test_cli_notes import inside
from tests.support.hashing import hashed_vector
from tests.support.openai_replies import Vectors
from tests.support.openai_script import Body
from tests.support.openai_server import scripted_openai

place = test_cli.place
pocketmind = test_cli.pocketmind
DIMENSION = 16
LARGE = "\n\n".join(f"## 第{n}章\n\nkanarik{n}。" + "填充文字。" * 150 for n in range(290))
FAIL = """update pm_jobs.procrastinate_jobs
  set status = 'failed', attempts = 9, args = args || '{"error": "ModelUnavailable"}'
  where args ->> 'user' = %s and task_name = %s"""


def embed(body: Body) -> Vectors:
    """A quick embedder; it makes nothing of the word `毒`."""
    vectors = [hashed_vector(text, DIMENSION).tolist() for text in body["input"]]
    return Vectors([[0.0] * DIMENSION if "毒" in text else v for text, v in zip(body["input"], vectors, strict=True)])


def endpoint_of(url: str) -> dict[str, str]:
    """The settings of a scripted embedder."""
    return {
        "OPENAI_BASE_URL": url,
        "POCKETMIND_EMBEDDING_MODEL": "hashed",
        "POCKETMIND_EMBEDDING_DIMENSION": str(DIMENSION),
    }


def fail_jobs(place: Mapping[str, str], user: str, task: str) -> None:
    """As if all attempts of a user's jobs had failed."""
    with psycopg.connect(
        place["POCKETMIND_WORKER_URL"], autocommit=True, options="-c search_path=pm_jobs"
    ) as connection:
        connection.execute(FAIL.encode(), (user, task))


# --- what a command finishes itself -------------------------------------------------------------------------------


def test_a_large_note_is_found_by_its_last_words_without_any_worker(pocketmind: Command) -> None:
    with scripted_openai([], embeddings=embed, dimension=DIMENSION) as endpoint:
        ran = pocketmind("notes", "add", "--body", "-", stdin=LARGE.encode(), **endpoint_of(endpoint.base_url))
        checks = pocketmind("doctor", "--json", **endpoint_of(endpoint.base_url)).json["checks"]
    assert ran.code == 0, ran.err
    assert [check["detail"] for check in checks if check["part"] == "vectors"] == ["every item has one"]

    async def words(engine: Engine, scope: Scope) -> live.LiveRows:
        async with engine.database.transaction(scope) as tx:
            return await live.read_snapshot(tx, miv=2**60, engine="x", vectors=[], terms=["kanarik289"])

    rows = inside(words)
    assert sum(node.is_leaf for node in rows.nodes or []) == 290
    assert "kanarik289" in str(rows.postings)


def test_files_are_read_by_the_import_and_one_that_cannot_be_read_says_why(pocketmind: Command, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "plan.md").write_text("# Plan\n\nA note.\n", "utf-8")
    (folder / "ports.csv").write_text("name,port\ngateway,8443\n", "utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    ran = pocketmind("notes", "import", folder, "--no-vectors", POCKETMIND_LANGUAGE="zh")
    assert ran.code == 0, ran.err
    assert "broken.pdf：文件已损坏" in ran.err
    assert "8443" in pocketmind("retrieve", "gateway port", "--json").json["matches"][0]["text"]
    again = pocketmind("notes", "add", "--body", "another", "--no-vectors")
    assert "broken.pdf" not in again.err, "what has failed is not tried by every command"


def test_what_cannot_be_embedded_is_said_and_costs_nothing_else(pocketmind: Command) -> None:
    with scripted_openai([], embeddings=embed, dimension=DIMENSION) as endpoint:
        settings = endpoint_of(endpoint.base_url)
        ran = pocketmind("notes", "add", "--title", "Good", "--body", "有毒的文字", **settings)
        assert "1 items cannot be embedded and are found by words only" in ran.err
        checks = pocketmind("doctor", "--json", **settings)
    assert "cannot be embedded" in checks.out


def test_ctrl_c_while_files_are_read_loses_nothing(
    pocketmind: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def interrupted(*_: object, **__: object) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(60)
        raise AssertionError("Ctrl-C did not stop it")

    (tmp_path / "ports.csv").write_text("name,port\ngateway,8443\n", "utf-8")
    with monkeypatch.context() as patched:
        patched.setattr("resources.reading.read_file", interrupted)
        ran = pocketmind("notes", "import", tmp_path / "ports.csv", "--no-vectors")
    assert "nothing is lost: 1 files or long notes are read when" in ran.err
    assert [job["task"] for job in pocketmind("jobs", "list", "--json").json["jobs"]].count(READ) == 1
    pocketmind("notes", "add", "--body", "another", "--no-vectors")
    assert "8443" in pocketmind("retrieve", "gateway port", "--json").json["matches"][0]["text"]


# --- jobs ---------------------------------------------------------------------------------------------------------


def test_failed_jobs_are_listed_told_by_doctor_and_tried_again(
    pocketmind: Command, place: Mapping[str, str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    (tmp_path / "ports.csv").write_text("name,port\ngateway,8443\n", "utf-8")
    pocketmind("notes", "import", tmp_path / "ports.csv", "--no-vectors")
    assert "no job has failed" in pocketmind("jobs", "list", "--failed").err
    fail_jobs(place, request.node.name, READ)
    (dead,) = pocketmind("jobs", "list", "--failed", "--json").json["jobs"]
    assert (dead["task"], dead["status"], dead["attempts"], dead["error"]) == ("read", "failed", 9, "ModelUnavailable")
    assert set(dead["about"]) == {"asset_id"}
    shown = pocketmind("jobs", "list", POCKETMIND_LANGUAGE="zh")
    assert "失败" in shown.out and dead["about"]["asset_id"] in shown.out and "ModelUnavailable" in shown.out
    doctor = pocketmind("doctor")
    assert doctor.code == 1 and "1 failed 失败" in doctor.out and "pocketmind jobs list --failed" in doctor.out

    stranger = pocketmind("jobs", "retry", dead["job_id"], "--user", "somebody-else")
    assert (stranger.code, "There is no failed or waiting job" in stranger.err) == (1, True)
    assert pocketmind("jobs", "retry").code == 1, "which one is not said"
    assert pocketmind("jobs", "retry", dead["job_id"], "--all").code == 1
    assert pocketmind("jobs", "retry", dead["job_id"], "--json").json == {"retried": [dead["job_id"]]}
    assert pocketmind("jobs", "list", "--failed", "--json").json == {"jobs": []}
    fail_jobs(place, request.node.name, READ)
    assert "1 jobs run again" in pocketmind("jobs", "retry", "--all").out


# --- the worker's end ---------------------------------------------------------------------------------------------


def test_a_worker_that_is_told_to_stop_finishes_what_it_is_doing(
    pocketmind: Command, place: Mapping[str, str], request: pytest.FixtureRequest
) -> None:
    asked, stopped = threading.Event(), threading.Event()

    def slow(body: Body) -> Vectors:
        if any("zimtstern" in text for text in body["input"]):  # others have left jobs in this queue, too
            asked.set()
            stopped.wait(30)
            time.sleep(0.5)  # the signal has been sent: the embedding comes while the worker is stopping
        return embed(body)

    pocketmind("notes", "add", "--body", "The door code is zimtstern.", "--no-vectors")
    with scripted_openai([], embeddings=slow, dimension=DIMENSION) as endpoint:
        settings = endpoint_of(endpoint.base_url)
        environ = {**os.environ, **place, **settings, "POCKETMIND_USER": request.node.name}
        worker = subprocess.Popen([POCKETMIND, "worker"], env=environ, stderr=subprocess.PIPE, text=True)
        try:
            assert asked.wait(60), "it took the job"
            worker.send_signal(signal.SIGTERM)
            stopped.set()
            _, told = worker.communicate(timeout=60)
        finally:
            worker.kill()
        assert worker.returncode == 0, told
        assert "the worker has stopped" in told
        found = pocketmind("retrieve", "zimtstern", "--json", **settings).json
    assert [item["code"] for item in found["degradations"]] == [], "the vectors it was making are there"
