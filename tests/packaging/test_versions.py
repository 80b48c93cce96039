"""Versions: what is installed is what pyproject.toml asks for, and nothing with a known hole may be installed."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.support import cluster

REPOSITORY = Path(__file__).parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
NEEDED = [Requirement(text) for text in PROJECT["dependencies"]]
FOR_DEVELOPMENT = [Requirement(text) for text in PROJECT["optional-dependencies"]["dev"]]

HOLES = {
    "langgraph": ("1.0.10", "CVE-2026-28277: msgpack constructs any type; together with strict mode"),
    "langgraph-checkpoint": ("4.0.0", "CVE-2025-64439 and CVE-2026-27794: a checkpoint or a cache entry runs code"),
    "langchain-core": ("1.2.22", "CVE-2025-68664, CVE-2026-26013, CVE-2026-34070: secrets, SSRF, path traversal"),
    "langchain-openai": ("1.1.14", "CVE-2026-41488: DNS rebinding"),
    "langsmith": ("0.6.3", "CVE-2026-25528: traces sent to the URL of a request header"),
    "jinja2": ("3.1.6", "CVE-2025-27516: the |attr filter leaves the sandbox"),
}
"""Package to the first version without the hole. Each must be a direct dependency with at least this floor."""

ABSENT_OR_FIXED = {"langgraph-checkpoint-sqlite": ("3.0.1", "CVE-2025-67644: SQL injection by filter keys")}


@pytest.mark.parametrize("requirement", [*NEEDED, *FOR_DEVELOPMENT], ids=lambda requirement: requirement.name)
def test_the_installed_version_is_one_that_was_asked_for(requirement: Requirement) -> None:
    assert requirement.specifier.contains(version(requirement.name), prereleases=True)


@pytest.mark.parametrize("requirement", NEEDED, ids=lambda requirement: requirement.name)
def test_every_dependency_has_a_floor(requirement: Requirement) -> None:
    assert any(specifier.operator == ">=" for specifier in requirement.specifier), "or an old release may be chosen"


@pytest.mark.parametrize("name", HOLES)
def test_no_version_with_a_known_hole_can_be_installed(name: str) -> None:
    fixed, hole = HOLES[name]
    (requirement,) = [needed for needed in NEEDED if needed.name.lower() == name]
    floor = next(specifier.version for specifier in requirement.specifier if specifier.operator == ">=")
    assert Version(floor) >= Version(fixed), hole
    assert Version(version(name)) >= Version(fixed), hole


@pytest.mark.parametrize("name", ABSENT_OR_FIXED)
def test_what_is_not_needed_is_absent_or_fixed(name: str) -> None:
    fixed, hole = ABSENT_OR_FIXED[name]
    assert name not in {needed.name for needed in NEEDED}
    try:
        assert Version(version(name)) >= Version(fixed), hole
    except PackageNotFoundError:
        return


def test_the_embedded_database_has_a_sound_vector_extension(database: cluster.Database) -> None:
    """0.8.2 to 0.8.4 fix an overflow in parallel builds and corruption of HNSW indexes under vacuum."""
    ((installed, available),) = database.rows(
        "select extversion, default_version from pg_extension join pg_available_extensions on name = extname"
        " where extname = 'vector'"
    )
    assert Version(str(installed)) == Version(str(available)) >= Version("0.8.4")
