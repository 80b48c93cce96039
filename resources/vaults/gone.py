"""Files that are missing from an imported folder: deleted, or moved within it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol

from storage.imports import Place


class Candidate(Protocol):
    """A file that is new: its path below the folder, the sha256 of its bytes, and what it becomes."""

    @property
    def path(self) -> str: ...

    @property
    def digest(self) -> bytes: ...

    @property
    def note(self) -> object | None: ...


class Gone:
    """Known files that are not where they were, by their bytes."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}
        # Dictionaries for their order and for quick removal: a template may lie in a vault thousands of times.
        self._same: dict[tuple[object, ...], dict[str, None]] = defaultdict(dict)

    def __len__(self) -> int:
        return len(self._places)

    def add(self, place: Place) -> None:
        """A file is missing. To be called in the order of paths."""
        self._places[place.path] = place
        for key in _keys(place.file, place.note_id is not None, place.path):
            self._same[key][place.path] = None

    def discard(self, path: str) -> None:
        """It was found elsewhere."""
        place = self._places.pop(path, None)
        if place is not None:
            for key in _keys(place.file, place.note_id is not None, path):
                del self._same[key][path]

    def matched(self, new: Iterable[Candidate]) -> dict[str, str]:
        """New path to old path of files that moved: the same bytes, one old path each.

        Among several, one of the same file name, else the first; that depends on what is left only, so an import that
        was cut off goes on as it would have.
        """
        found: dict[str, str] = {}
        taken: set[str] = set()
        for one in new if self._places else ():
            for key in _keys(one.digest, one.note is not None, one.path):
                old = next((old for old in self._same.get(key, ()) if old not in taken), None)
                if old is not None:
                    found[one.path] = old
                    taken.add(old)
                    break
        return found

    def left(self) -> list[Place]:
        """What is gone for good, in the order of paths."""
        return [self._places[path] for path in sorted(self._places)]


def _keys(digest: bytes, is_note: bool, path: str) -> tuple[tuple[object, ...], tuple[object, ...]]:
    return (digest, is_note, path.rpartition("/")[2]), (digest, is_note)
