"""How long a commit of twenty messages takes with the offline rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

from context.truth import ChatMessage, ChatSession, MessageRole
from evaluation.samples import Samples
from evaluation.stores import Store
from graphs.runs import run_commit
from storage import sessions

MESSAGES = 20

_SAID = (
    "我叫李雷，住在{zh}。",
    "I work as a {en_job} at Northwind.",
    "我对花生过敏，也不喝酒。",
    "We decided to move the launch to {day} March 2027.",
    "我们决定{day}号之前完成迁移。",
    "I prefer short answers with a list.",
    "我喜欢{zh_like}，每周去两次。",
    "My sister Clara moved to {en} last month.",
    "我在做 PocketMind 的重构项目。",
    "What was the result of the last review?",
)
_PLACES = (("杭州", "Lisbon"), ("成都", "Turin"), ("厦门", "Leeds"), ("大连", "Ghent"), ("昆明", "Malmö"))
_LIKES = (("羽毛球", "nurse"), ("游泳", "baker"), ("爬山", "designer"), ("书法", "teacher"), ("摄影", "plumber"))


@dataclass(slots=True)
class CommitTimes:
    """Milliseconds of each commit, and the report of each."""

    whole: Samples = field(default_factory=Samples)
    stats: list[dict[str, Any]] = field(default_factory=list)


async def time_commits(store: Store, *, commits: int) -> CommitTimes:
    """Commit so many sessions of twenty messages each; what they state differs, so later ones merge and supersede."""
    times = CommitTimes()
    engine, scope = store.engine, store.scope
    for number in range(commits):
        session_id = uuid4()
        async with engine.database.transaction(scope) as tx:
            await sessions.create(tx, ChatSession(session_id=session_id))
            await sessions.append(tx, session_id, _talk(number, store))
        with times.whole.timed():
            result = await run_commit(engine, scope, session_id=session_id)
        times.stats.append({"state": result["state"], **result["stats"]})
    return times


def _talk(number: int, store: Store) -> list[ChatMessage]:
    zh, en = _PLACES[number % len(_PLACES)]
    zh_like, en_job = _LIKES[number % len(_LIKES)]
    values = {"zh": zh, "en": en, "zh_like": zh_like, "en_job": en_job, "day": 3 + number % 20}
    now = store.engine.now()
    messages = []
    for place, text in enumerate(_SAID):
        said = text.format(**values)
        for role, content in ((MessageRole.USER, said), (MessageRole.ASSISTANT, "好的。 / Noted.")):
            at = now + timedelta(seconds=2 * place + (role is MessageRole.ASSISTANT))
            messages.append(ChatMessage(message_id=uuid4(), role=role, content=content, sent_at=at))
    return messages
