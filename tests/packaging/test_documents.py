"""The documents say what is there: commands, settings, links and names."""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import BaseModel

from cli.main import app
from engine.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.zh.md")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def commands_of(readme: str) -> list[str]:
    """Every line of the document's `sh` blocks that calls our command, from `pocketmind` on."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / readme).read_text("utf-8"), re.DOTALL)
    return [
        line[line.index("pocketmind ") :] for block in blocks for line in block.splitlines() if "pocketmind " in line
    ]


@pytest.mark.parametrize("readme", READMES)
def test_every_command_of_the_readme_exists_with_its_options(readme: str) -> None:
    root = typer.main.get_command(app)
    found = 0
    for line in commands_of(readme):
        words = shlex.split(line.split("|")[0].split(")")[0].split("#")[0], posix=True)
        command: Any = root
        rest = words[1:]
        while getattr(command, "commands", None) and rest and not rest[0].startswith("-"):
            name = rest.pop(0)
            assert name in command.commands, f"{readme}: {line}"
            command = command.commands[name]
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in rest if word.startswith("-") and word != "-"} <= options | {"--help", "--version"}, (
            line
        )
        found += 1
    assert found >= 10


def test_both_readmes_show_the_same_commands() -> None:
    first, second = (
        {re.sub(r'".*', "", line).strip() for line in commands_of(readme) if "chat" not in line} for readme in READMES
    )
    assert first == second


def test_every_variable_of_the_example_is_a_setting() -> None:
    named = set(re.findall(r"^# ?([A-Z][A-Z0-9_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE))
    known = {"DATABASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"}
    for name, field in Settings.model_fields.items():
        known.add(f"POCKETMIND_{name.upper()}")
        inner: Any = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            known |= {f"POCKETMIND_{name.upper()}__{key.upper()}" for key in inner.model_fields}
        elif hasattr(inner, "__dataclass_fields__"):
            known |= {f"POCKETMIND_{name.upper()}__{key.upper()}" for key in inner.__dataclass_fields__}
    assert named and named <= known, named - known


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text("utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_modules_that_the_glossary_names_can_be_imported() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    files = set(re.findall(r"`([a-z_]+(?:/[a-z_0-9]+)+\.py)`", text))
    assert all((ROOT / name).exists() for name in files), files
    dotted = set(
        re.findall(
            r"`((?:context|storage|models|resources|retrievers|memory|nodes|engine|graphs|skills)\.[a-z_.]+)`", text
        )
    )
    for name in dotted:
        module = name
        missing: list[str] = []
        while module:
            try:
                loaded = importlib.import_module(module)
                break
            except ModuleNotFoundError:
                module, _, last = module.rpartition(".")
                missing.insert(0, last)
        else:
            pytest.fail(f"the glossary names {name}")
        for part in missing:
            loaded = getattr(loaded, part)
