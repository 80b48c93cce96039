"""What every command takes: whose data it works on, and whether it answers with JSON."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Whose data a command works on, as the command line says it; None: as the settings say."""

    tenant: str | None = None
    user: str | None = None
    agent: str | None = None
    as_json: bool = False


_IDENTITY: dict[str, tuple[Any, Any]] = {
    "tenant": (
        Annotated[str | None, typer.Option("--tenant", help="Tenant (local mode). 租户", rich_help_panel="Identity")],
        None,
    ),
    "user": (
        Annotated[str | None, typer.Option("--user", help="User (local mode). 用户", rich_help_panel="Identity")],
        None,
    ),
    "agent": (
        Annotated[str | None, typer.Option("--agent", help="Agent that answers. 智能体", rich_help_panel="Identity")],
        None,
    ),
}
_AS_JSON: dict[str, tuple[Any, Any]] = {
    "as_json": (
        Annotated[bool, typer.Option("--json", help="One JSON document on stdout. 输出 JSON")],
        False,
    ),
}


def command(
    app: typer.Typer, name: str, *, as_json: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command; its function takes `who: Who` first, and the command line the options for it.

    Args:
        as_json: whether the command can answer with JSON.
    """
    common = {**_IDENTITY, **(_AS_JSON if as_json else {})}

    def register(function: Callable[..., None]) -> Callable[..., None]:
        own = [p for p in inspect.signature(function).parameters.values() if p.name != "who"]
        hints = get_type_hints(function, include_extras=True)

        @wraps(function)
        def told(**given: Any) -> None:
            who = Who(**{key: given.pop(key) for key in common})
            function(who, **given)

        kinds = inspect.Parameter.KEYWORD_ONLY
        parameters = [p.replace(annotation=hints[p.name], kind=kinds) for p in own]
        parameters += [
            inspect.Parameter(key, kinds, default=default, annotation=annotation)
            for key, (annotation, default) in common.items()
        ]
        told.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it from there
        told.__annotations__ = {p.name: p.annotation for p in parameters}
        app.command(name)(told)
        return function

    return register
