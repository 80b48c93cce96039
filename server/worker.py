"""The worker: vectors and commits, taken from the queue. Runs inside the server, or apart as `pocketmind worker`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import procrastinate
import structlog
from procrastinate import JobContext

from context.errors import ConfigurationError, NotFoundError, PocketMindError
from context.scope import Scope, entered
from engine.engine import Engine
from graphs.runs import run_commit
from resources.vectors import fill_vectors
from storage import commits, jobs
from storage.commits import CommitState

log = structlog.get_logger("pocketmind.worker")

_ATTEMPTS = 8
_STALLED_SECONDS = 30.0
_VECTORS_A_JOB = 512
_HEARTBEAT_SECONDS = 10.0


async def run_worker(engine: Engine, *, stop: asyncio.Event | None = None, wait: bool = True) -> None:
    """Work until stopped; a job in flight is finished first, and one that a dead worker held is taken again.

    Args:
        stop: set it to stop.
        wait: False returns when the queue is empty.

    Raises:
        ConfigurationError: there is no worker role to log in as.
    """
    if engine.urls.worker is None:
        raise ConfigurationError(
            "The worker has no database role of its own.", hint="Set POCKETMIND_WORKER_URL or POCKETMIND_ADMIN_URL."
        )
    queue = jobs.open_queue(engine.urls.worker)
    register(queue, engine)
    async with queue.open_async():
        working = asyncio.ensure_future(
            queue.run_worker_async(
                queues=["pocketmind"],
                name="pocketmind",
                concurrency=2,
                wait=wait,
                fetch_job_polling_interval=2.0,
                shutdown_graceful_timeout=20.0,
                delete_jobs="successful",
                install_signal_handlers=False,
                update_heartbeat_interval=_HEARTBEAT_SECONDS,
                stalled_worker_timeout=_STALLED_SECONDS,
            )
        )
        rescuing = asyncio.ensure_future(_rescue(queue))
        stopping = asyncio.ensure_future(stop.wait()) if stop is not None else None
        try:
            await asyncio.wait([t for t in (working, stopping) if t is not None], return_when=asyncio.FIRST_COMPLETED)
        finally:
            rescuing.cancel()
            if stopping is not None:
                stopping.cancel()
            if not working.done():
                working.cancel()  # procrastinate drains: what runs is finished within the graceful timeout
            await asyncio.gather(working, rescuing, return_exceptions=True)
        if working.done() and not working.cancelled() and (error := working.exception()) is not None:
            raise error


def register(queue: procrastinate.App, engine: Engine) -> None:
    """Say what each kind of job does. Jobs carry ids only; the scope comes with them."""
    retry = procrastinate.RetryStrategy(max_attempts=_ATTEMPTS, exponential_wait=3)

    async def embed(context: JobContext, **ids: str) -> None:
        scope = jobs.scope_of(ids)
        if engine.embedder is None:
            return  # stated by every search: found by words only
        with entered(scope):
            stored = await fill_vectors(engine.database, scope, engine.embedder, most=_VECTORS_A_JOB)
            if stored >= _VECTORS_A_JOB:  # a short job stops soon when the worker is stopped
                async with engine.database.transaction(scope) as tx:
                    await jobs.defer(tx, jobs.EMBED, lock="embed")
        log.info("vectors stored", count=stored)

    async def commit(context: JobContext, **ids: str) -> None:
        scope = jobs.scope_of(ids)
        with entered(scope):
            await _commit(engine, scope, context, ids["commit_id"])

    tasks: dict[str, Callable[..., Awaitable[Any]]] = {jobs.EMBED: embed, jobs.COMMIT: commit}
    for name, function in tasks.items():
        queue.task(name=name, queue="pocketmind", retry=retry, pass_context=True)(function)


async def _commit(engine: Engine, scope: Scope, context: JobContext, commit_id: str) -> None:
    """Run one commit; only this wrapper says `pending` (it will be tried again) or `failed` (attempts exhausted, which
    are one more than the retries)."""
    try:
        await run_commit(engine, scope, commit_id=commit_id)
    except NotFoundError:
        log.info("commit is gone", commit=commit_id)  # its session was deleted meanwhile
    except Exception as error:
        last = context.job.attempts >= _ATTEMPTS
        reason = (
            error.message if isinstance(error, PocketMindError) else f"a defect of PocketMind ({type(error).__name__})"
        )
        async with engine.database.transaction(scope) as tx:
            state = CommitState.FAILED if last else CommitState.PENDING
            await commits.set_state(tx, commits.as_id(commit_id), state, reason)
        raise


async def _rescue(queue: procrastinate.App) -> None:
    """Jobs whose worker died go back into the queue."""
    while True:
        await asyncio.sleep(_STALLED_SECONDS)
        try:
            for job in await queue.job_manager.get_stalled_jobs(seconds_since_heartbeat=_STALLED_SECONDS):
                log.warning("job taken from a dead worker", task=job.task_name, job=job.id)
                await queue.job_manager.retry_job(job)
        except procrastinate.exceptions.ConnectorException as error:
            log.error("stalled jobs not looked at, next time again", error=type(error).__name__)
