"""Every setting with its effective value and where that came from; secrets are masked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Literal

import psycopg
from psycopg.conninfo import conninfo_to_dict
from pydantic import AliasChoices, BaseModel, SecretStr
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from context.errors import PocketMindError
from engine.settings import Settings, load_settings

_MASK = "***"
_PREFIX = "POCKETMIND_"
Source = Literal["environment", ".env", "default"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """One setting by the name of its environment variable."""

    name: str
    value: str
    source: Source


def effective_settings() -> list[Effective]:
    """All settings. Where they cannot be loaded, what was given is shown as it is, beside the defaults."""
    given = _given()
    try:
        values, loaded = load_settings(), True
    except PocketMindError:  # told by whoever loads them in earnest
        values, loaded = Settings.model_construct(), False
    rows = []
    for path, value in _leaves(values, ()):
        name = _variable(path)
        source, raw = given.get(name, ("default", ""))
        shown = value if loaded or source == "default" else raw
        rows.append(Effective(name=name, value=_text(name, shown), source=source))
    return rows


def unknown_variables() -> list[str]:
    """Variables that begin like ours and set nothing: misspelt, most likely."""
    known = {_variable(path) for path, _ in _leaves(Settings.model_construct(), ())}
    groups = {_variable(path[:1]) for path, _ in _leaves(Settings.model_construct(), ()) if len(path) > 1}
    present = {name.upper() for source in (_environment(), _file()) for name in source.env_vars}
    return sorted(name for name in present - known - groups if name.startswith(_PREFIX))


def _given() -> dict[str, tuple[Source, str]]:
    """Variables that are set, with where and to what; the environment wins over the file."""
    found: dict[str, tuple[Source, str]] = {}
    sources: tuple[tuple[Source, Mapping[str, str | None]], ...] = (
        (".env", _file().env_vars),
        ("environment", _environment().env_vars),
    )
    for source, variables in sources:
        for name, value in variables.items():
            if value is not None:
                found[name.upper()] = (source, value)
    return found


def _environment() -> EnvSettingsSource:
    return EnvSettingsSource(Settings)


def _file() -> DotEnvSettingsSource:
    return DotEnvSettingsSource(Settings)


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every single setting below a group, by its path of field names."""
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _leaves(getattr(value, name), (*path, name))
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _leaves(getattr(value, field.name), (*path, field.name))
    else:
        yield path, value


def _variable(path: tuple[str, ...]) -> str:
    alias = Settings.model_fields[path[0]].validation_alias
    if isinstance(alias, AliasChoices):
        return str(alias.choices[0])
    return _PREFIX + "__".join(path).upper()


def _text(name: str, value: object) -> str:
    """A value as it can be shown: of a URL everything but its password, of other secrets nothing."""
    secret = isinstance(value, SecretStr)
    text = value.get_secret_value() if isinstance(value, SecretStr) else "" if value is None else str(value)
    if not text:
        return ""
    if name.endswith("_KEY"):
        return _MASK
    if name.endswith(("DATABASE_URL", "ADMIN_URL", "WORKER_URL")):
        return _without_password(text)
    if "@" in text and "//" in text:
        return re.sub(r"//[^/@]*@", f"//{_MASK}@", text)
    return _MASK if secret else text


def _without_password(url: str) -> str:
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return _MASK
    return " ".join(f"{name}={_MASK if name == 'password' else value}" for name, value in parts.items())
