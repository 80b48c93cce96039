"""Named SQL: every statement lives in a `.sql` file and is found by its name."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import LiteralString, cast

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


@cache
def queries(repository: str) -> dict[str, LiteralString]:
    """The statements of `sql/<repository>.sql` by name.

    A statement begins at `-- name: <name>`; the comment lines after it say what it is for and are sent along, so
    that a slow statement in the server's log names itself.

    Raises:
        KeyError: a name stands twice in the file.
    """
    text = files("storage").joinpath("sql", f"{repository}.sql").read_text("utf-8")
    pieces = _NAME.split(text)[1:]
    found: dict[str, LiteralString] = {}
    for name, body in zip(pieces[::2], pieces[1::2], strict=True):
        if name in found:
            raise KeyError(f"sql/{repository}.sql names {name!r} twice")
        found[name] = cast(LiteralString, body.strip())  # our own file, shipped with the code
    return found
