"""Vectors: whatever has none gets one, newest first; an embedder that changed answers only when it has seen all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from context.scope import Scope
from context.window import WINDOW
from models.embedders import EmbedderHandle, embed_batch
from storage import clock, resources, vectors
from storage.database import Database
from storage.vectors import Unembedded, Vector

_BATCH = 32


async def fill_vectors(database: Database, scope: Scope, embedder: EmbedderHandle, *, most: int | None = None) -> int:
    """Embed live nodes that have no vector of this engine, in batches, each batch its own transaction.

    No transaction is open while the embedder works. A text the embedder cannot place (a zero vector) is left out and
    stays findable by words.

    Args:
        most: stop after about so many; None goes on until nothing is left.

    Returns:
        How many vectors were stored.

    Raises:
        ModelUnavailable: the embedder gave no answer; what was stored stays.
    """
    engine = str(embedder.identity)
    below = 2**62
    stored = 0
    while most is None or stored < most:
        async with database.transaction(scope) as tx:
            items = await vectors.without_vector(tx, engine=engine, limit=_BATCH, below=below)
        if not items:
            break
        below = min(item.vid for item in items)
        found = await embed_batch(embedder, [text_to_embed(item) for item in items], "passage")
        pairs = [(item, vector) for item, vector in zip(items, found, strict=True) if vector is not None]
        if not pairs:
            continue
        async with database.transaction(scope) as tx:
            await vectors.put_vectors(tx, [item for item, _ in pairs], [vector for _, vector in pairs], engine=engine)
            turns = [item.vid for item, _ in pairs if item.pos > 0]
            if turns:
                await vectors.set_norms(tx, window_norms(await vectors.turns_near(tx, turns, engine=engine)))
        stored += len(pairs)
    async with database.transaction(scope) as tx:
        if stored:
            await resources.settle(tx, engine=engine)
        if (await clock.read(tx, engine=engine)).engine != engine:
            await clock.switch_engine(tx, engine=engine)
    return stored


def text_to_embed(item: Unembedded) -> str:
    """What an embedder sees: a turn with its speaker, a chunk under its title, a container by title and abstract."""
    if item.pos > 0:
        return f"{item.speaker}: {item.body}" if item.speaker else item.body or item.abstract
    if item.is_leaf:
        return f"{item.title}\n{item.body or item.abstract}"
    return f"{item.title}\n{item.abstract}" if item.title != item.abstract else item.title


def window_norms(turns: Sequence[Mapping[str, Any]]) -> dict[int, float]:
    """The length of each turn's window vector A_i = sum of weight x v_j over neighbours of the same stage.

    With it cos(q, A_i) = sum of weight x cos(q, v_j) / norm_i, so one raw vector a turn is enough and forgetting a
    turn leaves nothing of it behind.

    Args:
        turns: rows with vid, pos, parent_uri and embedding.
    """
    stages: dict[str, dict[int, tuple[int, Vector]]] = defaultdict(dict)
    for turn in turns:
        vector = np.asarray(turn["embedding"].to_numpy(), dtype=np.float32)
        stages[turn["parent_uri"]][turn["pos"]] = (turn["vid"], vector)
    norms: dict[int, float] = {}
    for stage in stages.values():
        for place, (vid, vector) in stage.items():
            total = np.zeros_like(vector)
            for offset, weight in WINDOW.items():
                if (neighbour := stage.get(place + offset)) is not None:
                    total = total + weight * neighbour[1]
            norms[vid] = float(np.linalg.norm(total)) or 1.0
    return norms
