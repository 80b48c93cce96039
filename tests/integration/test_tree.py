"""The tree above the material: its texts come from its children, and nothing of what was deleted stays in them."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from context.derived import ContextNode
from context.scope import Scope
from context.truth import ChatMessage, ChatSession, MessageRole, Note
from context.types import ContextLevel, ContextType, KnowledgeLayer, MemoryType, SpaceType, Visibility
from context.uri import folder_uri, memory_type_uri, memory_uri, session_uri, user_root
from engine.engine import Engine
from memory.erasure import delete_notes
from resources import described, tree
from resources.described import Kept
from resources.material import container_node, digest_of, tree_source
from resources.vectors import fill_vectors
from storage import catalog, clock, containers, sessions, traces
from storage.catalog import IndexedNode
from tests.support import cluster

CANARY = "kanarik"


async def save(
    engine: Engine, scope: Scope, title: str, folder: str, *, body: str = "", note_id: UUID | None = None
) -> Note:
    note = Note(note_id=note_id or uuid4(), title=title, body=body or f"About {title}.", folder=folder)
    async with engine.database.transaction(scope) as tx:
        return (await engine.projector.save_note(tx, note)).note


async def delete(engine: Engine, scope: Scope, *notes: Note) -> None:
    async with engine.database.transaction(scope) as tx:
        await delete_notes(tx, [note.note_id for note in notes], engine=engine.engine_id, assets=engine.assets)


async def refresh(engine: Engine, scope: Scope) -> list[str]:
    async with engine.database.transaction(scope) as tx:
        return await tree.refresh(tx, engine=engine.engine_id, quiet=0, longest=0)


async def node(engine: Engine, scope: Scope, uri: object) -> ContextNode | None:
    async with engine.database.transaction(scope) as tx:
        return (await catalog.live_nodes(tx, [str(uri)])).get(str(uri))


async def texts(engine: Engine, scope: Scope, uri: object) -> str:
    found = await node(engine, scope, uri)
    assert found is not None
    return f"{found.title}\n{found.abstract}\n{found.overview or ''}"


def folder(scope: Scope, path: str = "") -> str:
    return str(folder_uri(scope.user, path))


async def archive(
    engine: Engine, scope: Scope, session_id: UUID, title: str, said: str, visibility: Visibility
) -> None:
    session = ChatSession(session_id=session_id, title=title)
    message = ChatMessage(message_id=uuid4(), role=MessageRole.USER, content=said, sent_at=engine.now())
    async with engine.database.transaction(scope) as tx:
        await sessions.create(tx, session)
        stored = await sessions.append(tx, session_id, [message])
        miv = await clock.advance(tx, engine=engine.engine_id)
        await engine.projector.archive_stage(tx, session, stored, miv=miv, visibility=visibility)


async def test_texts_come_from_the_children_up_to_the_root(engine: Engine, scope: Scope) -> None:
    await save(engine, scope, "周会", "work/出海", body="我们决定采用方案乙。")
    await save(engine, scope, "预算", "work/出海")
    before = await node(engine, scope, folder(scope, "work/出海"))
    assert before is not None and before.abstract == "出海"

    due = await refresh(engine, scope)
    assert due == [folder(scope, "work/出海"), folder(scope, "work"), folder(scope), str(user_root(scope.user))]
    told = await node(engine, scope, folder(scope, "work/出海"))
    assert told is not None
    assert told.abstract == "出海（2 项）：我们决定采用方案乙；预算"
    assert told.overview is not None and "- 周会" in told.overview and "- 预算" in told.overview
    assert told.written_by == "rule"
    assert "方案乙" in await texts(engine, scope, folder(scope, "work"))
    assert await refresh(engine, scope) == []


async def test_telling_again_changes_no_version(engine: Engine, database: cluster.Database, scope: Scope) -> None:
    await save(engine, scope, "Plan", "work")
    await refresh(engine, scope)
    before = database.table("pm.context_catalog")
    async with engine.database.transaction(scope) as tx:
        await containers.touch(tx, await containers.all_uris(tx))
    assert await refresh(engine, scope)
    assert database.table("pm.context_catalog") == before


async def test_a_deleted_note_leaves_no_word_in_any_version_above_it(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    await save(engine, scope, "Plan", "work/secret")
    gone = await save(engine, scope, "First title", "work/secret", body=f"We decided on {CANARY}.")
    await refresh(engine, scope)
    gone = await save(engine, scope, f"The {CANARY}", "other/place", body=f"{CANARY} again.", note_id=gone.note_id)
    await refresh(engine, scope)
    gone = await save(engine, scope, f"The {CANARY}", "work/secret", note_id=gone.note_id)
    uri = folder(scope, "work/secret")
    async with engine.database.transaction(scope) as tx:
        await described.keep(
            tx, described.DESCRIBE, tree_source(uri), "key", Kept(abstract=CANARY, overview=CANARY, written_by="m")
        )
    await refresh(engine, scope)
    assert engine.embedder is not None
    await fill_vectors(engine.database, scope, engine.embedder)
    told = database.rows(f"select uri from pm.context_catalog c where source_id like 'tree:%' and c::text ~ '{CANARY}'")  # noqa: S608
    assert {row[0] for row in told} >= {uri, folder(scope, "work"), folder(scope, "other"), folder(scope)}
    assert "pm.model_output" in database.tables_with(CANARY)

    await delete(engine, scope, gone)
    assert database.tables_with(CANARY) == set()
    orphans = "select 1 from pm.{} p where not exists (select from pm.context_catalog c where c.vid = p.vid)"
    assert [database.rows(orphans.format(table)) for table in ("posting", "vector")] == [[], []]
    blank = "select vid from pm.context_catalog where source_id like 'tree:%' and abstract = title and vid in"
    assert database.rows(f"{blank} (select vid from pm.vector)") == []  # noqa: S608
    assert (await texts(engine, scope, uri)).startswith("secret\nsecret (1 item): Plan")
    assert "- secret (1 item): Plan" in await texts(engine, scope, folder(scope, "work"))


async def test_empty_folders_go_with_their_parents_and_a_folder_with_a_note_stays(engine: Engine, scope: Scope) -> None:
    alone = await save(engine, scope, "Alone", "a/b/c")
    kept = await save(engine, scope, "Kept", "a")
    await refresh(engine, scope)
    await delete(engine, scope, alone)
    assert await node(engine, scope, folder(scope, "a/b/c")) is None
    assert await node(engine, scope, folder(scope, "a/b")) is None
    assert (await texts(engine, scope, folder(scope, "a"))).startswith("a\na (1 item): Kept\n")
    await delete(engine, scope, kept)
    assert await node(engine, scope, folder(scope, "a")) is None
    root = await node(engine, scope, user_root(scope.user))
    assert root is not None and root.overview is None
    await save(engine, scope, "Back", "a/b")
    await refresh(engine, scope)
    assert "Back" in await texts(engine, scope, folder(scope, "a/b"))


async def test_a_folder_that_has_only_folders_left_stays(engine: Engine, scope: Scope) -> None:
    above = await save(engine, scope, "Above", "a")
    await save(engine, scope, "Below", "a/b")
    await refresh(engine, scope)
    await delete(engine, scope, above)
    assert "Above" not in await texts(engine, scope, folder(scope, "a"))
    assert "b (1 item): Below" in await texts(engine, scope, folder(scope, "a"))


async def test_a_note_that_moves_changes_both_folders(engine: Engine, scope: Scope) -> None:
    note = await save(engine, scope, "Plan", "old")
    await save(engine, scope, "Stays", "old")
    await refresh(engine, scope)
    async with engine.database.transaction(scope) as tx:
        await engine.projector.save_note(tx, replace(note, folder="new"))
    assert set(await refresh(engine, scope)) >= {folder(scope, "old"), folder(scope, "new"), folder(scope)}
    assert "Plan" not in await texts(engine, scope, folder(scope, "old"))
    assert "Stays" in await texts(engine, scope, folder(scope, "old"))
    assert "Plan" in await texts(engine, scope, folder(scope, "new"))


async def test_a_session_bears_its_title_and_tells_only_of_stages_that_all_may_see(
    engine: Engine, scope: Scope
) -> None:
    session_id = uuid4()
    await archive(
        engine, scope, session_id, "Trip to Kyoto", f"We decided to keep {CANARY} here.", Visibility.SESSION_ONLY
    )
    await refresh(engine, scope)
    uri = session_uri(scope.user, session_id)
    assert await texts(engine, scope, uri) == "Trip to Kyoto\nTrip to Kyoto\n"
    await archive(engine, scope, session_id, "Trip to Kyoto", "We decided to go by train.", Visibility.PRIVATE)
    await refresh(engine, scope)
    found = await node(engine, scope, uri)
    assert found is not None and found.title == "Trip to Kyoto"
    assert found.abstract == "Trip to Kyoto (1 item): We decided to go by train."
    for above in tree.above([str(uri)]):
        assert CANARY not in await texts(engine, scope, above), above
    assert "Trip to Kyoto" in await texts(engine, scope, user_root(scope.user).child("sessions"))


@pytest.mark.parametrize("agent", ["", "planner"])
async def test_a_memory_of_one_agent_is_quoted_by_no_container(engine: Engine, scope: Scope, agent: str) -> None:
    memory_id, said = uuid4(), f"They like {CANARY}."
    kind = memory_type_uri(scope.user, MemoryType.PREFERENCE)
    leaf = ContextNode(
        uri=str(memory_uri(scope.user, MemoryType.PREFERENCE, memory_id)),
        parent_uri=str(kind),
        level=ContextLevel.DETAIL,
        is_leaf=True,
        context_type=ContextType.MEMORY,
        space=SpaceType.USER,
        layer=KnowledgeLayer.USER,
        source_type=None,
        source_id=str(memory_id),
        abstract=said,
        digest=digest_of(said),
        agent=agent,
    )
    above = [
        container_node(kind, user_root(scope.user).child("memories"), "PREFERENCE", ContextType.MEMORY),
        container_node(user_root(scope.user).child("memories"), user_root(scope.user), "memories", ContextType.MEMORY),
        container_node(user_root(scope.user), None, scope.user, ContextType.RESOURCE),
    ]
    mine = replace(scope, agent=agent)
    async with engine.database.transaction(mine) as tx:
        miv = await clock.advance(tx, engine=engine.engine_id)
        await catalog.insert(tx, [IndexedNode(node=item, terms={}) for item in (leaf, *above)], miv=miv)
        await containers.touch(tx, tree.above([str(kind)]))
    await refresh(engine, mine)  # also when that agent's own work makes the texts
    quoted = [CANARY in await texts(engine, scope, item.uri) for item in above]
    assert quoted == [not agent, not agent, False]


async def test_a_model_s_text_stays_while_its_children_do_and_falls_back_to_the_rule(
    engine: Engine, database: cluster.Database, scope: Scope
) -> None:
    first = await save(engine, scope, "Plan", "work")
    await refresh(engine, scope)
    uri = folder(scope, "work")
    async with engine.database.transaction(scope) as tx:
        stands = (await catalog.live_nodes(tx, [uri]))[uri]
        key = tree.key_of_children(stands, *await catalog.children(tx, uri, limit=200))
        said = Kept(abstract="Plans of the year.", overview="All of them.", written_by="a model")
        await described.keep(tx, described.DESCRIBE, tree_source(uri), key, said)
        await containers.touch(tx, [uri])
    await refresh(engine, scope)
    told = await node(engine, scope, uri)
    assert told is not None and (told.abstract, told.written_by) == ("Plans of the year.", "a model")

    await save(engine, scope, "Budget", "work")
    await refresh(engine, scope)
    told = await node(engine, scope, uri)
    assert told is not None and told.written_by == "rule" and "Budget" in told.abstract

    async with engine.database.transaction(scope) as tx:
        assert await traces.model_outputs_of(tx, task=described.DESCRIBE, source_ids=[tree_source(uri)])
    await delete(engine, scope, first)
    async with engine.database.transaction(scope) as tx:
        assert not await traces.model_outputs_of(tx, task=described.DESCRIBE, source_ids=[tree_source(uri)])
    assert database.rows("select 1 from pm.context_catalog where written_by <> 'rule'") == []
