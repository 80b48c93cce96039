"""The local token: what lets this machine's own user in, kept in a file that only they can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_FILE = "token"


def local_token(home: Path) -> str:
    """The token of this home, made at the first call.

    Two processes that make it at once agree: the file is created exclusively, and the second one reads it.
    """
    path = home / _FILE
    home.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text("ascii").strip()
    token = secrets.token_urlsafe(32)
    with os.fdopen(descriptor, "w") as file:
        file.write(token)
    return token
