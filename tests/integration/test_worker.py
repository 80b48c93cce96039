"""The worker: a job that failed is taken again by whoever works next, and a commit says how far it has come."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

import server.worker as worker
from context.derived import EngineIdentity
from context.errors import ConflictError, ModelUnavailable, NotFoundError, StorageUnavailable
from context.scope import Scope
from engine.engine import Engine
from graphs.runs import run_commit
from memory import archive
from models.embedders import EmbedderHandle
from storage import commits, jobs, vectors
from storage.commits import Commit, CommitState
from tests.support import cluster
from tests.support.engines import save_note, tell
from tests.support.hashing import hashed_vector

HASHED = EngineIdentity(model="hashed", dimension=16)


class Embeddings:
    """A quick embedder that is away for its first calls."""

    def __init__(self, *, away: int = 0) -> None:
        self._away = away

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        if self._away:
            self._away -= 1
            raise ModelUnavailable("The embedder is away.")
        return [hashed_vector(text, HASHED.dimension).tolist() for text in texts]

    async def aembed_query(self, text: str) -> list[float]:
        return (await self.aembed_documents([text]))[0]


def embedding(engine: Engine, *, away: int = 0) -> Engine:
    embeddings: Any = Embeddings(away=away)
    return replace(engine, embedder=EmbedderHandle(embeddings=embeddings, identity=HASHED, low=0.1, high=0.6))


async def without_vector(engine: Engine, scope: Scope) -> int:
    async with engine.database.transaction(scope) as tx:
        return await vectors.count_without_vector(tx, engine=str(HASHED))


def due_now(database: cluster.Database, *, attempts: int | None = None, worker_id: int | None = None) -> None:
    """The wait before the next attempt is over.

    Args:
        attempts: how many there have been. worker_id: who made the last one.
    """
    values = "scheduled_at = now()"
    values += "" if attempts is None else f", attempts = {attempts:d}"
    values += "" if worker_id is None else f", worker_id = {worker_id:d}"
    update = f"update procrastinate_jobs set {values} where status = 'todo'"  # noqa: S608
    database.rows(f"set search_path to pm_jobs, public; {update}")


def waiting(database: cluster.Database, *, task: str = "%") -> list[tuple[Any, ...]]:
    """Status, attempts and worker of the jobs that are not done."""
    statement = "select status::text, attempts, worker_id from pm_jobs.procrastinate_jobs where task_name like %s"
    return database.rows(statement, (task,))


# --- jobs that failed ---------------------------------------------------------------------------------------------


async def test_a_retried_job_outlives_its_worker_and_the_next_one_does_it(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    await save_note(engine, scope, "# A\n\nfirst words\n\n# B\n\n第二段文字\n")
    working = embedding(engine, away=1)
    await worker.run_worker(working, wait=False)
    assert waiting(database) == [("todo", 1, None)], "it waits for its second attempt and belongs to nobody"
    assert database.rows("select id from pm_jobs.procrastinate_workers") == []
    assert await without_vector(engine, scope) > 0
    due_now(database)
    await worker.run_worker(working, wait=False)
    assert await without_vector(engine, scope) == 0
    assert waiting(database) == []


async def test_a_worker_that_died_is_pruned_whatever_jobs_still_name_it(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    await save_note(engine, scope, "kept")
    dead = database.rows(
        "insert into pm_jobs.procrastinate_workers (last_heartbeat) values (now() - interval '1 hour') returning id"
    )[0][0]
    due_now(database, worker_id=dead)  # a job that was tried before has a time, which a trigger notes when it changes
    await worker.run_worker(embedding(engine), wait=False)
    assert database.rows("select id from pm_jobs.procrastinate_workers") == []
    assert await without_vector(engine, scope) == 0


async def test_a_stopped_worker_ends_cleanly(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    stop, before = asyncio.Event(), asyncio.all_tasks()
    task = asyncio.create_task(worker.run_worker(embedding(engine), stop=stop))
    await save_note(engine, scope, "found while it works")
    async with asyncio.timeout(20):
        while await without_vector(engine, scope):  # noqa: ASYNC110 - it is a table that changes
            await asyncio.sleep(0.05)
        stop.set()
        await task
    left = [repr(other.get_coro()) for other in asyncio.all_tasks() - before]
    assert not [coroutine for coroutine in left if "rocrastinate" in coroutine or "_rescue" in coroutine]
    assert database.rows("select id from pm_jobs.procrastinate_workers") == [], "nothing of it is left"


# --- commits ------------------------------------------------------------------------------------------------------

RunCommit = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
async def commit(engine: Engine, scope: Scope) -> Commit:
    """A claimed commit with its job in the queue."""
    session_id = await tell(engine, scope, "我住在柏林。")
    async with engine.database.transaction(scope) as tx:
        claimed = await archive.claim(tx, session_id, settings=archive.ArchiveSettings())
        assert claimed is not None
        await jobs.defer(tx, jobs.COMMIT, lock=str(session_id), commit_id=claimed.commit_id)
    return claimed


async def state_of(engine: Engine, scope: Scope, commit_id: UUID) -> tuple[CommitState, str | None]:
    async with engine.database.transaction(scope) as tx:
        found = await commits.get(tx, commit_id)
    return found.state, found.reason


def failing(error: Exception) -> RunCommit:
    async def run(engine: Engine, scope: Scope, **given: Any) -> dict[str, Any]:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (StorageUnavailable("The database is away."), "The database is away."),
        (ConflictError("Somebody else writes."), "Somebody else writes."),
        (ZeroDivisionError("a secret value"), "a defect of PocketMind (ZeroDivisionError)"),
    ],
)
async def test_a_commit_is_pending_until_its_last_attempt_fails(
    engine: Engine,
    database: cluster.Database,
    scope: Scope,
    commit: Commit,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    reason: str,
) -> None:
    monkeypatch.setattr(worker, "run_commit", failing(error))
    seen = []
    for earlier in (0, 7, 8):
        due_now(database, attempts=earlier)
        await worker.run_worker(embedding(engine), wait=False)
        seen.append(await state_of(engine, scope, commit.commit_id))
    assert seen == [(CommitState.PENDING, reason), (CommitState.PENDING, reason), (CommitState.FAILED, reason)]
    assert waiting(database)[0][:2] == ("failed", 9), "and then nobody tries again"


async def test_a_commit_that_failed_once_is_done_by_the_next_attempt(
    engine: Engine, database: cluster.Database, scope: Scope, commit: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(worker, "run_commit", failing(StorageUnavailable("The database is away.")))
        await worker.run_worker(embedding(engine), wait=False)
    due_now(database)
    await worker.run_worker(embedding(engine), wait=False)
    state, _ = await state_of(engine, scope, commit.commit_id)
    assert state.finished
    assert waiting(database, task="commit") == []


async def test_a_finished_commit_is_left_as_it_is(
    engine: Engine, database: cluster.Database, scope: Scope, commit: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run_commit(engine, scope, commit_id=str(commit.commit_id))
    ended = await state_of(engine, scope, commit.commit_id)
    assert ended[0].finished
    monkeypatch.setattr(worker, "run_commit", failing(ConflictError("Somebody else writes.")))
    for earlier in (0, 8):
        due_now(database, attempts=earlier)
        await worker.run_worker(embedding(engine), wait=False)
        assert await state_of(engine, scope, commit.commit_id) == ended


async def test_a_commit_whose_session_was_deleted_is_no_failure(
    engine: Engine, database: cluster.Database, commit: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "run_commit", failing(NotFoundError("There is no such commit.")))
    await worker.run_worker(embedding(engine), wait=False)
    assert waiting(database) == []
