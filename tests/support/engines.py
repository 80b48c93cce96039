"""Engines for tests: settings for a test database, scripts for a model, and what a person does in one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from pydantic import SecretStr

from context.derived import Evidence, MemoryRecord
from context.scope import Scope
from context.truth import ChatMessage, ChatSession, MessageRole, Note
from context.types import KnowledgeLayer, MemoryType, Status
from engine.engine import Engine
from engine.settings import ChatSettings, ModelSettings, Settings
from graphs.runs import run_turn
from storage import sessions
from tests.support.cluster import Database
from tests.support.openai_replies import Fault, Json, Reply
from tests.support.openai_script import Body

PLAN = {"task_type": "informational", "queries": [], "enough_context": False}
"""What the scripted model answers to intent analysis unless a test says otherwise: look up, in the user's words."""


def settings_for(database: Database, home: Path, **more: Any) -> Settings:
    """Settings of an engine on a test database, without a chat model unless `more` names one.

    Args:
        home: a folder for assets.
        more: any field of `Settings`.
    """
    values: dict[str, Any] = {
        "database_url": SecretStr(database.app),
        "admin_url": SecretStr(database.admin),
        "worker_url": SecretStr(database.worker),
        "home": home,
        "pool_size": 24,
        "tenant": "acme",
        "user": "ann",
        "chat": ChatSettings(busy_wait=20.0, commit_after_messages=0),
        "models": ModelSettings(retries=0),
    }
    return Settings(_env_file=None, **{**values, **more})


def by_request(
    answers: Sequence[Reply] | Callable[[Body], Reply] = (),
    *,
    plan: Reply | None = None,
    summary: Reply | None = None,
    memories: Callable[[Body], Reply] | Reply | None = None,
) -> Callable[[Body], Reply]:
    """A script that tells requests apart by the schema they ask for; `answers` are the chat's own replies in order.

    Args:
        plan: answer to intent analysis. summary: to summarize. memories: to extraction.
    """
    waiting = list(answers) if not callable(answers) else []

    def reply(body: Body) -> Reply:
        schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("name")
        if schema == "PlannedTurn":
            return plan or Json(PLAN)
        if schema == "StructuredSummary":
            return summary or Json({"abstract": "A talk.", "overview": "They talked.", "session_overview": "A talk."})
        if schema == "ProposedMemories":
            found = memories(body) if callable(memories) else memories
            return found or Json({"candidates": [], "reason": "nothing lasting was said"})
        if callable(answers):
            return answers(body)
        return waiting.pop(0) if waiting else Fault("status", status=500, code="script_used_up")

    return reply


async def save_note(engine: Engine, scope: Scope, body: str, *, title: str = "", note_id: UUID | None = None) -> Note:
    """A note as the product saves it: with its material, in one transaction."""
    note = Note(note_id=note_id or uuid4(), title=title or body[:20], body=body)
    async with engine.database.transaction(scope) as tx:
        return (await engine.projector.save_note(tx, note)).note


async def tell(engine: Engine, scope: Scope, *texts: str, session_id: UUID | None = None) -> UUID:
    """Store what a user said, without any answer; the session's id."""
    session_id = session_id or uuid4()
    said = [
        ChatMessage(message_id=uuid4(), role=MessageRole.USER, content=text, sent_at=engine.now()) for text in texts
    ]
    async with engine.database.transaction(scope) as tx:
        await sessions.create(tx, ChatSession(session_id=session_id, agent=scope.agent))
        await sessions.append(tx, session_id, said)
    return session_id


async def ask(engine: Engine, scope: Scope, text: str, session_id: UUID | None = None) -> dict[str, Any]:
    """One turn through the chat graph; its final state."""
    state: dict[str, Any] = {}
    async for part in run_turn(engine, scope, session_id or uuid4(), text):
        if part.kind == "end":
            state = part.value
    return state


def answer_of(state: Mapping[str, Any]) -> str:
    """The words of a turn's answer."""
    return str(state["messages"][-1].text)


def memory_record(abstract: str, *sources: str, memory_id: UUID | None = None, agent: str = "") -> MemoryRecord:
    """A memory that rests on these addresses."""
    return MemoryRecord(
        memory_id=memory_id or uuid4(),
        version=1,
        memory_type=MemoryType.CASE if agent else MemoryType.ENTITY,
        merge_key=f"ENTITY|{abstract}|",
        status=Status.CURRENT,
        layer=KnowledgeLayer.USER,
        abstract=abstract,
        overview=abstract,
        content=abstract,
        confidence=0.9,
        subject="it",
        facet="word",
        language="en",
        agent=agent,
        evidence=tuple(Evidence(source_uri=uri, quote=abstract, statement=abstract) for uri in sources),
    )
