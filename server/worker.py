"""The worker: what takes long, taken from the queue. Runs inside the server, or apart as `pocketmind worker`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import UUID, uuid4

import procrastinate
import structlog
from procrastinate import BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status

from context.errors import ConfigurationError, NotFoundError, PocketMindError
from context.scope import Scope, entered
from engine.engine import Engine
from graphs.runs import run_commit
from resources import background
from resources.describing.describe import describe_container, describe_source
from resources.projector import WAITS_FOR_CUTTING, WAITS_FOR_READER
from resources.reading import read_file
from resources.vectors import drop_engine
from storage import commits, jobs, resources
from storage.commits import CommitState

log = structlog.get_logger("pocketmind.worker")

_ATTEMPTS = 8
_BACKOFF = 3
_LONGEST_IN_ORDER = 300
"""Seconds that a job may hold up those behind it before it tries again."""
"""Seconds, to the power of the attempt: 3, 9, 27 ... 6561."""
_STALLED_SECONDS = 30.0
_VECTORS_A_JOB = 512
_HEARTBEAT_SECONDS = 10.0
_GRACE_SECONDS = 20.0
_AT_ONCE = 2
"""Jobs of one queue at the same time. A file that is read can take 0.8 GB."""

Handler = Callable[[Engine, Scope, Mapping[str, str]], Awaitable[None]]


async def run_worker(
    engine: Engine, *, stop: asyncio.Event | None = None, wait: bool = True, grace: float = _GRACE_SECONDS
) -> None:
    """Work until stopped; a job in flight is finished first, and one that a dead worker held is taken again.

    Args:
        stop: set it to stop.
        wait: False returns when no job is left that may run now.
        grace: seconds that jobs in flight get to finish; what is cut then goes back into the queue.

    Raises:
        ConfigurationError: there is no worker role to log in as.
    """
    if engine.urls.worker is None:
        raise ConfigurationError(
            "The worker has no database role of its own.", hint="Set POCKETMIND_WORKER_URL or POCKETMIND_ADMIN_URL."
        )
    queue = jobs.open_queue(engine.urls.worker)
    register(queue, engine)
    shares = [[jobs.QUICK], [jobs.SLOW]] if wait else [[jobs.QUICK, jobs.SLOW]]
    async with queue.open_async():
        working = [asyncio.ensure_future(_work(queue, names, wait=wait, grace=grace)) for names in shares]
        rescuing = asyncio.ensure_future(_keep_rescuing(queue, engine))
        stopping = [asyncio.ensure_future(stop.wait())] if stop is not None else []
        try:
            await asyncio.wait([*working, *stopping], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (rescuing, *stopping, *(task for task in working if not task.done())):
                task.cancel()  # procrastinate drains: what runs is finished within its grace
            await asyncio.gather(*working, rescuing, *stopping, return_exceptions=True)
        for task in working:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error


async def _work(queue: procrastinate.App, names: list[str], *, wait: bool, grace: float) -> None:
    await queue.run_worker_async(
        queues=names,
        name="pocketmind",
        concurrency=_AT_ONCE,
        wait=wait,
        fetch_job_polling_interval=2.0,
        shutdown_graceful_timeout=grace,
        delete_jobs="successful",
        install_signal_handlers=False,
        update_heartbeat_interval=_HEARTBEAT_SECONDS,
        stalled_worker_timeout=_STALLED_SECONDS,
    )


# --- what each kind of job does -----------------------------------------------------------------------------------


async def _embed(engine: Engine, scope: Scope, ids: Mapping[str, str]) -> None:
    await background.follow(engine.database, scope)  # first: an embedder that fails must not keep containers waiting
    if engine.embedder is None:
        return  # stated by every search: found by words only
    stored = await background.embed(engine.database, scope, engine.embedder, most=_VECTORS_A_JOB)
    log.info("vectors stored", count=stored)


async def _containers(engine: Engine, scope: Scope, ids: Mapping[str, str]) -> None:
    told = await background.tell_containers(engine.database, scope, engine.projector)
    await background.follow(engine.database, scope)
    log.info("containers told", count=len(told))


async def _project(engine: Engine, scope: Scope, ids: Mapping[str, str]) -> None:
    changed = await background.cut_note(engine.database, scope, engine.projector, UUID(ids["note_id"]))
    log.info("large note cut", note=ids["note_id"], versions=changed)


async def _read(engine: Engine, scope: Scope, ids: Mapping[str, str]) -> None:
    outcome = await read_file(
        engine.database,
        scope,
        engine.projector,
        engine.assets,
        UUID(ids["asset_id"]),
        transcriber=engine.transcriber,
    )
    log.info("file read", asset=ids["asset_id"], outcome=outcome.state)


async def _describe(engine: Engine, scope: Scope, ids: Mapping[str, str]) -> None:
    if engine.offline:
        return
    if "source_id" in ids:
        await describe_source(engine.database, scope, source_id=ids["source_id"], **_describing(engine))
    elif (uri := await background.container_of(engine.database, scope, ids["container"])) is not None:
        await describe_container(engine.database, scope, uri=uri, **_describing(engine))


async def _sweep(engine: Engine, scope: Scope, ids: Mapping[str, str]) -> None:
    await drop_engine(engine.database, scope, ids["engine"])


async def _commit(engine: Engine, scope: Scope, ids: Mapping[str, str]) -> None:
    try:
        await run_commit(engine, scope, commit_id=ids["commit_id"])
    except NotFoundError:
        log.info("commit is gone", commit=ids["commit_id"])  # its session was deleted meanwhile


def _describing(engine: Engine) -> dict[str, Any]:
    return {
        "projector": engine.projector,
        "model": engine.chat_model,
        "name": engine.model_name,
        "prompts": engine.prompts,
        "fence": engine.fence(f"describe:{uuid4()}"),
        "deadline": engine.settings.models.commit_deadline,
        "settings": engine.settings.projection,
    }


_HANDLERS: dict[str, Handler] = {
    jobs.EMBED: _embed,
    jobs.CONTAINERS: _containers,
    jobs.PROJECT: _project,
    jobs.READ: _read,
    jobs.DESCRIBE: _describe,
    jobs.SWEEP: _sweep,
    jobs.COMMIT: _commit,
}
_WAITS = {jobs.READ: ("asset_id", WAITS_FOR_READER), jobs.PROJECT: ("note_id", WAITS_FOR_CUTTING)}
"""Jobs whose material says why it is not there: which id names it, and how that begins until the last attempt."""
_IN_ORDER = frozenset({jobs.EMBED, jobs.COMMIT})
"""Jobs that hold up those behind them while they wait for their next attempt: stages of a session are committed in
order, and an embedder that is away need not hear of it from every job. All others step aside (see `_Retry`)."""


# --- failing ------------------------------------------------------------------------------------------------------


class _Retry(BaseRetryStrategy):
    """Eight more attempts, each after three times as long.

    Procrastinate starts no job while an earlier one of the same lock waits, be it for its next attempt in an hour. So
    a job that failed steps aside: it waits under a lock of its own, and whoever comes later need not wait for it. When
    both run at last, the second finds nothing to do.
    """

    def __init__(self, *, steps_aside: bool) -> None:
        self._steps_aside = steps_aside

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When to try again; None after the last attempt."""
        if job.attempts >= _ATTEMPTS:
            return None
        lock = f"{job.lock}\x1f{job.id}" if self._steps_aside and not job.attempts else None
        wait = _BACKOFF ** (job.attempts + 1)
        seconds = wait if self._steps_aside else min(wait, _LONGEST_IN_ORDER)
        return RetryDecision(retry_in={"seconds": seconds}, lock=lock)


def register(queue: procrastinate.App, engine: Engine) -> None:
    """Say what each kind of job does. Jobs carry ids only; the scope comes with them."""
    for name, handler in _HANDLERS.items():
        retry = _Retry(steps_aside=name not in _IN_ORDER)
        task = queue.task(name=name, queue=jobs.QUEUES.get(name, jobs.QUICK), retry=retry, pass_context=True)
        task(_task(engine, handler))


def _task(engine: Engine, handler: Handler) -> Callable[..., Awaitable[None]]:
    async def run(context: JobContext, **ids: str) -> None:
        scope = jobs.scope_of(ids)
        with entered(scope):
            try:
                await handler(engine, scope, ids)
            except Exception as error:
                await _tell(context.app, engine, context.job, reason=_reason(error), kind=type(error).__name__)
                raise

    return run


async def _tell(queue: procrastinate.App, engine: Engine, job: Job, *, reason: str, kind: str) -> None:
    """Say where people look why a job failed: in the log, with the job, and with what it was to make."""
    log.warning("job failed", task=job.task_name, job=job.id, attempt=job.attempts + 1, reason=reason)
    ids, last = {key: str(value) for key, value in job.task_kwargs.items()}, _was_last(job)
    try:
        if job.id is not None:
            await jobs.keep_error(queue, job.id, kind)
        async with engine.database.transaction(jobs.scope_of(ids)) as tx:
            if job.task_name in _WAITS:
                key, waits = _WAITS[job.task_name]
                await resources.give_reason(tx, ids[key], reason if last else f"{waits}: {reason}", failed=last)
            elif job.task_name == jobs.COMMIT:
                state = CommitState.FAILED if last else CommitState.PENDING
                await commits.set_state(tx, commits.as_id(ids["commit_id"]), state, reason)
    except (PocketMindError, ConnectorException) as untold:
        log.error("the reason is in this log only", job=job.id, error=type(untold).__name__)


def _reason(error: Exception) -> str:
    return error.message if isinstance(error, PocketMindError) else f"a defect of PocketMind ({type(error).__name__})"


def _was_last(job: Job) -> bool:
    """Whether nobody tries again by himself. There is one attempt more than there are retries."""
    return job.attempts >= _ATTEMPTS


async def _keep_rescuing(queue: procrastinate.App, engine: Engine) -> None:
    while True:
        await asyncio.sleep(_STALLED_SECONDS)
        try:
            await rescue(queue, engine)
        except ConnectorException as error:
            log.error("stalled jobs not looked at, next time again", error=type(error).__name__)


async def rescue(queue: procrastinate.App, engine: Engine) -> None:
    """Jobs whose worker died go back into the queue; one on which so many workers died has failed."""
    for job in await queue.job_manager.get_stalled_jobs(seconds_since_heartbeat=_STALLED_SECONDS):
        await _tell(queue, engine, job, reason="the worker died while it was at this", kind="WorkerDied")
        if _was_last(job):
            await queue.job_manager.finish_job(job, status=Status.FAILED, delete_job=False)
        else:
            await queue.job_manager.retry_job(job)
