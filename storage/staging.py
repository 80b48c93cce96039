"""Staging: a long source's leaves are written before the owner's clock is taken, and take their place under it.

Words of thousands of chunks take many seconds to write. Whoever holds the clock that long keeps every other writer of
the owner waiting until he gives up. So the leaves are written first, in the same transaction, under addresses that
nobody asks for; under the clock they are only renamed. If the transaction ends early, nothing is left of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from storage import catalog
from storage.catalog import Difference, IndexedNode
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("staging")
_CARRY = queries("catalog")["carry_vectors"]
_PREFIX = "staged:"
_NEVER = 2**62
"""Where the staged are born until they take their place."""
_AT_ONCE = 16
"""Nodes in one statement: some 10,000 words, so that no statement nears its time limit, nor the loop's patience."""


async def stage(tx: Transaction, items: Sequence[IndexedNode]) -> None:
    """Write versions with their words where nobody sees them. The clock must not be held; `publish` must follow in the
    same transaction, or it must be rolled back."""
    for start in range(0, len(items), _AT_ONCE):
        some = [
            IndexedNode(node=replace(item.node, uri=_PREFIX + item.node.uri), terms=item.terms)
            for item in items[start : start + _AT_ONCE]
        ]
        await catalog.insert(tx, some, miv=_NEVER)


async def publish(tx: Transaction, source_id: str, change: Difference, *, miv: int) -> None:
    """End what ends and let the staged versions of a source take their place; heirs keep their vectors. The clock is
    held.

    Args:
        change: whose fresh nodes were staged.
    """
    await catalog.apply(tx, [Difference(ended=change.ended)], miv=miv)
    rows = await tx.all(_SQL["publish"], {"prefix": _PREFIX, "source_id": source_id, "miv": miv})
    vids = {row["uri"]: row["vid"] for row in rows}
    values = {"old_vid": list(change.heirs.values()), "new_vid": [vids[uri] for uri in change.heirs]}
    await tx.execute(_CARRY, values)
