"""The references that links between notes make, once all names are stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from context.uri import note_uri
from resources.rebuilding.values import Change, Step, Wanted
from storage import links, rebuild
from storage.database import Transaction
from storage.rebuild import Reference

_AT_ONCE = 200


class LinkStep(Step):
    """References from notes to notes and files. The names they follow from must stand already."""

    name = "links"
    counts = False

    async def total(self, tx: Transaction) -> int:
        """How many notes there are."""
        return (await rebuild.sizes(tx)).notes

    async def page(self, tx: Transaction, *, after: UUID) -> list[UUID]:
        """The next notes."""
        return [key for key, _ in await rebuild.note_lengths(tx, after=after, limit=_AT_ONCE)]

    async def compare(self, tx: Transaction, ids: Sequence[UUID]) -> list[Change]:
        """Notes whose references are not what their links lead to."""
        missing: dict[str, list[Reference]] = defaultdict(list)
        extra: dict[str, list[Reference]] = defaultdict(list)
        for found, references in zip((missing, extra), await links.unsettled(tx, ids), strict=True):
            for reference in references:
                found[reference[0]].append(reference)
        uris = {key: str(note_uri(tx.scope.user, key)) for key in ids}
        return [
            Change(
                wanted=Wanted(
                    key=key,
                    source_id=str(key),
                    uri=uri,
                    missing=dict.fromkeys(missing[uri]),
                    extra=tuple(extra[uri]),
                )
            )
            for key, uri in uris.items()
            if missing[uri] or extra[uri]
        ]
