"""The size of a data folder is told while its server works in it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from storage.embedded_home import folder_bytes


def test_a_database_that_is_dropped_meanwhile_counts_as_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("1", "2"):
        (tmp_path / "base" / name).mkdir(parents=True)
        (tmp_path / "base" / name / "table").write_bytes(b"x" * 10)
    assert folder_bytes(tmp_path) == 20
    scan = os.scandir

    def dropping(path: Any = ".") -> Any:
        if str(path).endswith("/2"):
            shutil.rmtree(path, ignore_errors=True)
        return scan(path)

    monkeypatch.setattr(os, "scandir", dropping)
    assert folder_bytes(tmp_path) == 10


def test_a_folder_that_is_missing_has_no_bytes(tmp_path: Path) -> None:
    assert folder_bytes(tmp_path / "none") == 0
