"""Committing a session to its end, stage by stage, and one report of all its stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.output import Output, table
from context.errors import ModelUnavailable
from context.messages import reason_text

if TYPE_CHECKING:
    from uuid import UUID

    from context.scope import Scope
    from engine.engine import Engine

# The worst of several stages is what a session's commit amounts to.
_SEVERITY = ("done", "partial", "pending", "failed")


async def commit_session(
    engine: Engine, scope: Scope, session_id: UUID, *, moved: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Run commits until the session has nothing left, and sum them up.

    A model that does not answer leaves its stage `pending`, with a job for the worker; calling again goes on there.

    Args:
        moved: told how many messages belong to a commit, after each stage.

    Returns:
        commit_id (of the last stage; None when there was nothing to do), session_id, state, reason, stats, candidates,
        commits (one report a stage).

    Raises:
        NotFoundError: the session is unknown.
    """
    from graphs.runs import run_commit
    from storage import sessions

    stages: list[dict[str, Any]] = []
    while True:
        try:
            stage = await run_commit(engine, scope, session_id=session_id)
        except ModelUnavailable as error:
            stages.append(await _left_pending(engine, scope, session_id, error))
            break
        if "commit_id" not in stage:
            if not stages:
                return summed([], nothing=stage, session_id=str(session_id))
            break
        if any(stage["commit_id"] == before["commit_id"] for before in stages):
            break
        stages.append(stage)
        if moved is not None:
            async with engine.database.transaction(scope) as tx:
                moved((await sessions.get(tx, session_id)).committed_seq)
    return summed(stages, session_id=str(session_id))


def summed(
    stages: Sequence[Mapping[str, Any]], *, session_id: str, nothing: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Several stages as one report: the worst state, every reason once, counts added, candidates in order. Pure.

    Args:
        nothing: the report of a session that had nothing to commit.
    """
    told = list(stages) or ([nothing] if nothing else [])
    stats: dict[str, Any] = {}
    for stage in told:
        _add(stats, stage.get("stats") or {})
    return {
        "commit_id": stages[-1]["commit_id"] if stages else None,
        "session_id": session_id,
        "state": max((str(stage["state"]) for stage in told), key=_SEVERITY.index, default="done"),
        "reason": "; ".join(dict.fromkeys(filter(None, (stage.get("reason") for stage in told)))),
        "stats": stats,
        "candidates": [dict(outcome) for stage in told for outcome in stage.get("outcomes") or []],
        "commits": [{key: stage.get(key) for key in ("commit_id", "state", "reason", "stats")} for stage in stages],
    }


def show(out: Output, report: Mapping[str, Any]) -> None:
    """A report for people."""
    stats = report["stats"]
    out.answer(
        out.tell(
            "commit_summary",
            state=report["state"],
            messages=stats.get("messages", 0),
            memories=stats.get("memories_extracted", 0),
        )
    )
    if report["reason"]:
        out.answer(out.tell("commit_reason", reason=reason_text(report["reason"], out.language)))
    if report["candidates"]:
        rows = [
            [row["type"], row["outcome"], reason_text(row.get("reason") or "", out.language), row.get("memory_id")]
            for row in report["candidates"]
        ]
        out.show(table(*out.tell("col_candidates").split("|"), rows=rows))


async def _left_pending(engine: Engine, scope: Scope, session_id: UUID, error: ModelUnavailable) -> dict[str, Any]:
    from storage import commits, jobs
    from storage.commits import CommitState

    async with engine.database.transaction(scope) as tx:
        commit_id = await commits.unfinished(tx, session_id)
        if commit_id is not None:
            await commits.set_state(tx, commit_id, CommitState.PENDING, error.message)
            await jobs.defer(tx, jobs.COMMIT, lock=f"session:{session_id}", commit_id=commit_id)
    return {
        "commit_id": str(commit_id) if commit_id else None,
        "state": "pending",
        "reason": error.message,
        "stats": {},
        "outcomes": [],
    }


def _add(total: dict[str, Any], stats: Mapping[str, Any]) -> None:
    """Numbers are added, counts by name likewise; of anything else the last one stays."""
    for key, value in stats.items():
        known = total.get(key)
        if isinstance(value, Mapping):
            total[key] = dict(known) if isinstance(known, Mapping) else {}
            _add(total[key], value)
        elif isinstance(value, int) and not isinstance(value, bool) and isinstance(known, int):
            total[key] = known + value
        else:
            total[key] = value
