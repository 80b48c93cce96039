"""`pocketmind eval`, driven as people drive it, on made-up conversations: figures, ablation, refusals."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
import structlog

from cli.evaluations import numbers_of
from cli.main import run
from evaluation.ablation import VARIANTS
from evaluation.retrieval_plots import can_plot
from storage.embedded import EmbeddedServer
from tests.support.cluster import home_of_run
from tests.support.labelled import write_locomo, write_memorybank

Evaluate = Callable[..., tuple[int, str, str]]


@pytest.fixture
def evaluate(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Iterator[Evaluate]:
    """`pocketmind eval ...` in this process: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POCKETMIND_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("POCKETMIND_LANGUAGE", "en")
    handlers, level, logs = logging.root.handlers[:], logging.root.level, structlog.get_config()
    told = signal.getsignal(signal.SIGTERM)

    def evaluated(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["eval", *[str(word) for word in words]])
        found = capsys.readouterr()
        return code, found.out, found.err

    yield evaluated
    signal.signal(signal.SIGTERM, told)
    logging.root.handlers[:], logging.root.level = handlers, level
    structlog.configure(**logs)


def figures_of(document: dict[str, Any]) -> dict[tuple[str, str], Any]:
    return {(s["title"].split(":")[0], f["name"]): f for s in document["sections"] for f in s["figures"]}


def test_both_formats_are_measured_ablated_and_leave_only_vectors(
    evaluate: Evaluate, server: EmbeddedServer, tmp_path: Path
) -> None:
    write_locomo(tmp_path)
    write_memorybank(tmp_path)
    home = home_of_run()
    words = ("retrieval", "--data", tmp_path, "--home", home, "--json", "--ablate", "--plots", tmp_path / "plots")
    code, out, err = evaluate(*words)
    assert code == 0, err
    document = json.loads(out)
    assert document["options"]["sets"] == ["LoCoMo", "MemoryBank-zh"]
    figures = figures_of(document)
    assert figures["LoCoMo, category 4 single-hop", "turn hit@1"]["value"] == 100.0
    assert figures["LoCoMo, all that was asked", "session recall@10"]["value"] == 100.0
    assert figures["LoCoMo, all that was asked", "evidence in 1400 tokens"]["value"] == 100.0
    assert figures["MemoryBank-zh, own user", "turn hit@1"]["value"] == 100.0
    assert figures["MemoryBank-zh, own user", "turn hit@1"]["target"] is None, "targets are for the whole set"
    assert [row["name"] for row in document["details"]["ablation"]["LoCoMo"]] == [v.name for v in VARIANTS]
    assert "violin" not in out, "nothing of a data set is written out"
    if not can_plot():
        assert "matplotlib" in err
        assert not (tmp_path / "plots").exists()
    with psycopg.connect(server.superuser_url()) as connection:
        names = {row[0] for row in connection.execute("select datname from pg_database").fetchall()}
    assert not [name for name in names if name.startswith("measured_")]
    (kept,) = home.glob("evaluation-vectors-*.npz")
    with np.load(kept) as vectors:
        assert vectors["vector"].shape[0] >= 13
    written = kept.stat().st_mtime_ns
    assert evaluate("retrieval", "--data", tmp_path, "--home", home, "--limit", 1)[0] == 0
    assert kept.stat().st_mtime_ns == written, "every vector was known"


def test_a_table_for_people_and_only_what_was_chosen(evaluate: Evaluate, tmp_path: Path) -> None:
    write_locomo(tmp_path)
    words = ("--data", tmp_path, "--kind", "locomo", "--conversations", "0", "--limit", 1, "--home", home_of_run())
    code, out, err = evaluate("retrieval", *words)
    assert code == 0, err
    assert "LoCoMo, all that was asked: 1 questions" in out
    assert "MemoryBank" not in out


def test_what_cannot_be_measured_is_refused_before_anything_starts(evaluate: Evaluate, tmp_path: Path) -> None:
    code, out, err = evaluate("retrieval", "--data", tmp_path)
    assert (code, out) == (2, "")
    assert "no labelled data set" in err
    write_locomo(tmp_path)
    code, _, err = evaluate("retrieval", "--data", tmp_path, "--conversations", "3")
    assert code == 2
    assert "no conversation 3" in err
    assert evaluate("retrieval", "--data", tmp_path, "--conversations", "3-x")[0] == 2
    assert evaluate("retrieval", "--data", tmp_path / "absent")[0] == 2
    assert not (tmp_path / "home").exists()


def test_ranges_and_numbers_are_read() -> None:
    assert numbers_of("7, 0-2,1") == (0, 1, 2, 7)


def test_offline_takes_its_own_options(evaluate: Evaluate) -> None:
    code, out, _ = evaluate("offline", "--help")
    assert code == 0
    assert "--misses" in out
    assert evaluate("offline", "--part", "nothing")[0] == 2
