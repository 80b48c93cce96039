"""The leaves of a long source: put in place with the owner's clock held for a moment only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from storage import catalog, clock, staging
from storage.catalog import IndexedNode
from storage.database import Transaction

_MANY = 100
"""Leaves from which on their words take so long to write that the clock should wait. A large note has more."""


async def lay(
    tx: Transaction, nodes: Sequence[IndexedNode], *, engine: str, check: Callable[[], Awaitable[None]]
) -> int:
    """Make the leaves among `nodes` stand, if many differ from what stands; the container, and few leaves, are left to
    the projector. Must come first in its transaction; the clock is held afterwards.

    Args:
        nodes: all of one source, its container first.
        check: called under the clock, before anything can be seen; raises if the source is not what was cut.

    Returns:
        How many versions ended and began.
    """
    source_id = nodes[0].node.source_id
    live = (await catalog.live_of(tx, [source_id])).get(source_id, [])
    former = await catalog.former_of(tx, source_id)
    change = catalog.difference([node for node in live if node.is_leaf], nodes[1:], former=former)
    if len(change.fresh) < _MANY:
        await clock.hold(tx)
        await check()
        return 0
    await staging.stage(tx, change.fresh)
    miv = await clock.advance(tx, engine=engine)
    await check()
    await staging.publish(tx, source_id, change, miv=miv)
    return len(change)
