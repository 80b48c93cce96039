"""Jobs: deferred inside the transaction of the truth they serve, run by a worker role that sees ids only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import procrastinate
import psycopg

from context.scope import Scope
from storage.database import OPTIONS, Transaction, checked_conninfo, translated, unreachable
from storage.queries import queries

_SQL = queries("jobs")

EMBED = "embed"
COMMIT = "commit"
PROJECT = "project"
READ = "read"
DESCRIBE = "describe"
CONTAINERS = "containers"
SWEEP = "sweep"
"""Deletes the vectors of an embedder that answers no more."""

QUICK, SLOW = "pocketmind", "pocketmind-slow"
"""Queues. What may take minutes (a file, a huge note, a model that describes) never stands in the way of the rest."""
QUEUES = {PROJECT: SLOW, READ: SLOW, DESCRIBE: SLOW}
"""The queue of each kind of job that is not in the quick one."""
_ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as its owner sees it.

    Attributes:
        status: `todo`, `doing`, `failed` or `aborted` (nobody tries again by himself), `cancelled`.
        attempts: how often it was tried.
        scheduled_at: not before; None: as soon as a worker is free.
        about: ids of what it works on.
        error: class of the last error, empty while there was none.
    """

    job_id: int
    task: str
    status: str
    attempts: int
    scheduled_at: datetime | None
    about: Mapping[str, str]
    error: str = ""


def open_queue(worker_url: str, *, size: int = 8) -> procrastinate.App:
    """The queue for a worker; tasks are added by whoever runs it.

    Args:
        worker_url: connection URL of the worker role.
        size: connections of its own pool, apart from the application's.
    """
    connector = procrastinate.PsycopgConnector(
        conninfo=checked_conninfo(worker_url),
        min_size=1,
        max_size=size,
        kwargs={"options": OPTIONS, "connect_timeout": 5, "application_name": "pocketmind-worker"},
    )
    return procrastinate.App(connector=connector)


# A job is deferred on the caller's connection, so this app needs no connection of its own and is never opened.
_deferring = procrastinate.App(connector=procrastinate.PsycopgConnector())


async def defer(
    tx: Transaction, task: str, *, lock: str, priority: int = 0, after: float = 0, **ids: UUID | str
) -> None:
    """Defer a job in this transaction, once however often it is asked for.

    A job of another transaction that waits does not stand for this one: it may run before this one commits, and would
    then not see its rows. Jobs that share a `lock` run one after the other, and one that finds nothing to do costs next
    to nothing.

    Args:
        task: name of the task.
        lock: what the job must have for itself; the tenant and user are added.
        priority: a higher one runs first.
        after: seconds to wait before it may run.
        ids: what to work on. Ids only, never text: workers of every tenant read the queue.
    """
    plain = {key: str(value) for key, value in ids.items()}
    key = (task, *plain.values())
    if key in tx.deferred:
        return
    tx.deferred.add(key)
    scope = tx.scope
    deferrer = _deferring.configure_task(
        task,
        allow_unknown=True,
        connection=tx.connection,
        lock=f"{scope.tenant}\x1f{scope.user}\x1f{lock}",
        priority=priority,
        queue=QUEUES.get(task, QUICK),
        schedule_in={"seconds": after} if after else None,
    )
    await deferrer.defer_async(tenant=scope.tenant, user=scope.user, agent=scope.agent, **plain)


def scope_of(arguments: Mapping[str, str]) -> Scope:
    """Whose job it is."""
    return Scope(tenant=arguments["tenant"], user=arguments["user"], agent=arguments.get("agent", ""))


async def counts(tx: Transaction) -> dict[tuple[str, str], int]:
    """Jobs of this owner: (task, status) to number."""
    return {(row["task_name"], row["status"]): row["count"] for row in await tx.all(_SQL["counts"])}


async def listed(tx: Transaction, *, failed: bool = False, limit: int = 50) -> list[Job]:
    """Jobs of this owner: what failed first, then in the order in which they came.

    Args:
        failed: only those that nobody tries again by himself.
    """
    rows = await tx.all(_SQL["listed"], {"failed": failed, "limit": limit})
    return [_job(row) for row in rows]


async def soon(tx: Transaction, task: str) -> bool:
    """Whether a job of this kind and owner is about to start (within a minute): it will see what is committed now."""
    return await tx.one(_SQL["soon"], {"task": task}) is not None


async def keep_error(queue: procrastinate.App, job_id: int, error: str) -> None:
    """Keep the class of a job's last error with the job. The role of a worker is needed; a text would tell too much."""
    await queue.connector.execute_query_async(_SQL["keep_error"], job_id=job_id, error=error)


async def retry(worker_url: str, scope: Scope, *, job_id: int | None = None) -> list[int]:
    """Let failed jobs of this owner run again, with all their attempts, and those that wait for one run at once.

    Args:
        worker_url: connection URL of the worker role: no other may change jobs.
        job_id: only this one; None is all.

    Returns:
        The ids of the jobs that run again.

    Raises:
        StorageUnavailable: the database cannot be reached.
    """
    values = {"tenant": scope.tenant, "owner": scope.user, "job_id": job_id}
    try:
        async with await psycopg.AsyncConnection.connect(
            checked_conninfo(worker_url), options=OPTIONS, connect_timeout=5
        ) as connection:
            rows = await (await connection.execute(_SQL["retry"], values)).fetchall()
    except psycopg.OperationalError as error:
        raise unreachable(worker_url, error) from error
    except psycopg.Error as error:
        raise translated(error) from error
    return sorted(row[0] for row in rows)


def _job(row: Mapping[str, Any]) -> Job:
    about = {key: str(value) for key, value in row["args"].items() if key not in ("tenant", "user", "agent", _ERROR)}
    return Job(
        job_id=row["id"],
        task=row["task_name"],
        status=row["status"],
        attempts=row["attempts"],
        scheduled_at=row["scheduled_at"],
        about=about,
        error=str(row["args"].get(_ERROR, "")),
    )
