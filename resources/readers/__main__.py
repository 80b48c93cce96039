"""The process that reads one file: `python -m resources.readers PATH NAME MIME FORMAT LIMITS`, the answer on stdout."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from context.errors import ProjectionError
from resources.readers.confinement import confine
from resources.readers.document import Document, ReaderLimits
from resources.readers.reading import read_with, too_much_memory
from resources.readers.registry import FORMATS
from resources.readers.source import Source
from resources.readers.wire import decode_limits, encode


def main() -> None:
    """Answer, whatever happens to Python; what kills the process outright is told by its exit status."""
    began = time.monotonic()
    path, name, mime, format_name, limits_text = sys.argv[1:]
    limits = decode_limits(limits_text)
    answers = os.dup(1)
    os.dup2(2, 1)  # what a C library prints must not end up in the answer
    sys.stdout = sys.stderr
    confine(limits)
    try:
        raw = _bytes_of(Path(path), limits)
        source = Source(raw=raw, name=name, mime=mime, limits=limits, began=began)
        payload = encode(_answer(format_name, source))
    except MemoryError:
        payload = encode(too_much_memory(limits))
    except OSError as error:
        payload = encode(ProjectionError(f"The file cannot be read: {error.strerror}.", zh="文件无法读取。"))
    with os.fdopen(answers, "wb") as out:
        out.write(payload)
    os._exit(0)  # at once: closing what a damaged file left in a C library can crash or hang


def _bytes_of(path: Path, limits: ReaderLimits) -> bytes:
    with path.open("rb") as file:
        return file.read(limits.max_bytes)


def _answer(format_name: str, source: Source) -> Document | ProjectionError:
    try:
        return read_with(FORMATS[format_name], source)
    except ProjectionError as error:
        return error


if __name__ == "__main__":
    main()
