"""The worker: a job that failed is taken again by whoever works next, and a commit says how far it has come."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

import server.worker as worker
from context.derived import EngineIdentity
from context.errors import ConflictError, ModelUnavailable, NotFoundError, StorageUnavailable
from context.scope import Scope
from engine.engine import Engine
from graphs.runs import run_commit
from memory import archive
from models.embedders import EmbedderHandle
from resources import reading
from storage import commits, jobs, resources, vectors
from storage.commits import Commit, CommitState
from tests.support import cluster
from tests.support.engines import save_note, tell
from tests.support.hashing import hashed_vector

HASHED = EngineIdentity(model="hashed", dimension=16)


class Embeddings:
    """A quick embedder that is away for its first calls, or takes its time."""

    def __init__(self, *, away: int = 0, seconds: float = 0) -> None:
        self._away = away
        self._seconds = seconds

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        await asyncio.sleep(self._seconds)
        if self._away:
            self._away -= 1
            raise ModelUnavailable("The embedder is away.")
        return [hashed_vector(text, HASHED.dimension).tolist() for text in texts]

    async def aembed_query(self, text: str) -> list[float]:
        return (await self.aembed_documents([text]))[0]


def embedding(engine: Engine, *, away: int = 0, seconds: float = 0) -> Engine:
    embeddings: Any = Embeddings(away=away, seconds=seconds)
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
    assert waiting(database, task="embed") == [("todo", 1, None)], "it waits for its second attempt, nobody's"
    assert database.rows("select id from pm_jobs.procrastinate_workers") == []
    assert await without_vector(engine, scope) > 0
    due_now(database)
    await worker.run_worker(working, wait=False)
    assert await without_vector(engine, scope) == 0
    assert waiting(database, task="embed") == []


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
    assert not [coroutine for coroutine in left if "rocrastinate" in coroutine or "rescuing" in coroutine]
    assert database.rows("select id from pm_jobs.procrastinate_workers") == [], "nothing of it is left"


async def test_what_the_grace_of_a_stopped_worker_cuts_is_done_by_the_next_one(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    await save_note(engine, scope, "cut in the middle")
    slow = embedding(engine, seconds=60)
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run_worker(slow, stop=stop, grace=0.1))
    async with asyncio.timeout(20):
        while ("doing", 0) not in [row[:2] for row in waiting(database, task="embed")]:  # noqa: ASYNC110 - a table
            await asyncio.sleep(0.05)
        stop.set()
        await task
    assert waiting(database, task="embed") == [("todo", 1, None)]
    due_now(database)
    await worker.run_worker(embedding(engine), wait=False)
    assert await without_vector(engine, scope) == 0


# --- one job that always fails --------------------------------------------------------------------------------------


class FailingForOne(Embeddings):
    """An embedder that fails for the words of one user, whatever is done."""

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        if any("ann's" in text for text in texts):
            raise ModelUnavailable("The embedder is away.")
        return await super().aembed_documents(texts)


async def test_one_user_s_failing_jobs_stop_nobody_else_s(
    engine: Engine, database: cluster.Database, scope: Scope, other_user: Scope, other_tenant: Scope
) -> None:
    for who in (scope, other_user, other_tenant):
        await save_note(engine, who, f"{who.user}'s words" if who == scope else "another's words")
    failing: Any = FailingForOne()
    working = replace(engine, embedder=EmbedderHandle(embeddings=failing, identity=HASHED, low=0.1, high=0.6))
    for _ in range(3):
        await worker.run_worker(working, wait=False)
        due_now(database)
    assert await without_vector(engine, other_user) == await without_vector(engine, other_tenant) == 0
    assert await without_vector(engine, scope) == 1
    assert [row[:2] for row in waiting(database, task="embed")] == [("todo", 3)]


async def put_file(engine: Engine, scope: Scope, name: str, data: bytes) -> UUID:
    asset_id = uuid4()
    async with engine.database.transaction(scope) as tx:
        asset = await engine.assets.add(tx, asset_id, data=data, mime="", name=name)
        await engine.projector.save_file(tx, asset)
    return asset_id


async def record_of(engine: Engine, scope: Scope, source: UUID) -> tuple[str, str | None]:
    async with engine.database.transaction(scope) as tx:
        record = (await resources.of_source(tx, str(source)))[0]
    return record.projection_status.value, record.reason


async def test_a_file_that_makes_its_reader_fail_says_so_and_the_others_are_read(
    engine: Engine, database: cluster.Database, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = await put_file(engine, scope, "broken.pdf", b"%PDF-1.7 nothing else")
    poison = await put_file(engine, scope, "poison.txt", b"fails in our own code")
    good = await put_file(engine, scope, "good.txt", "正文 with words".encode())

    async def read(
        database: Any, scope: Scope, projector: Any, assets: Any, asset_id: UUID, *, transcriber: Any
    ) -> reading.Outcome:
        if asset_id == poison:
            raise ZeroDivisionError("a secret value")
        return await reading.read_file(database, scope, projector, assets, asset_id, transcriber=transcriber)

    monkeypatch.setattr(worker, "read_file", read)
    await worker.run_worker(embedding(engine), wait=False)
    assert (await record_of(engine, scope, good))[0] == "ready"
    state, reason = await record_of(engine, scope, broken)
    assert state == "failed" and reason is not None and "damaged" in reason, "no reader will ever read it"
    assert await record_of(engine, scope, poison) == (
        "pending",
        "waiting to be read: a defect of PocketMind (ZeroDivisionError)",
    )
    assert [row[:2] for row in waiting(database, task="read")] == [("todo", 1)], "only the defect is tried again"
    due_now(database, attempts=8)
    await worker.run_worker(embedding(engine), wait=False)
    assert await record_of(engine, scope, poison) == ("failed", "a defect of PocketMind (ZeroDivisionError)")
    async with engine.database.transaction(scope) as tx:
        (dead,) = await jobs.listed(tx, failed=True)
    assert (dead.status, dead.task, dead.error) == ("failed", "read", "ZeroDivisionError")
    assert dead.about == {"asset_id": str(poison)}
    assert "secret" not in str(database.table("pm_jobs.procrastinate_jobs"))


async def test_a_job_on_which_every_worker_dies_has_failed_in_the_end(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    asset_id = await put_file(engine, scope, "bomb.txt", b"it kills its reader's process")
    held = "update procrastinate_jobs set status = 'doing', worker_id = null, attempts = %d where task_name = 'read'"
    queue = jobs.open_queue(database.worker)
    async with queue.open_async():
        for attempts, status in ((3, "todo"), (8, "failed")):
            database.rows(f"set search_path to pm_jobs, public; {held % attempts}")
            await worker.rescue(queue, engine)
            assert waiting(database, task="read")[0][:2] == (status, attempts + 1)
    assert await record_of(engine, scope, asset_id) == ("failed", "the worker died while it was at this")
    async with engine.database.transaction(scope) as tx:
        assert [job.error for job in await jobs.listed(tx, failed=True)] == ["WorkerDied"]


async def test_a_job_that_waits_for_its_next_try_holds_up_only_those_that_must_be_in_order(
    engine: Engine, database: cluster.Database, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Procrastinate starts no job while an earlier one of its lock waits, even if that one waits for its next try."""
    began: set[tuple[str, str]] = set()

    def failing(kind: str) -> Any:
        async def handler(engine: Engine, scope: Scope, ids: Any) -> None:
            began.add((kind, ids["note_id"]))
            raise StorageUnavailable("The database is away.")

        return handler

    kinds = (jobs.COMMIT, jobs.EMBED, jobs.PROJECT, jobs.READ, jobs.CONTAINERS, jobs.DESCRIBE)
    monkeypatch.setattr(worker, "_HANDLERS", {kind: failing(kind) for kind in kinds})
    for _ in range(2):
        async with engine.database.transaction(scope) as tx:
            for kind in kinds:
                await jobs.defer(tx, kind, lock=f"the same {kind}", note_id=uuid4(), asset_id=uuid4())
    wanted = {kind: 1 if kind in (jobs.COMMIT, jobs.EMBED) else 2 for kind in kinds}
    for _ in range(5):  # a worker that does not wait may leave before what stepped aside has made room
        await worker.run_worker(embedding(engine), wait=False)
        if Counter(kind for kind, _ in began) == wanted:
            break
    assert Counter(kind for kind, _ in began) == wanted
    locks = database.rows("select count(distinct lock) from pm_jobs.procrastinate_jobs where task_name = 'read'")
    assert locks == [(2,)], "each of them waits under a lock of its own"


async def test_a_file_that_takes_long_keeps_no_vector_waiting(
    engine: Engine, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = asyncio.Event()

    async def hang(*given: Any, **more: Any) -> reading.Outcome:
        hanging.set()
        await asyncio.sleep(60)
        raise AssertionError("it was waited for")

    monkeypatch.setattr(worker, "read_file", hang)
    for number in range(3):
        await put_file(engine, scope, f"{number}.txt", b"words")
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run_worker(embedding(engine), stop=stop, grace=0.1))
    async with asyncio.timeout(20):
        await hanging.wait()
        await save_note(engine, scope, "it gets its vector all the same")
        while await without_vector(engine, scope):  # noqa: ASYNC110 - a table
            await asyncio.sleep(0.05)
        stop.set()
        await task


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
