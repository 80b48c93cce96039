"""`pocketmind jobs`: what waits in the background, what failed and why, and failed work tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Who, command
from cli.output import table

if TYPE_CHECKING:
    from storage.database import Transaction
    from storage.jobs import Job

app = typer.Typer(name="jobs", help="Background work: list, retry. 后台任务", no_args_is_help=True)


@command(app, "list")
def list_all(
    who: Who,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only what is not tried again by itself. 只看失败的")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="At most so many. 数量")] = 50,
) -> None:
    """List jobs: what failed first, then in their order. 列出任务"""
    from cli.running import opened
    from storage import jobs

    with opened(who) as call:

        async def read() -> list[tuple[Job, str]]:
            async with call.engine.database.transaction(call.scope) as tx:
                found = await jobs.listed(tx, failed=failed, limit=limit)
                return [(job, await _reason(tx, job)) for job in found]

        found = call.run(read())
        out = call.out
        if out.as_json:
            out.document({"jobs": [_plain(job, reason) for job, reason in found]})
        elif not found:
            out.notice("none_failed_jobs" if failed else "none_jobs")
        else:
            zone = call.engine.settings.zone
            rows = [
                [
                    job.job_id,
                    job.task,
                    out.tell(f"job_{job.status}"),
                    job.attempts,
                    f"{job.scheduled_at.astimezone(zone):%Y-%m-%d %H:%M:%S}"
                    if job.scheduled_at and job.status == "todo"
                    else "",
                    ", ".join(f"{key} {value}" for key, value in job.about.items()),
                    " · ".join(filter(None, [job.error, reason])),
                ]
                for job, reason in found
            ]
            out.show(table(*out.tell("col_jobs").split("|"), rows=rows))


@command(app, "retry")
def retry(
    who: Who,
    job_id: Annotated[int | None, typer.Argument(metavar="ID", help="The job's id. 编号")] = None,
    all_of_them: Annotated[bool, typer.Option("--all", help="All that failed or wait for another try. 全部")] = False,
) -> None:
    """Let failed jobs run again, and those that wait for another try at once. 重试"""
    from cli.running import opened
    from context.errors import ConfigurationError, InvalidInputError, NotFoundError
    from storage import jobs

    if (job_id is None) != all_of_them:
        raise InvalidInputError("Give the id of a job, or --all.", zh="请给出任务编号，或使用 --all。")
    with opened(who) as call:
        worker = call.engine.urls.worker
        if worker is None:
            raise ConfigurationError(
                "Jobs can only be changed in the role of a worker, and there is none.",
                hint="Set POCKETMIND_WORKER_URL or POCKETMIND_ADMIN_URL.",
                zh="只有工作进程的数据库角色可以更改任务，而这里没有配置。",
            )
        again = call.run(jobs.retry(worker, call.scope, job_id=job_id))
        if job_id is not None and not again:
            raise NotFoundError(
                f"There is no failed or waiting job {job_id}.", zh=f"没有失败或等待重试的任务 {job_id}。"
            )
        if call.out.as_json:
            call.out.document({"retried": again})
        else:
            call.out.answer(call.out.tell("jobs_retried", count=len(again)))


async def _reason(tx: Transaction, job: Job) -> str:
    """What the material or the commit that a job is to make says about why it is not there."""
    from uuid import UUID

    from context.errors import NotFoundError
    from storage import commits, jobs, resources

    if job.task in (jobs.READ, jobs.PROJECT):
        found = await resources.of_source(tx, job.about.get("asset_id") or job.about.get("note_id", ""))
        return next((record.reason or "" for record in found if resources.unmade(record)), "")
    if job.task == jobs.COMMIT:
        try:
            return (await commits.get(tx, UUID(job.about["commit_id"]))).reason or ""
        except NotFoundError:
            return ""  # its session was deleted
    return ""


def _plain(job: Job, reason: str) -> dict[str, Any]:
    return {
        "job_id": job.job_id,
        "task": job.task,
        "status": job.status,
        "attempts": job.attempts,
        "scheduled_at": job.scheduled_at.isoformat() if job.scheduled_at else None,
        "about": dict(job.about),
        "error": job.error,
        "reason": reason,
    }
