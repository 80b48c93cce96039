"""The only way into a folder of skills: ids as folder names, and reads that cannot leave the folder.

Two rules carry this module. An id that came from a token never becomes a path: it becomes one encoded folder name. A
path that came from a model is never joined to a folder: it must be equal to one of the names that a walk of the
folder found.
"""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from pathlib import Path

from context.errors import InvalidInputError

MAX_FILES = 200
"""Files of one skill that can be read, and the depth of folders in it, so that a walk stays short."""
MAX_FOLDERS = 4

_KEPT = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST = 200  # most file systems stop at 255 bytes
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(10))})


def folder_name(identity: str) -> str:
    """The folder of a tenant or an agent: lower-case ASCII letters, digits, `_` and `-` stay, all else becomes %XX.

    Upper case is encoded too, so that `U1` and `u1` stay two folders on file systems that ignore case (macOS,
    Windows), and so is every non-ASCII byte, so that one that normalises Unicode cannot join two ids. `acme.com` is
    `acme%2Ecom`. A name longer than 200 characters keeps its beginning and a sha256 behind a `~`, which no encoded
    id can hold.
    """
    name = "".join(chr(byte) if byte in _KEPT else f"%{byte:02X}" for byte in identity.encode("utf-8"))
    if name in _DEVICES:  # Windows gives these names to devices in every folder
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name) > _LONGEST:
        name = f"{name[:100]}~{hashlib.sha256(identity.encode('utf-8')).hexdigest()}"
    return name


def read_regular(path: Path, *, limit: int) -> bytes:
    """The bytes of a plain file.

    Raises:
        InvalidInputError: it is a symlink, not a plain file, or larger than `limit` bytes.
        OSError: it cannot be read.
    """
    seen = path.lstat()
    if stat.S_ISLNK(seen.st_mode):
        raise InvalidInputError(f"{path.name} is a symlink.")
    if not stat.S_ISREG(seen.st_mode):
        raise InvalidInputError(f"{path.name} is not a plain file.")
    # O_NOFOLLOW and O_NONBLOCK: a file that is exchanged for a link or a pipe after the check above
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        opened = os.fstat(file.fileno())
        if (opened.st_dev, opened.st_ino) != (seen.st_dev, seen.st_ino):
            raise InvalidInputError(f"{path.name} was exchanged while it was read.")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise InvalidInputError(f"{path.name} is larger than {limit // 1024} kB.")
    return data


def files_below(folder: Path) -> tuple[str, ...]:
    """The plain files of a skill as sorted `/`-separated paths: no links, nothing hidden, at most MAX_FILES.

    Raises:
        OSError: the folder cannot be listed.
    """
    found: list[str] = []
    waiting = [(folder, "", 0)]
    while waiting:
        here, prefix, depth = waiting.pop()
        with os.scandir(here) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                if entry.is_file(follow_symlinks=False):
                    found.append(prefix + entry.name)
                elif entry.is_dir(follow_symlinks=False) and depth < MAX_FOLDERS:
                    waiting.append((Path(entry.path), f"{prefix}{entry.name}/", depth + 1))
    return tuple(sorted(found)[:MAX_FILES])


def checked_path(path: str) -> str:
    """Refuse a path that is written to leave the folder, whatever it would have met.

    The text is also looked at as NFKC folds it, because `．．／` is `../` to some file systems and to some libraries.

    Raises:
        InvalidInputError: it is empty, too long, absolute, has `.`, `..` or empty parts, backslashes, drive letters,
            control characters or percent escapes, as written or as folded.
    """
    refused = InvalidInputError(
        f"Not a path inside the skill: {path[:80]!r}", hint="Use one of the paths that load_skill lists."
    )
    for text in (path, unicodedata.normalize("NFKC", path)):
        if not 0 < len(text) <= 512 or any(c in text for c in "\\%") or text[1:2] == ":":
            raise refused
        if any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in text):
            raise refused
        if any(not part.strip(" .") for part in text.split("/")):
            raise refused
    return path
