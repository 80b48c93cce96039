"""What the nodes work with. `graphs/` takes these from the engine and binds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Protocol

from langchain_core.language_models import BaseChatModel
from langgraph.config import get_config
from langgraph.runtime import Runtime

from context.derived import Pin
from context.scope import Scope
from memory.archive import ArchiveSettings
from memory.tools import MemoryTools
from prompts.library import PromptLibrary
from resources.projector import Projector
from retrievers.assembler import ContextAssembler
from retrievers.hierarchical import CatalogHierarchicalRetriever
from retrievers.intent import IntentAnalyzer
from retrievers.sessions import SessionContextRetriever
from retrievers.skills import SkillRetriever
from skills.catalog import SkillCatalog
from storage.database import Database, Transaction


class ScopeResolver(Protocol):
    """Turns the caller of a run into a scope."""

    def of_run(self, server_user: Any, *, agent: str, configurable: Mapping[str, Any]) -> Scope:
        """The scope of a run; refuses nobody and unknown keys."""
        ...


class PinReader(Protocol):
    """Takes the pin of an answer."""

    async def __call__(self, tx: Transaction, *, seq: int) -> Pin:
        """What an answer is read as of."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """Limits of one turn: messages and tokens of the window, rounds of tools, bytes, seconds."""

    window: int
    window_tokens: int
    tool_rounds: int
    message_bytes: int
    busy_wait: float
    first_token: float
    between_tokens: float
    total: float
    commit_after_messages: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChatParts:
    """Everything a turn needs."""

    database: Database
    scopes: ScopeResolver
    pin: PinReader
    now: Callable[[], datetime]
    fence: Callable[[str], str]
    model: BaseChatModel
    model_name: str
    engine_id: str
    offline: bool
    prompts: PromptLibrary
    intent: IntentAnalyzer
    retriever: CatalogHierarchicalRetriever
    skill_retriever: SkillRetriever
    session_retriever: SessionContextRetriever
    skills: SkillCatalog
    assembler: ContextAssembler
    memory_tools: MemoryTools
    limits: TurnLimits
    archive: ArchiveSettings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CommitParts:
    """Everything a commit needs. `model` is None where explicit statements alone are extracted."""

    database: Database
    scopes: ScopeResolver
    now: Callable[[], datetime]
    fence: Callable[[str], str]
    zone: tzinfo
    engine_id: str
    model: BaseChatModel | None
    model_name: str
    prompts: PromptLibrary
    projector: Projector
    archive: ArchiveSettings
    deadline: float


def scope_of(scopes: ScopeResolver, runtime: Runtime[Any]) -> Scope:
    """Whose run this is. Resolved in every node from the runtime; nothing in state is trusted."""
    user = runtime.server_info.user if runtime.server_info else None
    agent = getattr(runtime.context, "agent", "") or ""
    return scopes.of_run(user, agent=agent, configurable=get_config().get("configurable") or {})
