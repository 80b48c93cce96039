"""Yardsticks: what our times are held against, and sizes that no part of the product asks for.

The only SQL outside `storage/`: it measures the product and is no part of it.
"""

from __future__ import annotations

from typing import LiteralString
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector.psycopg import HalfVector

from storage.database import Transaction

# What a plain vector store does: the ten nearest of one owner's vectors, exactly, behind the same wall.
_NEAREST: LiteralString = """
select v.vid from pm.vector v
where v.tenant_id = %(tenant)s and v.owner_id = %(owner)s and v.engine = %(engine)s
order by v.embedding <#> %(query)s limit 10
"""

_STORED: LiteralString = """
select
  (select coalesce(sum(pg_column_size(checkpoint) + pg_column_size(metadata)), 0) from pm_checkpoint.checkpoints
    where thread_id = %(thread)s)
  + (select coalesce(sum(octet_length(blob)), 0) from pm_checkpoint.checkpoint_blobs where thread_id = %(thread)s)
  + (select coalesce(sum(octet_length(blob)), 0) from pm_checkpoint.checkpoint_writes where thread_id = %(thread)s)
  as bytes
"""

# What the newest checkpoint needs to be read again: its own row and the value of each channel at its version.
_LIVE: LiteralString = """
with newest as (
  select thread_id, checkpoint_ns, checkpoint, metadata from pm_checkpoint.checkpoints
  where thread_id = %(thread)s and checkpoint_ns = '' order by checkpoint_id desc limit 1
)
select coalesce(max(pg_column_size(n.checkpoint) + pg_column_size(n.metadata)), 0)
  + coalesce(sum(octet_length(b.blob)), 0) as bytes
from newest n
left join lateral jsonb_each_text(n.checkpoint -> 'channel_versions') as c(channel, version) on true
left join pm_checkpoint.checkpoint_blobs b
  on b.thread_id = n.thread_id and b.checkpoint_ns = n.checkpoint_ns and b.channel = c.channel
  and b.version = c.version
"""


async def nearest_vectors(tx: Transaction, vector: NDArray[np.float32], *, engine: str) -> list[int]:
    """The ten nearest vectors by one exact pgvector query."""
    rows = await tx.all(_NEAREST, {"query": HalfVector(vector), "engine": engine})
    return [row["vid"] for row in rows]


async def checkpoint_bytes(tx: Transaction, session_id: UUID) -> tuple[int, int]:
    """(live, stored) bytes of a thread: what its newest checkpoint needs, and everything kept."""
    found = []
    for statement in (_LIVE, _STORED):
        row = await tx.one(statement, {"thread": str(session_id)})
        found.append(int(row["bytes"]) if row else 0)
    return found[0], found[1]
