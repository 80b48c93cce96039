"""What a reading process may do: so much memory and time, read, answer. No network, no writing, no programs."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys

from resources.readers.document import ReaderLimits
from resources.readers.ocr import MOST_THREADS

_REFUSED = frozenset(
    [f"socket.{name}" for name in ("connect", "getaddrinfo", "gethostbyname", "sendto", "sendmsg")]
    + [f"os.{name}" for name in ("system", "exec", "fork", "forkpty", "posix_spawn", "spawn", "startfile", "kill")]
    + [f"os.{name}" for name in ("remove", "rename", "rmdir", "mkdir", "link", "symlink", "truncate", "killpg")]
    + ["subprocess.Popen"]
)
_GRACE = 5
"""Seconds after its deadline at which the process ends itself, should the one that started it be gone."""


def confine(limits: ReaderLimits) -> None:
    """Give up, for the rest of this process's life, what reading a file does not need.

    The kernel keeps the limits of memory, processor time and written bytes, and the alarm, where it has them (Linux;
    macOS ignores the one of memory, Windows has none). The audit hook stops Python code: it keeps a library from doing
    what it should not, not an attacker who already runs machine code.
    """
    if sys.platform != "win32":
        import resource

        seconds = math.ceil(limits.seconds)
        for kind, amount in (
            (resource.RLIMIT_AS, limits.memory_bytes),
            (resource.RLIMIT_CPU, (seconds + _GRACE) * MOST_THREADS),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
        ):
            _, most = resource.getrlimit(kind)
            allowed = amount if most == resource.RLIM_INFINITY else min(amount, most)
            with contextlib.suppress(ValueError, OSError):  # macOS cannot set all of them
                resource.setrlimit(kind, (allowed, allowed))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds + _GRACE)
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in _REFUSED:
        raise PermissionError(f"A reader may not do this: {event}")
    if event == "open" and _writes(*arguments):
        raise PermissionError("A reader may not write files")


def _writes(path: object, mode: object, flags: object) -> bool:
    """Whether an opening could change a file; a descriptor that is open already does not count."""
    if isinstance(path, int):
        return False
    if isinstance(mode, str):
        return any(sign in mode for sign in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
