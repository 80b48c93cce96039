"""Engines for tests: settings for a test database, scripts for a model, and what a person does in one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from pydantic import SecretStr

from context.scope import Scope
from context.truth import ChatMessage, ChatSession, MessageRole, Note
from engine.engine import Engine
from engine.settings import ChatSettings, ModelSettings, Settings
from storage import sessions
from tests.support.cluster import Database
from tests.support.openai_replies import Fault, Json, Reply
from tests.support.openai_script import Body

PLAN = {
    "task_type": "informational",
    "queries": [{"query": "what is asked", "context_type": "MEMORY", "intent": "look up", "priority": 1}],
    "enough_context": False,
}
"""What the scripted model answers to intent analysis unless a test says otherwise."""


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
        "pool_size": 8,
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
