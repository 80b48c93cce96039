"""A vault on disk for measuring an import: as many megabytes of Markdown as asked for, the same in every run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evaluation.synthetic import synthetic_note

_BODIES = 400
_PARTS = 5
"""Synthetic notes of about 1 kB that make one file."""
_FOLDER_FILES = 200


def write_vault(folder: Path, *, megabytes: float) -> int:
    """Write files of about 5 kB with headings, tags and a link to their neighbour until they reach a size.

    Returns:
        How many files there are.
    """
    bodies = [synthetic_note(number).body for number in range(_BODIES)]
    left = int(megabytes * 1_000_000)
    count = 0
    for path, text in _files(folder, bodies):
        if count % _FOLDER_FILES == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        count += 1
        left -= len(text)
        if left <= 0:
            break
    return count


def _files(folder: Path, bodies: list[str]) -> Iterator[tuple[Path, bytes]]:
    number = 0
    while True:
        parts = [bodies[(number * 7 + part * 61) % len(bodies)] for part in range(_PARTS)]
        head = f"---\ntags: [vault, series-{number % 50}]\n---\n# File {number}\n\n"
        text = f"{head}After [[File {max(0, number - 1)}]].\n\n"
        text += "\n".join(f"## Part {part} of {number}\n{body}" for part, body in enumerate(parts, start=1))
        place = folder / f"{number // (_FOLDER_FILES * 50):03d}" / f"{number // _FOLDER_FILES % 50:02d}"
        yield place / f"File {number}.md", text.encode()
        number += 1
