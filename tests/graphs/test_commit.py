"""Whole commits without a chat model: what a session leaves behind, once, with its sources."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from langchain_core.runnables import RunnableConfig

from context.derived import MemoryRecord
from context.errors import ConflictError, InvalidInputError, NotFoundError
from context.scope import Scope, entered
from context.types import MemoryType, Status
from context.uri import memory_uri, message_uri
from engine.engine import Engine
from graphs.chat import compile_chat
from graphs.commit import compile_commit
from graphs.runs import run_commit
from memory.dedup import facts_of
from storage import memories, refs, sessions
from tests.support import cluster
from tests.support.engines import answer_of, ask, tell


async def remembered(engine: Engine, scope: Scope, *statuses: Status) -> list[MemoryRecord]:
    async with engine.database.transaction(scope) as tx:
        return await memories.list_memories(tx, statuses=statuses or [Status.CURRENT])


async def commit(engine: Engine, scope: Scope, *texts: str) -> dict[str, Any]:
    """A session in which the user says these things, committed."""
    return await run_commit(engine, scope, session_id=await tell(engine, scope, *texts))


@pytest.mark.parametrize(
    ("said", "memory_type", "abstract"),
    [
        ("记住：我对花生过敏", MemoryType.PROFILE, "对花生过敏"),
        ("I'm allergic to peanuts.", MemoryType.PROFILE, "Is allergic to peanuts"),
        ("我爱吃辣", MemoryType.PREFERENCE, "爱吃辣"),
        ("I prefer short answers", MemoryType.PREFERENCE, "Prefers short answers"),
        ("2027年5月3日我们决定发布", MemoryType.EVENT, "2027年5月3日我们决定发布 (2027-05-03)"),
        ("My dog is called Rex", MemoryType.ENTITY, "My dog is called Rex"),
    ],
)
async def test_an_explicit_statement_becomes_a_memory_with_its_source(
    engine: Engine, scope: Scope, said: str, memory_type: MemoryType, abstract: str
) -> None:
    session_id = await tell(engine, scope, "hello there", said, "今天天气不错")
    done = await run_commit(engine, scope, session_id=session_id)
    (memory,) = await remembered(engine, scope)
    assert (memory.memory_type, memory.abstract) == (memory_type, abstract)
    async with engine.database.transaction(scope) as tx:
        messages = await sessions.messages(tx, session_id)
    (evidence,) = memory.evidence
    assert evidence.message_id == messages[1].message_id
    assert evidence.source_uri == str(message_uri(scope.user, session_id, 2))
    assert evidence.quote in messages[1].content
    assert memory.valid_from and memory.mention_time
    assert done["outcomes"] == [
        {
            "digest": done["outcomes"][0]["digest"],
            "type": memory_type.value,
            "outcome": "created",
            "reason": "new" if memory_type is not MemoryType.EVENT else "a new occasion",
            "memory_id": str(memory.memory_id),
        }
    ]


async def test_a_commit_says_how_it_ended_and_why(engine: Engine, scope: Scope) -> None:
    done = await commit(engine, scope, "记住：我对花生过敏")
    assert done["state"] == "partial"
    assert "explicit statements only" in done["reason"]
    assert done["stats"]["memories_extracted"] == 1
    nothing = await commit(engine, scope, "今天下雨。")
    assert (nothing["state"], nothing["stats"]["memories_extracted"]) == ("partial", 0)
    assert "no memory was extracted: the user stated nothing lasting" in nothing["reason"]
    asked = await commit(engine, scope, "What is the weather like?")
    assert "no memory was extracted: sentences were set aside (question: 1)" in asked["reason"]
    known = await commit(engine, scope, "记住：我对花生过敏")
    assert "everything was known already" in known["reason"]


async def test_a_second_commit_does_nothing_and_a_later_message_is_the_next_commit(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    session_id = await tell(engine, scope, "我爱吃辣")
    first = await run_commit(engine, scope, session_id=session_id)
    before = {table: database.table(table) for table in ("pm.memory_records", "pm.event", "pm.context_catalog")}
    again = await run_commit(engine, scope, session_id=session_id)
    assert "commit_id" not in again
    assert "there are no new messages since the last commit" in again["reason"]
    assert await run_commit(engine, scope, commit_id=first["commit_id"]) == first
    assert {table: database.table(table) for table in before} == before
    await tell(engine, scope, "我住在上海", session_id=session_id)
    second = await run_commit(engine, scope, session_id=session_id)
    assert second["commit_id"] != first["commit_id"]
    assert second["stats"]["messages"] == 1


async def test_twenty_commits_at_once_make_one_archive_and_one_memory(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    session_id = await tell(engine, scope, "记住：我对花生过敏", "我爱吃辣")
    ended = await asyncio.gather(
        *(run_commit(engine, scope, session_id=session_id) for _ in range(20)), return_exceptions=True
    )
    failed = [end for end in ended if isinstance(end, BaseException)]
    assert all(isinstance(end, ConflictError) for end in failed), failed
    done = await run_commit(engine, scope, session_id=session_id)
    assert "no new messages" in done["reason"]
    rows = database.rows("select state, stats ->> 'memories_extracted' from pm.session_commit")
    assert rows == [("partial", "2")]
    assert len(await remembered(engine, scope, *Status)) == 2
    stages = "select count(*) from pm.context_catalog where uri like '%%/stages/%%' and died > 1e18 and not is_leaf"
    assert database.rows(stages) == [(1,)]
    kinds = database.rows("select kind, count(*) from pm.event where kind like 'memory%%' group by kind")
    assert kinds == [("memory.created", 2)]


async def test_a_contradiction_supersedes_and_keeps_what_was_with_its_dates(engine: Engine, scope: Scope) -> None:
    for likes, no_more, negated in (
        ("我爱吃辣", "我不再吃辣了", "不再吃辣了"),
        ("I love spicy food", "I don't eat spicy food any more", "Does not eat spicy food any more"),
    ):
        await commit(engine, scope, likes)
        done = await commit(engine, scope, no_more)
        assert [row["outcome"] for row in done["outcomes"]] == ["superseded"]
        (old,) = [m for m in await remembered(engine, scope, Status.SUPERSEDED) if m.evidence[0].quote == likes]
        (new,) = [m for m in await remembered(engine, scope) if m.abstract == negated]
        assert old.superseded_by == new.memory_id
        assert old.valid_from and old.valid_to and new.valid_from
        assert old.valid_from < old.valid_to <= new.valid_from + timedelta(seconds=1)
        async with engine.database.transaction(scope) as tx:
            links = await refs.of(tx, str(memory_uri(scope.user, new.memory_type, new.memory_id)))
            versions = await memories.history(tx, old.memory_id)
        assert ("supersedes", str(memory_uri(scope.user, old.memory_type, old.memory_id))) in links
        assert [version.status for version in versions] == [Status.CURRENT, Status.SUPERSEDED]


@pytest.mark.parametrize("known", [[], ["我爱吃辣"], ["我不再吃辣了"]])
@pytest.mark.parametrize(
    ("said", "last"),
    [
        (["我爱吃辣", "我不再吃辣了"], "不再吃辣了"),
        (["我不再吃辣了", "我爱吃辣"], "爱吃辣"),
        (["我爱吃辣", "我不再吃辣了", "我喜欢吃辣"], "喜欢吃辣"),
    ],
)
async def test_a_session_that_changes_its_mind_ends_with_the_last_word(
    engine: Engine, scope: Scope, known: list[str], said: list[str], last: str
) -> None:
    for text in known:
        await commit(engine, scope, text)
    await commit(engine, scope, *said)
    assert [memory.abstract for memory in await remembered(engine, scope)] == [last]
    ended = await remembered(engine, scope, Status.SUPERSEDED)
    assert all(memory.superseded_by and memory.valid_to for memory in ended)
    quotes = {evidence.quote for memory in await remembered(engine, scope, *Status) for evidence in memory.evidence}
    assert quotes == {*known, *said}, "no source is lost"


async def test_the_same_fact_from_two_sessions_is_one_memory_with_two_sources(engine: Engine, scope: Scope) -> None:
    await commit(engine, scope, "我爱吃辣")
    first = (await remembered(engine, scope))[0]
    done = await commit(engine, scope, "我喜欢吃辣")
    assert [row["outcome"] for row in done["outcomes"]] == ["skipped"]
    (memory,) = await remembered(engine, scope)
    assert (memory.memory_id, memory.abstract) == (first.memory_id, first.abstract)
    assert [e.quote for e in memory.evidence] == ["我爱吃辣", "我喜欢吃辣"]
    assert memory.confidence > first.confidence
    await commit(engine, scope, "我爱吃辣", "我爱吃辣")
    assert len((await remembered(engine, scope))[0].evidence) == 4


async def test_facts_about_one_person_merge_and_a_newer_value_replaces_the_older(engine: Engine, scope: Scope) -> None:
    await commit(engine, scope, "我住在上海", "我对花生过敏")
    (memory,) = await remembered(engine, scope)
    assert {fact.facet for fact in facts_of(memory)} == {"residence", "allergy:花生"}
    await commit(engine, scope, "我住在杭州")
    (memory,) = await remembered(engine, scope)
    assert {fact.statement for fact in facts_of(memory)} == {"住在杭州", "对花生过敏"}
    assert "住在上海" in memory.content and "住在上海" not in memory.abstract
    assert [e.quote for e in memory.evidence] == ["我住在上海", "我对花生过敏", "我住在杭州"]
    assert memory.version == 2


async def test_events_are_recorded_each_on_its_own(engine: Engine, scope: Scope) -> None:
    await commit(engine, scope, "2027年5月3日我们决定发布", "2027年5月3日我们决定换供应商")
    await commit(engine, scope, "2027年5月4日我们决定发布")
    events = await remembered(engine, scope)
    assert {(e.abstract[:10], str(e.event_time)[:10]) for e in events} == {
        ("2027年5月3日我", "2027-05-03"),
        ("2027年5月4日我", "2027-05-04"),
    }
    assert len(events) == 3
    assert all(len(facts_of(event)) == 1 for event in events)


async def test_what_was_deleted_does_not_come_back(engine: Engine, scope: Scope) -> None:
    session_id = await tell(engine, scope, "我爱吃辣", "我住在上海")
    async with engine.database.transaction(scope) as tx:
        await memories.bury(tx, str(message_uri(scope.user, session_id, 1)))
    done = await run_commit(engine, scope, session_id=session_id)
    assert sorted(row["outcome"] for row in done["outcomes"]) == ["created", "refused"]
    assert [memory.abstract for memory in await remembered(engine, scope)] == ["住在上海"]


async def test_what_the_assistant_says_is_no_memory_of_the_user(engine: Engine, scope: Scope) -> None:
    session_id = uuid4()
    await ask(engine, scope, "你好，你喜欢吃什么？", session_id)
    await ask(engine, scope, "> 我爱吃辣\n这句话是谁说的？", session_id)
    await run_commit(engine, scope, session_id=session_id)
    assert await remembered(engine, scope) == []


async def test_a_use_is_counted_once_for_each_commit(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    await commit(engine, scope, "记住：我对花生过敏")
    session_id = uuid4()
    for _ in range(2):
        state = await ask(engine, scope, "我对什么过敏？", session_id)
        assert any("/memories/PROFILE/" in uri for uri in state["answer"]["used"])
    done = await run_commit(engine, scope, session_id=session_id)
    assert done["stats"]["total_turns"] == 2
    assert done["stats"]["contexts_used"] >= 1
    uses = "select uri, count(*) from pm.usage_event where uri like '%%/memories/PROFILE/%%' group by uri"
    assert [count for _, count in database.rows(uses)] == [1]
    await run_commit(engine, scope, session_id=session_id)
    assert [count for _, count in database.rows(uses)] == [1]
    await ask(engine, scope, "我对什么过敏？", session_id)
    await run_commit(engine, scope, session_id=session_id)
    assert [count for _, count in database.rows(uses)] == [2]


async def test_a_memory_superseded_after_the_pin_is_not_injected_and_neither_is_its_successor(
    engine: Engine, scope: Scope
) -> None:
    await commit(engine, scope, "我爱吃辣")
    graph, config = compile_chat(engine), RunnableConfig(configurable={"thread_id": str(uuid4())}, run_id=uuid4())
    given = {"messages": [{"role": "user", "content": "我喜欢吃辣吗？"}]}
    for node in ("assemble_context", "call_model"):
        with entered(scope):
            await graph.ainvoke(given, config, interrupt_before=[node])
            assert any("/PREFERENCE/" in match["uri"] for match in (await graph.aget_state(config)).values["matches"])
        await commit(engine, scope, "我不再吃辣了" if node == "assemble_context" else "我又爱吃辣了，我喜欢吃辣")
        with entered(scope):
            state = await graph.ainvoke(None, config)
        assert "爱吃辣" not in answer_of(state).replace("又爱吃辣了", "") and "不再吃辣" not in answer_of(state), node
        assert "changed_since_snapshot" in [row[1] for row in state["degradations"]], node
        gone = [row["uri"] for row in state["selection"]["ledger"] if row.get("reason") == "changed since snapshot"]
        assert len(gone) == (1 if node == "assemble_context" else 0), "what is known to be gone is not even chosen"
        config = RunnableConfig(configurable={"thread_id": str(uuid4())}, run_id=uuid4())


async def test_a_commit_of_nothing_known_is_refused(engine: Engine, scope: Scope) -> None:
    with pytest.raises(NotFoundError):
        await run_commit(engine, scope, session_id=uuid4())
    for commit_id in (str(uuid4()), "not-an-id", "", "../x"):
        with pytest.raises(NotFoundError):
            await run_commit(engine, scope, commit_id=commit_id)
    graph = compile_commit(engine)
    for given in ({"session_id": "not-an-id"}, {"session_id": ""}, {"session_id": str(UUID(int=0)), "commit_id": "x"}):
        with entered(scope), pytest.raises((InvalidInputError, NotFoundError)):
            await graph.ainvoke(given, {"configurable": {"thread_id": str(uuid4())}})


async def test_a_long_session_is_archived_in_stages(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    session_id = await tell(engine, scope, *(f"message number {number}" for number in range(230)), "我爱吃辣")
    first = await run_commit(engine, scope, session_id=session_id)
    second = await run_commit(engine, scope, session_id=session_id)
    assert (first["stats"]["messages"], second["stats"]["messages"]) == (200, 31)
    assert database.rows("select from_seq, upto_seq from pm.session_commit order by 1") == [(0, 200), (200, 231)]
    assert len(await remembered(engine, scope)) == 1
