"""Commits with a chat model behind a scripted endpoint: what it proposes is checked, what it breaks is survived."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any
from uuid import UUID, uuid4

import pytest

from context.errors import ModelUnavailable
from context.scope import Scope
from context.truth import ChatMessage, MessageRole
from context.types import MemoryType, Status
from engine.engine import Engine
from graphs.runs import run_commit
from storage import memories, sessions
from tests.conftest import OnlineEngine
from tests.support.engines import by_request, tell
from tests.support.openai_replies import Fault, Json, Reply
from tests.support.openai_script import Body


def proposal(abstract: str, message_id: str, quote: str, **more: Any) -> dict[str, Any]:
    """One candidate as a model proposes it."""
    return {
        "type": "ENTITY",
        "abstract": abstract,
        "overview": abstract,
        "subject": "Rex",
        "facet": abstract,
        "evidence": [{"message_id": message_id, "quote": quote}],
        "event_time": None,
        "language": "en",
        "negated": False,
        "confidence": 0.9,
        **more,
    }


def proposing(*candidates: dict[str, Any]) -> Json:
    return Json({"candidates": list(candidates), "reason": ""})


async def talk(engine: Engine, scope: Scope, *lines: tuple[MessageRole, str]) -> UUID:
    session_id = await tell(engine, scope)
    async with engine.database.transaction(scope) as tx:
        await sessions.append(
            tx,
            session_id,
            [ChatMessage(message_id=uuid4(), role=role, content=text, sent_at=engine.now()) for role, text in lines],
        )
    return session_id


async def remembered(engine: Engine, scope: Scope) -> list[str]:
    async with engine.database.transaction(scope) as tx:
        return sorted(m.abstract for m in await memories.list_memories(tx, statuses=[Status.CURRENT]))


USER, ASSISTANT = MessageRole.USER, MessageRole.ASSISTANT
TALK = (
    (USER, "Rex, the office dog, sleeps under my desk."),
    (ASSISTANT, "Rex must weigh forty kilos by now."),
    (USER, "> Rex bites postmen\nThat is what the flyer says. My key is sk-abcdefghijklmnopqrstuvwx123456."),
    (USER, "雷克斯最喜欢的玩具是一只黄色的球。" + "他每天都玩。" * 40),
)
GOOD = proposal("Rex sleeps under the desk", "m1", "sleeps  under\nmy desk")
CHINESE = proposal("雷克斯最喜欢黄色的球", "m4", "最喜欢的玩具是一只黄色的球", language="zh", subject="雷克斯")

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "the assistant's claim": (
        proposal("Rex weighs forty kilos", "m2", "Rex must weigh forty kilos"),
        "evidence is not in the user's own words",
    ),
    "an invented quote": (proposal("Rex is brown", "m1", "Rex is brown"), "quote not found in the cited message"),
    "a quote of another message": (
        proposal("Rex likes a ball", "m1", "最喜欢的玩具是一只黄色的球"),
        "quote not found in the cited message",
    ),
    "an id that is not in this stage": (
        proposal("Rex is old", "m9", "Rex"),
        "evidence cites a message that is not in this stage",
    ),
    "another user's message id": (
        proposal("Bob is allergic", "BOB", "I am allergic to nuts"),
        "evidence cites a message that is not in this stage",
    ),
    "no evidence": (proposal("Rex is old", "m1", "", evidence=[]), "no evidence"),
    "an empty quote": (proposal("Rex is old", "m1", "   "), "quote not found in the cited message"),
    "a quoted line": (proposal("Rex bites", "m3", "Rex bites postmen"), "evidence is quoted material"),
    "a secret": (proposal("The key", "m3", "My key is sk-abcdefghijklmnopqrstuvwx123456"), "secret"),
    "a copy of a message": (proposal("All of it", "m4", TALK[3][1]), "copy of a whole message"),
    "an unknown type": (proposal("Rex sleeps", "m1", "sleeps under my desk", type="RULE"), "unknown type"),
    "no facet": (proposal("Rex sleeps", "m1", "sleeps under my desk", facet="  "), "empty abstract or facet"),
}


async def test_good_candidates_are_kept_and_every_bad_one_is_refused_with_its_reason(
    online_engine: OnlineEngine, scope: Scope, other_user: Scope
) -> None:
    theirs: list[str] = []

    def memories_of(body: Body) -> Reply:
        text = json.dumps([GOOD, CHINESE, *(candidate for candidate, _ in BAD.values())], ensure_ascii=False)
        return proposing(*json.loads(text.replace("BOB", theirs[0])))

    async with online_engine(by_request(memories=memories_of)) as (engine, server):
        bob = await talk(engine, other_user, (USER, "I am allergic to nuts."))
        async with engine.database.transaction(other_user) as tx:
            theirs.append(str((await sessions.messages(tx, bob))[0].message_id))
        done = await run_commit(engine, scope, session_id=await talk(engine, scope, *TALK))
        assert await remembered(engine, scope) == sorted([GOOD["abstract"], CHINESE["abstract"]])
        assert done["state"] == "done"
        quarantined = [row for row in done["outcomes"] if row["outcome"] == "quarantined"]
        assert Counter(row["reason"] for row in quarantined) == Counter(reason for _, reason in BAD.values())
        assert all(row["memory_id"] is None for row in quarantined)
        async with engine.database.transaction(scope) as tx:
            found = await memories.by_types(tx, [MemoryType.ENTITY])
            (said, *_, last) = await sessions.messages(tx, (await sessions.list_sessions(tx))[0].session_id)
        quotes = {memory.abstract: memory.evidence[0] for memory in found}
        assert quotes[GOOD["abstract"]].quote in said.content, "as it stands there, not as the model repeated it"
        assert quotes[CHINESE["abstract"]].quote in last.content
        assert not server.unexpected


async def test_what_a_model_forgets_the_rules_still_find(online_engine: OnlineEngine, scope: Scope) -> None:
    async with online_engine(by_request(memories=proposing(GOOD))) as (engine, _):
        lines = ((USER, TALK[0][1]), (USER, "记住：我对花生过敏"))
        await run_commit(engine, scope, session_id=await talk(engine, scope, *lines))
        assert await remembered(engine, scope) == sorted([GOOD["abstract"], "对花生过敏"])


@pytest.mark.parametrize("fault", [Fault("status", status=429), Fault("status", status=503), Fault("cut", after=1)])
async def test_an_outage_leaves_the_commit_to_be_tried_again(
    online_engine: OnlineEngine, scope: Scope, fault: Fault
) -> None:
    replies: list[Reply] = [fault, proposing(GOOD)]
    asked: list[str] = []

    def memories_of(body: Body) -> Reply:
        asked.append("extraction")
        return replies.pop(0)

    async with online_engine(by_request(memories=memories_of)) as (engine, server):
        session_id = await talk(engine, scope, TALK[0])
        with pytest.raises(ModelUnavailable) as failed:
            await run_commit(engine, scope, session_id=session_id)
        assert failed.value.retryable
        assert await remembered(engine, scope) == []
        done = await run_commit(engine, scope, session_id=session_id)
        assert (done["state"], done["stats"]["memories_extracted"]) == ("done", 1)
        assert await remembered(engine, scope) == [GOOD["abstract"]]
        assert len(asked) == 2
        summaries = [body for body in server.requests if "StructuredSummary" in json.dumps(body)]
        assert len(summaries) == 1, "what was done before the outage is not asked again"


@pytest.mark.parametrize("kind", ["prose", "wrong_schema", "broken_json", "truncated", "refusal"])
async def test_an_answer_that_cannot_be_read_leaves_the_rules_and_says_so(
    online_engine: OnlineEngine, scope: Scope, kind: Any
) -> None:
    script = by_request(summary=Fault(kind, text="error"), memories=Fault(kind, text="error"))
    async with online_engine(script) as (engine, _):
        session_id = await talk(engine, scope, (USER, "记住：我对花生过敏"), (ASSISTANT, "好的。"))
        done = await run_commit(engine, scope, session_id=session_id)
        assert done["state"] == "partial"
        assert "summary by rule" in done["reason"] and "extraction by rule alone" in done["reason"]
        assert await remembered(engine, scope) == ["对花生过敏"]
        async with engine.database.transaction(scope) as tx:
            overview = (await sessions.get(tx, session_id)).overview
        assert "花生" in overview and "error" not in overview, "no error text becomes a summary"


async def test_an_answer_is_repaired_once(online_engine: OnlineEngine, scope: Scope) -> None:
    replies: list[Reply] = [Fault("prose"), proposing(GOOD)]

    def memories_of(body: Body) -> Reply:
        return replies.pop(0)

    async with online_engine(by_request(memories=memories_of)) as (engine, _):
        done = await run_commit(engine, scope, session_id=await talk(engine, scope, TALK[0]))
        assert done["state"] == "done"
        assert replies == []


async def test_a_commit_asks_a_model_twice_however_much_was_said(online_engine: OnlineEngine, scope: Scope) -> None:
    many = proposing(*(proposal(f"Rex fact {n}", "m1", "Rex, the office dog") for n in range(60)))
    async with online_engine(by_request(memories=many)) as (engine, server):
        done = await run_commit(engine, scope, session_id=await talk(engine, scope, *(TALK[0],) * 20))
        assert len(server.requests) == 2
        assert done["stats"]["memories_extracted"] == 40, "no more than the prompt allows"
