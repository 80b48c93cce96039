"""The wheel: built offline, it holds every file that the code reads, and the code finds them in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packaging.test_names import PROJECT, REPOSITORY, on_disk

BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
USE = """
import pathlib, sys
import storage
from storage.migrate import migrations
from storage.queries import queries
from prompts.library import PromptLibrary
from skills.catalog import SkillCatalog
from context.scope import Scope
from models.intents import IntentClassifier
assert pathlib.Path(storage.__file__).is_relative_to(sys.argv[1]), storage.__file__
IntentClassifier(None)
skills = SkillCatalog().resolve(Scope(tenant="t", user="u"))
print(len(migrations()), len(queries("notes")), bool(PromptLibrary().digest))
print(len(skills.skills), len(skills.quarantined))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """Built from a copy, so that nothing is left in the working tree."""
    source, target = tmp_path_factory.mktemp("source") / "copy", tmp_path_factory.mktemp("wheel")
    source.mkdir()
    for name in on_disk():
        shutil.copytree(REPOSITORY / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    shutil.copytree(REPOSITORY / "tests", source / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", PROJECT["project"]["readme"], "LICENSE", "MANIFEST.in"):
        if (REPOSITORY / name).exists():
            shutil.copy(REPOSITORY / name, source / name)
    done = subprocess.run([sys.executable, "-c", BUILD, str(target)], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    with zipfile.ZipFile(next(target.glob("*.whl"))) as opened:
        yield opened


def test_every_file_below_our_packages_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    wanted = {
        path.relative_to(REPOSITORY).as_posix()
        for name in on_disk()
        for path in (REPOSITORY / name).rglob("*")
        if path.is_file() and not {"__pycache__", "node_modules"} & set(path.parts)
    }
    kinds = {Path(name).suffix for name in wanted} | {Path(name).name for name in wanted}
    assert {".sql", ".j2", "SKILL.md", ".npz"} <= kinds
    assert wanted - set(wheel.namelist()) == set()


def test_tests_and_machinery_stay_out_of_the_wheel(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == on_disk()


def test_the_command_is_declared(wheel: zipfile.ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "pocketmind = cli.main:main" in wheel.read(name).decode()


def test_the_code_finds_its_files_in_an_installed_wheel(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    installed = tmp_path / "site"
    wheel.extractall(installed)
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-c", USE, str(installed)], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    migrations, statements, digest, skills, quarantined = done.stdout.split()
    assert int(migrations) >= 3 and int(statements) >= 5 and digest == "True"
    assert int(skills) >= 4 and quarantined == "0"
