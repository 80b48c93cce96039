"""Vectors made by the command itself, newest first, so that nothing depends on a worker that may not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context.errors import ConfigurationError, ModelError

if TYPE_CHECKING:
    from cli.running import Call

_STEP = 64


def fill(call: Call) -> None:
    """Embed whatever has no vector, with a progress bar. Ctrl-C stops it, which loses nothing and is said.

    An embedder that fails costs the vectors and not the command: words are searchable, and the notice says so.
    """
    from resources.vectors import fill_vectors
    from storage import vectors

    engine, out = call.engine, call.out
    if engine.embedder is None:
        reason = "; ".join(degradation.detail for degradation in engine.degradations)
        out.notice("vectors_missing", style="yellow", reason=reason)
        return
    embedder = engine.embedder

    async def count() -> int:
        async with engine.database.transaction(call.scope) as tx:
            return await vectors.count_without_vector(tx, engine=engine.engine_id)

    total = call.run(count())
    stored, left = 0, total
    try:
        with out.progress("embedding", total=total) as bar:
            while True:
                made = call.run(fill_vectors(engine.database, call.scope, embedder, most=_STEP))
                stored += made
                left = call.run(count())
                bar.reach(max(0, total - left))
                if made < _STEP:
                    break
    except KeyboardInterrupt:
        out.notice("vectors_interrupted", style="yellow", left=call.run(count()))
        return
    except (ModelError, ConfigurationError) as error:
        out.notice("vectors_failed", style="yellow", reason=error.message, left=left)
        return
    if stored:
        out.notice("vectors_done", style="dim", stored=stored)
