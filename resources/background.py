"""What jobs do beside reading files: cut large notes, tell containers of their children, fill in vectors.

Each can be called by a worker or by the command line, again and again: what is done is not done twice.
"""

from __future__ import annotations

import asyncio
from uuid import UUID

from context.errors import NotFoundError
from context.scope import Scope
from models.embedders import EmbedderHandle
from resources import leaves, tree
from resources.material import digest_of, note_nodes
from resources.projector import Projector
from resources.vectors import fill_vectors
from storage import containers, jobs, notes, resources
from storage.database import Database

QUIET = 2.0
"""Seconds without a change after which a container tells of its children anew: an import is told of once."""
LONGEST = 60.0
"""Seconds after which it does so though changes go on."""


async def cut_note(database: Database, scope: Scope, projector: Projector, note_id: UUID) -> int:
    """Cut a large note that waits for it; how many versions that changed.

    0 if it is gone, was cut before, or changed meanwhile (the job that came with the change cuts it then).

    Its words are found in a thread: a note of 5 MB takes many seconds.
    """
    try:
        async with database.transaction(scope) as tx:
            note = await notes.get(tx, note_id)
            digest = (await notes.digests(tx, [note_id])).get(note_id)
            records = await resources.of_source(tx, str(note_id))
    except NotFoundError:
        return 0
    if not any(resources.unmade(record) for record in records):
        return 0
    cut = await asyncio.to_thread(note_nodes, scope, note)
    try:
        async with database.transaction(scope) as tx:

            async def check() -> None:
                standing = await resources.of_source(tx, str(note_id))
                same = (await notes.digests(tx, [note_id])).get(note_id) == digest
                if not same or not any(resources.unmade(record) for record in standing):
                    raise _Overtaken  # it changed, or another worker has cut it

            laid = await leaves.lay(tx, cut, engine=projector.engine, check=check)
            return laid + await projector.project_note(tx, note, cut)
    except _Overtaken:
        return 0


class _Overtaken(Exception):
    """The source changed while it was worked on: nothing of the work may stay."""


async def tell_containers(
    database: Database, scope: Scope, projector: Projector, *, quiet: float = QUIET, longest: float = LONGEST
) -> list[str]:
    """Write the texts of all containers that are due, some in each transaction; their addresses, the deepest first.

    Vectors are asked for, and descriptions by a model where there is one.

    Args:
        quiet, longest: see `tree.refresh`.
    """
    told: list[str] = []
    while True:
        async with database.transaction(scope) as tx:
            due = await tree.refresh(tx, engine=projector.engine, quiet=quiet, longest=longest)
            if due:
                await projector.request_vectors(tx)
            for uri in due if projector.describes != "off" else ():
                key = _key_of(uri)
                await jobs.defer(tx, jobs.DESCRIBE, lock=f"describe:{key}", priority=-1, container=key)
        if not due:
            return told
        told += due


async def container_of(database: Database, scope: Scope, key: str) -> str | None:
    """The address of a container that a job names; None if it is gone. A job holds no address: folders have names."""
    async with database.transaction(scope) as tx:
        return next((uri for uri in await containers.all_uris(tx) if _key_of(uri) == key), None)


def _key_of(uri: str) -> str:
    return digest_of(uri).hex()


async def follow(database: Database, scope: Scope) -> None:
    """See to it that containers which wait will be told, when they have been quiet for a while."""
    async with database.transaction(scope) as tx:
        if await containers.waiting(tx) and not await jobs.soon(tx, jobs.CONTAINERS):
            await jobs.defer(tx, jobs.CONTAINERS, lock="containers", priority=1, after=QUIET)


async def embed(database: Database, scope: Scope, embedder: EmbedderHandle, *, most: int) -> int:
    """Fill in about `most` vectors and leave the rest to another job, so that a worker can stop soon; how many were
    stored.

    Raises:
        ModelError, ConfigurationError: see `fill_vectors`.
    """
    left = 0

    def moved(done: int, total: int) -> None:
        nonlocal left
        left = total - done

    stored = await fill_vectors(database, scope, embedder, most=most, moved=moved)
    if left or stored >= most:  # there may be more for other agents, or the switch to a new embedder
        async with database.transaction(scope) as tx:
            await jobs.defer(tx, jobs.EMBED, lock="embed")
    return stored
