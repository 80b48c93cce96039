"""Jobs: deferred inside the transaction of the truth they serve, run by a worker role that sees ids only."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import procrastinate

from context.scope import Scope
from storage.database import OPTIONS, Transaction, checked_conninfo
from storage.queries import queries

if TYPE_CHECKING:
    from collections.abc import Mapping

_SQL = queries("jobs")

EMBED = "embed"
COMMIT = "commit"
PROJECT = "project"
READ = "read"
DESCRIBE = "describe"
CONTAINERS = "containers"


def open_queue(worker_url: str, *, size: int = 4) -> procrastinate.App:
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
        queue="pocketmind",
        schedule_in={"seconds": after} if after else None,
    )
    await deferrer.defer_async(tenant=scope.tenant, user=scope.user, agent=scope.agent, **plain)


def scope_of(arguments: Mapping[str, str]) -> Scope:
    """Whose job it is."""
    return Scope(tenant=arguments["tenant"], user=arguments["user"], agent=arguments.get("agent", ""))


async def counts(tx: Transaction) -> dict[tuple[str, str], int]:
    """Jobs of this owner: (task, status) to number."""
    return {(row["task_name"], row["status"]): row["count"] for row in await tx.all(_SQL["counts"])}
