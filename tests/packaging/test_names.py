"""Names: our top-level packages are ours alone, and the list of them in pyproject.toml is the truth."""

from __future__ import annotations

import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from setuptools import find_packages  # type: ignore[import-untyped]  # it ships no types

REPOSITORY = Path(__file__).parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
FIND = PROJECT["tool"]["setuptools"]["packages"]["find"]


def on_disk() -> set[str]:
    return {path.parent.name for path in REPOSITORY.glob("*/__init__.py")} - {"tests"}


def test_every_package_on_disk_is_listed_and_every_listed_one_exists() -> None:
    listed = {pattern.removesuffix("*") for pattern in FIND["include"]}
    assert listed == on_disk()
    found = find_packages(str(REPOSITORY), include=FIND["include"], exclude=FIND["exclude"])
    assert {name.partition(".")[0] for name in found} == on_disk()


def test_every_folder_with_code_is_a_package() -> None:
    """A folder without __init__.py is left out of the wheel without a word."""
    found = set(find_packages(str(REPOSITORY), include=FIND["include"], exclude=FIND["exclude"]))
    code = {path.parent for name in on_disk() for path in (REPOSITORY / name).rglob("*.py")}
    assert {".".join(folder.relative_to(REPOSITORY).parts) for folder in code} == found


def test_no_other_installed_distribution_owns_one_of_our_names() -> None:
    owners = packages_distributions()
    taken = {name: set(owners.get(name, ())) - {PROJECT["project"]["name"]} for name in on_disk()}
    assert {name: others for name, others in taken.items() if others} == {}
