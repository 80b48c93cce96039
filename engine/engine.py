"""The engine: everything that lives as long as the process, put together in one place."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psycopg
from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI

from context.budget import count_tokens
from context.derived import Degradation, Pin
from context.errors import ConfigurationError
from context.scope import Scope
from engine.collection import settle_collector
from engine.identity import IdentityResolver
from engine.settings import Settings, load_settings
from memory.tools import MemoryTools
from models.chat import build_chat_model, close_chat_model
from models.embedders import EmbedderHandle, build_embedder, close_embedder, embed_batch
from models.intents import IntentClassifier
from models.offline import OfflineBrain
from models.transcription import Transcriber, build_transcriber
from prompts.fencing import new_fence
from prompts.library import PromptLibrary
from resources.projector import Projector
from retrievers.assembler import ContextAssembler
from retrievers.hierarchical import CatalogHierarchicalRetriever
from retrievers.hotness import DefaultHotnessScorer
from retrievers.intent import IntentAnalyzer
from retrievers.profile import PROFILES
from retrievers.sessions import SessionContextRetriever
from retrievers.skills import SkillRetriever
from skills.catalog import SkillCatalog, SkillRoots
from storage import clock
from storage.assets import AssetStore
from storage.checkpoints import PooledSaver
from storage.database import Database, Transaction, checked_conninfo
from storage.embedded import ensure_server
from storage.migrate import migrate, owns_schema
from storage.roles import APP, OWNER, WORKER, derive_password, ensure_roles
from storage.selftest import refuse_holes

_NO_ENGINE = "none/0/unit"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseUrls:
    """Where to log in as whom. `admin` is None when an operator migrates elsewhere."""

    app: str
    worker: str | None
    admin: str | None
    secret: bytes
    embedded: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Engine:
    """All parts, ready. Graphs and command line bind to these; nothing looks anything up."""

    settings: Settings
    urls: DatabaseUrls
    database: Database
    saver: PooledSaver
    identity: IdentityResolver
    prompts: PromptLibrary
    skills: SkillCatalog
    projector: Projector
    assets: AssetStore
    embedder: EmbedderHandle | None
    transcriber: Transcriber | None
    chat_model: BaseChatModel
    offline: bool
    intent: IntentAnalyzer
    retriever: CatalogHierarchicalRetriever
    skill_retriever: SkillRetriever
    session_retriever: SessionContextRetriever
    assembler: ContextAssembler
    memory_tools: MemoryTools
    degradations: tuple[Degradation, ...]

    @property
    def engine_id(self) -> str:
        """Identity of the embedder; a fixed name when there is none."""
        return str(self.embedder.identity) if self.embedder else _NO_ENGINE

    @property
    def model_name(self) -> str:
        """What answers: the configured model, or the offline brain."""
        return self.settings.chat_model or "pocketmind-offline"

    def local_scope(self) -> Scope:
        """The configured identity of this machine's user."""
        return Scope(tenant=self.settings.tenant, user=self.settings.user, agent=self.settings.agent)

    def now(self) -> datetime:
        """Now in the user's zone."""
        return datetime.now(self.settings.zone)

    def fence(self, seed: str) -> str:
        """The mark for one answer's data."""
        return new_fence(self.urls.secret, seed)

    async def warm(self) -> None:
        """Load what the first turn would load: the embedder's weights and the token vocabulary."""
        await asyncio.to_thread(count_tokens, "warm")
        if self.embedder is not None and not self.settings.embedding_model:
            await embed_batch(self.embedder, ["warm"], "query")

    async def pin(self, tx: Transaction, *, seq: int) -> Pin:
        """What an answer is read as of: taken once, used for every leg."""
        now = await clock.read(tx, engine=self.engine_id)
        resolution = await asyncio.to_thread(self.skills.resolve, tx.scope)
        return Pin(miv=now.miv, shared_miv=now.shared_miv, seq=seq, skills=resolution.digest, engine=now.engine)


@asynccontextmanager
async def open_engine(settings: Settings | None = None) -> AsyncIterator[Engine]:
    """Start what is needed, migrate, check the wall, and close everything at the end.

    Args:
        settings: None reads the environment.

    Raises:
        ConfigurationError: a setting, a file or a package must change; nothing is served.
        StorageUnavailable: the database cannot be reached.
        SchemaMismatch: the database is not at this code's schema.
    """
    settings = settings or load_settings()
    async with AsyncExitStack() as stack:
        urls = await database_urls(settings)
        if urls.admin is not None:
            await migrate(urls.admin)
        database = Database(urls.app, size=settings.pool_size)
        await database.open()
        stack.push_async_callback(database.close)
        await refuse_holes(database)
        embedder, degradations = _embedder(settings)
        if embedder is not None:
            stack.push_async_callback(close_embedder, embedder)
        model = _chat_model(settings, embedder)
        if isinstance(model, ChatOpenAI):
            stack.push_async_callback(close_chat_model, model)
        transcriber = _transcriber(settings)
        if transcriber is not None:
            stack.push_async_callback(transcriber.close)
        prompts = PromptLibrary()
        profile = PROFILES[settings.profile]
        catalog = SkillCatalog(skill_roots(settings))
        retriever = CatalogHierarchicalRetriever(
            database=database,
            embedder=embedder,
            zone=settings.zone,
            profile=profile,
            hotness=DefaultHotnessScorer(half_life_days=profile.half_life_days),
        )
        local = Scope(tenant=settings.tenant, user=settings.user, agent=settings.agent)
        identity = IdentityResolver(local=local)
        engine_id = str(embedder.identity) if embedder else _NO_ENGINE
        yield Engine(
            settings=settings,
            urls=urls,
            database=database,
            saver=PooledSaver(database, signed_in=identity.of_config),
            identity=identity,
            prompts=prompts,
            skills=catalog,
            projector=Projector(
                engine=engine_id, describes="off" if settings.offline else settings.projection.describe
            ),
            assets=AssetStore(settings.home / "assets"),
            embedder=embedder,
            transcriber=transcriber,
            chat_model=model,
            offline=settings.offline,
            intent=IntentAnalyzer(
                classifier=IntentClassifier(embedder.embeddings if embedder else None),
                prompts=prompts,
                model=None if settings.offline else model,
                deadline=settings.chat.intent_deadline,
            ),
            retriever=retriever,
            skill_retriever=SkillRetriever(catalog=catalog, embedder=embedder),
            session_retriever=SessionContextRetriever(database=database),
            assembler=ContextAssembler(
                database=database, prompts=prompts, zone=settings.zone, settings=settings.disclosure
            ),
            memory_tools=MemoryTools(database=database, retriever=retriever, zone=settings.zone),
            degradations=degradations,
        )


async def database_urls(settings: Settings) -> DatabaseUrls:
    """Where the database is: the embedded one, or the configured one with its roles made sure of.

    Raises:
        ConfigurationError: roles are missing and may not be made; the message holds the SQL to run.
        StorageUnavailable: the embedded server does not start.
    """
    if settings.database_url is None:
        server = await asyncio.to_thread(ensure_server, settings.home)
        return DatabaseUrls(
            app=server.url(APP),
            worker=server.url(WORKER),
            admin=server.url(OWNER),
            secret=server.secret.encode(),
            embedded=True,
        )
    url = settings.database_url.get_secret_value()
    worker = settings.worker_url.get_secret_value() if settings.worker_url else None
    admin = settings.admin_url.get_secret_value() if settings.admin_url else None
    if admin is not None:
        secret = _secret_of(admin)
        if worker is None:
            passwords = {WORKER: derive_password(secret, WORKER)}
            await asyncio.to_thread(ensure_roles, admin, {APP: derive_password(secret, APP), **passwords})
            worker = _as_role(admin, WORKER, passwords[WORKER])
        return DatabaseUrls(app=url, worker=worker, admin=admin, secret=secret.encode(), embedded=False)
    if await owns_schema(url):
        # One URL that owns the tables: it migrates, and the application logs in as a role that owns nothing.
        secret = _secret_of(url)
        passwords = {role: derive_password(secret, role) for role in (APP, WORKER)}
        await asyncio.to_thread(ensure_roles, url, passwords)
        return DatabaseUrls(
            app=_as_role(url, APP, passwords[APP]),
            worker=worker or _as_role(url, WORKER, passwords[WORKER]),
            admin=url,
            secret=secret.encode(),
            embedded=False,
        )
    return DatabaseUrls(app=url, worker=worker, admin=None, secret=_secret_of(url).encode(), embedded=False)


def _secret_of(url: str) -> str:
    """What role passwords and fences are derived from. The database's name is left out: roles belong to the whole
    cluster, and two databases of one operator must agree on them."""
    parts = psycopg.conninfo.conninfo_to_dict(checked_conninfo(url))
    server = [str(parts.get(key, "")) for key in ("host", "hostaddr", "port", "user", "password")]
    return hashlib.sha256("\x1f".join(["pocketmind", *server]).encode()).hexdigest()


def _as_role(url: str, role: str, password: str) -> str:
    return psycopg.conninfo.make_conninfo(url, user=role, password=password)


def configured_embedder(settings: Settings) -> EmbedderHandle:
    """The embedder that the settings name.

    Raises:
        ConfigurationError: it cannot run, or none that ships can.
    """
    return build_embedder(
        model=settings.embedding_model,
        base_url=settings.openai_base_url,
        api_key=settings.openai_api_key,
        dimension=settings.embedding_dimension,
        timeout=settings.models.embedding_timeout,
    )


def _embedder(settings: Settings) -> tuple[EmbedderHandle | None, tuple[Degradation, ...]]:
    try:
        handle = configured_embedder(settings)
    except ConfigurationError as error:
        if settings.embedding_model is not None:
            raise
        return None, (Degradation(leg="semantic", code="embedder_missing", detail=error.message),)
    return handle, ()


def _transcriber(settings: Settings) -> Transcriber | None:
    if settings.transcription_model is None:
        return None
    return build_transcriber(
        model=settings.transcription_model,
        base_url=settings.openai_base_url,
        api_key=settings.openai_api_key,
        timeout=settings.models.transcription_timeout,
        connect_timeout=settings.models.connect,
        max_retries=settings.models.retries,
    )


def _chat_model(settings: Settings, embedder: EmbedderHandle | None) -> BaseChatModel:
    if settings.chat_model is None:
        return OfflineBrain(embeddings=embedder.embeddings if embedder else None)
    return build_chat_model(
        model=settings.chat_model,
        base_url=settings.openai_base_url,
        api_key=settings.openai_api_key,
        connect_timeout=settings.models.connect,
        total_timeout=settings.chat.total,
        max_retries=settings.models.retries,
    )


def skill_roots(settings: Settings) -> SkillRoots:
    """Where skills are looked for: what ships, and the folders of the setting."""
    extra = tuple(Path(part) for part in settings.skills_dir.split(":") if part)
    return SkillRoots(extra=extra)


_shared: dict[int, tuple[Engine, AsyncExitStack]] = {}
_opening = asyncio.Lock()


async def shared_engine() -> Engine:
    """The one engine of this process and event loop, opened at the first call."""
    key = id(asyncio.get_running_loop())
    async with _opening:
        if key not in _shared:
            stack = AsyncExitStack()
            engine = await stack.enter_async_context(open_engine())
            _shared[key] = (engine, stack)
            settle_collector()
    return _shared[key][0]


async def close_shared_engine() -> None:
    """Close this loop's engine, if it was opened."""
    found = _shared.pop(id(asyncio.get_running_loop()), None)
    if found is not None:
        await found[1].aclose()
