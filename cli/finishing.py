"""What a command leaves to do for what it wrote, done at once: nothing depends on a worker that may not run."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from context.errors import ConfigurationError, ModelError, PocketMindError

if TYPE_CHECKING:
    from cli.running import Call
    from context.derived import Resource

_SHOWN_FAILED = 20
_MANY = 500
"""Vectors from which on it pays to let the planner look at tables that were just filled (0.1 s, see `statistics`)."""


def finish(call: Call, *, no_vectors: bool = False) -> None:
    """Cut large notes, read files, tell folders and sessions of what is in them, and fill in vectors, with progress.

    Ctrl-C stops it, which loses nothing and is said. What fails costs only itself and is said, too.

    Args:
        no_vectors: leave the vectors to a worker.
    """
    try:
        _make(call)
    except KeyboardInterrupt:
        call.out.notice("finish_interrupted", style="yellow", left=len(_awaiting(call)))
        return
    if no_vectors:
        call.out.notice("vectors_skipped")
    else:
        _fill(call)


def _make(call: Call) -> None:
    """Give notes and files that wait their text, and containers theirs."""
    from resources.background import tell_containers

    waiting = _awaiting(call)
    problems: list[tuple[str, str]] = []
    if waiting:
        with call.out.progress("reading", total=len(waiting)) as bar:
            for done, resource in enumerate(waiting):
                bar.reach(done, doing=resource.title)
                reason = _made(call, resource)
                if reason:
                    problems.append((resource.title, reason))
                bar.reach(done + 1)
    for title, reason in problems[:_SHOWN_FAILED]:
        call.out.notice("not_read", style="yellow", title=title, reason=reason)
    if len(problems) > _SHOWN_FAILED:
        call.out.notice("not_read_more", style="yellow", count=len(problems) - _SHOWN_FAILED)
    call.run(tell_containers(call.engine.database, call.scope, call.engine.projector, quiet=0))


def _made(call: Call, resource: Resource) -> str:
    """Make one note's or file's material; why it could not be made, in the person's language, or nothing."""
    from resources.background import cut_note
    from resources.projector import WAITS_FOR_READER
    from resources.reading import read_file

    engine, source = call.engine, UUID(resource.source_id)
    try:
        if (resource.reason or "").startswith(WAITS_FOR_READER):
            reading = read_file(
                engine.database, call.scope, engine.projector, engine.assets, source, transcriber=engine.transcriber
            )
            outcome = call.run(reading)
            return outcome.error.text(call.out.language) if outcome.error else ""
        call.run(cut_note(engine.database, call.scope, engine.projector, source))
    except PocketMindError as error:  # it goes on waiting, for a worker or for the next command
        return error.text(call.out.language)
    return ""


def _awaiting(call: Call) -> list[Resource]:
    from storage import resources

    async def read() -> list[Resource]:
        async with call.engine.database.transaction(call.scope) as tx:
            return await resources.awaiting(tx)

    return call.run(read())


def _fill(call: Call) -> None:
    """Embed whatever has no vector, newest first. An embedder that fails costs the vectors and not the command: words
    are searchable, and the notice says so."""
    from resources.vectors import fill_vectors
    from storage.statistics import look_again

    engine, out = call.engine, call.out
    if engine.embedder is None:
        reason = "; ".join(degradation.detail for degradation in engine.degradations)
        out.notice("vectors_missing", style="yellow", reason=reason)
        return
    try:
        pending = _pending(call)[0]
        if pending > _MANY and engine.urls.admin is not None:
            call.run(look_again(engine.urls.admin))
        with out.progress("embedding", total=pending) as bar:
            stored = call.run(fill_vectors(engine.database, call.scope, engine.embedder, moved=bar.reach))
    except KeyboardInterrupt:
        out.notice("vectors_interrupted", style="yellow", left=_pending(call)[0])
        return
    except (ModelError, ConfigurationError) as error:
        reason = error.text(out.language)
        out.notice("vectors_failed", style="yellow", reason=reason, left=_pending(call)[0])
        return
    if stored:
        out.notice("vectors_done", style="dim", stored=stored)
    if refused := _pending(call)[1]:
        out.notice("vectors_refused", style="yellow", count=sum(refused.values()), reason=next(iter(refused)))


def _pending(call: Call) -> tuple[int, dict[str, int]]:
    """How many items are found by words until they are embedded, and why others always will be."""
    from storage import vectors

    async def read() -> tuple[int, dict[str, int]]:
        name = call.engine.engine_id
        async with call.engine.database.transaction(call.scope) as tx:
            return await vectors.count_without_vector(tx, engine=name), await vectors.refusals(tx, engine=name)

    return call.run(read())
