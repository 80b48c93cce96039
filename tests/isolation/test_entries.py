"""Retrieval, assembly and tools: what a stranger's question finds in one process that has just answered Ann."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import memory
import resources
import retrievers
from context.errors import NotFoundError, PocketMindError
from context.scope import Scope
from context.types import ContextType, TaskType, Visibility
from context.uri import folder_uri, note_uri
from engine.engine import Engine
from memory.erasure import Erased, discard_bytes
from memory.reindex import rebuild_owner
from models.embedders import EmbedderHandle
from resources import background, reading
from resources.describing.describe import describe_container, describe_containers, describe_source
from resources.material import digest_of
from resources.vectors import drop_engine, fill_vectors
from retrievers.assembler import Selection
from retrievers.base import Match, QueryPlan, TypedQuery
from retrievers.disclosure import GateDecision
from skills.catalog import SkillCatalog, SkillRoots
from tests.isolation.conftest import ANN, CANARY, STRANGERS, World, functions_with, refusal

QUESTION = f"{CANARY} greenhouse door code, 花粉过敏"
PLAN = QueryPlan(
    task_type=TaskType.INFORMATIONAL,
    queries=tuple(
        TypedQuery(query=QUESTION, context_type=kind, priority=1) for kind in (ContextType.MEMORY, ContextType.RESOURCE)
    ),
)

Entry = Callable[[Engine, Scope, World], Awaitable[Any]]

ENTRIES: dict[str, Entry] = {
    "assembler.ContextAssembler.render": lambda e, s, w: _rendered(e, s, w),
    "assembler.ContextAssembler.select": lambda e, s, w: _selected(e, s, w),
    "hierarchical.CatalogHierarchicalRetriever.recall": lambda e, s, w: _recalled(e, s, w),
    "hierarchical.CatalogHierarchicalRetriever.retrieve": lambda e, s, w: _retrieved(e, s, w),
    "hierarchical.CatalogHierarchicalRetriever.walk": lambda e, s, w: _walked(e, s, w),
    "sessions.SessionContextRetriever.retrieve": lambda e, s, w: e.session_retriever.retrieve(
        s, w.session_id, QUESTION, before_seq=99
    ),
    "tools.MemoryTools.browse_memory_categories": lambda e, s, w: _browsed(e, s, w),
    "tools.MemoryTools.get_memory_detail": lambda e, s, w: e.memory_tools.get_memory_detail(s, w.memory_id, pin=w.pin),
    "tools.MemoryTools.search_memories": lambda e, s, w: _searched(e, s, w),
    "vectors.fill_vectors": lambda e, s, w: _filled(e, s),
}
"""Every entry above the storage floor that takes a scope, asked with Ann's own ids, words and pin."""

ELSEWHERE = {
    "skills.SkillRetriever.resolve",
    "skills.SkillRetriever.retrieve",
    "rebuilding.files.FileStep.prepare",
    "rebuilding.orphans.erase_nodes",
    "rebuilding.sources.NoteStep.prepare",
    "rebuilding.sources.StageStep.prepare",
    "rebuilding.values.Step.prepare",
}
"""Skills read files, not rows: see below. Steps of a rebuild are asked as a whole: `reindex.rebuild_owner`."""

BACKGROUND: dict[str, Entry] = {
    "background.cut_note": lambda e, s, w: background.cut_note(e.database, s, e.projector, w.note_id),
    "background.embed": lambda e, s, w: background.embed(e.database, s, _unseen(e, s), most=9),
    "background.follow": lambda e, s, w: background.follow(e.database, s),
    "background.container_of": lambda e, s, w: background.container_of(
        e.database, s, digest_of(str(folder_uri(ANN.user, CANARY))).hex()
    ),
    "background.tell_containers": lambda e, s, w: background.tell_containers(e.database, s, e.projector, quiet=0),
    "describing.describe.describe_container": lambda e, s, w: describe_container(
        e.database, s, uri=str(folder_uri(ANN.user, CANARY)), **_describing(e)
    ),
    "describing.describe.describe_containers": lambda e, s, w: describe_containers(
        e.database, s, uris=[str(folder_uri(ANN.user, CANARY))], **_describing(e)
    ),
    "describing.describe.describe_source": lambda e, s, w: describe_source(
        e.database, s, source_id=str(w.note_id), **_describing(e)
    ),
    "erasure.discard_bytes": lambda e, s, w: _discarded(e, s, w),
    "reindex.rebuild_owner": lambda e, s, w: _rebuilt(e, s),
    "reading.document_of": lambda e, s, w: _asset_read(e, s, w),
    "reading.read_file": lambda e, s, w: reading.read_file(e.database, s, e.projector, e.assets, w.asset_id),
    "vectors.drop_engine": lambda e, s, w: drop_engine(e.database, s, w.pin.engine),
}
"""What jobs do, done by a stranger with Ann's ids: it comes to what it comes to with unknown ids, and moves nothing."""


async def _retrieved(engine: Engine, scope: Scope, w: World) -> list[str]:
    found = await engine.retriever.retrieve(scope, PLAN, pin=w.pin, now=engine.now())
    return [match.uri for match in found.matches]


async def _recalled(engine: Engine, scope: Scope, w: World) -> list[str]:
    recall = await engine.retriever.recall(scope, PLAN, pin=w.pin, context_type=ContextType.RESOURCE)
    return [match.uri for match in recall.strategy.global_search(limit=5)] if recall.strategy else []


async def _walked(engine: Engine, scope: Scope, w: World) -> list[str]:
    recall = await engine.retriever.recall(scope, PLAN, pin=w.pin, context_type=None)
    return [m.uri for m in (await engine.retriever.walk(scope, PLAN, recall, pin=w.pin, now=engine.now())).matches]


def _her_matches(w: World) -> list[Match]:
    """What a forged state would hold: Ann's version ids, as if they had been found."""
    return [
        Match(uri=w.leaf_uri, vid=vid, context_type=ContextType.RESOURCE, score=1.0, raw=1.0)
        for vid in (w.leaf_vid, w.turn_vid)
    ]


async def _selected(engine: Engine, scope: Scope, w: World) -> list[object]:
    selection = await engine.assembler.select(
        scope, plan=PLAN, question=QUESTION, matches=_her_matches(w), session=[1, 2], skills=[], pin=w.pin,
        now=engine.now(), needs_quote=True,
    )  # fmt: skip
    return [*selection.catalogue, *selection.chosen]


async def _rendered(engine: Engine, scope: Scope, w: World) -> list[str]:
    selection = Selection(
        decision=GateDecision(tier=2, reason="forged"),
        catalogue=(w.leaf_vid - 1, w.leaf_vid, w.turn_vid),
        chosen=tuple((match, 2) for match in _her_matches(w)),
        session=(1, 2),
    )
    context = await engine.assembler.render(scope, selection, language="en", fence="f" * 16, session_id=w.session_id)
    return [line for line in context.text.splitlines() if CANARY in line or "zimtstern" in line]


async def _browsed(engine: Engine, scope: Scope, w: World) -> list[object]:
    found = await engine.memory_tools.browse_memory_categories(scope, pin=w.pin)
    return [kind for kind, row in found.body.items() if row["count"] or row["abstract"]]


async def _searched(engine: Engine, scope: Scope, w: World) -> object:
    found = await engine.memory_tools.search_memories(scope, QUESTION, pin=w.pin, now=engine.now())
    return found.body["matches"]


async def _filled(engine: Engine, scope: Scope) -> int:
    """With an engine that nobody has used, everything of the scope's own would be embedded."""
    return await fill_vectors(engine.database, scope, _unseen(engine, scope), most=1)


def _unseen(engine: Engine, scope: Scope) -> EmbedderHandle:
    assert engine.embedder is not None
    return replace(engine.embedder, identity=replace(engine.embedder.identity, model=f"seen by {scope.user}"))


async def _asset_read(engine: Engine, scope: Scope, w: World) -> str:
    async with engine.database.transaction(scope) as tx:
        asset = await engine.assets.get(tx, w.asset_id)
    return (await reading.document_of(engine.database, scope, engine.assets, asset)).text


def _describing(engine: Engine) -> dict[str, Any]:
    return {
        "projector": engine.projector,
        "model": engine.chat_model,
        "name": "nobody",
        "prompts": engine.prompts,
        "fence": "f" * 16,
        "deadline": 5.0,
    }


async def _rebuilt(engine: Engine, scope: Scope) -> object:
    done = await rebuild_owner(
        engine.database,
        scope,
        engine=engine.engine_id,
        embeds=True,
        assets=engine.assets,
        read=None,
        visibility=Visibility.PRIVATE,
    )
    return done.tally


async def _discarded(engine: Engine, scope: Scope, w: World) -> bool:
    """Bytes are forgotten by digest below the scope's own folder: hers stay."""
    digest = sha256(CANARY.encode()).digest()
    nothing = Erased(memories_erased=0, memories_poorer=0, bytes_to_discard=(digest,))
    await discard_bytes(engine.database, scope, engine.assets, nothing)
    async with engine.database.transaction(ANN) as tx:
        rows = await engine.assets.page(tx, after=UUID(int=0), limit=9)
        return [(await engine.assets.read(tx, row.asset_id))[1] for row in rows] != []


async def _told(entry: Entry, engine: Engine, scope: Scope, world: World) -> object:
    try:
        return await entry(engine, scope, world)
    except PocketMindError as error:
        return refusal(error)


async def test_background_work_of_a_stranger_touches_nothing_of_hers(world: World, shared: Engine) -> None:
    before = world.rows_of_ann()
    for scope in (Scope(tenant="acme", user="dora"), Scope(tenant="umbrella", user="ann")):
        for name, entry in BACKGROUND.items():
            hers, nobodys = [await _told(entry, shared, scope, w) for w in (world, world.ghost())]
            assert hers == nobodys, f"{name} tells that the id exists"
    assert world.rows_of_ann() == before


@pytest.mark.parametrize("entry", ENTRIES)
async def test_a_stranger_finds_nothing_where_ann_finds_hers(world: World, shared: Engine, entry: str) -> None:
    assert await ENTRIES[entry](shared, ANN, world), "a probe that finds nothing proves nothing"
    for name, scope in STRANGERS.items():
        try:
            found = await ENTRIES[entry](shared, scope, world)
        except NotFoundError as error:
            with pytest.raises(NotFoundError) as unknown:
                await ENTRIES[entry](shared, scope, world.ghost())
            assert refusal(error) == refusal(unknown.value), name
        else:
            assert not found, name


def test_every_entry_that_takes_a_scope_is_on_the_list() -> None:
    found = set.union(*(functions_with(package, "scope") for package in (retrievers, resources, memory)))
    assert found == ENTRIES.keys() | BACKGROUND.keys() | ELSEWHERE


# -- skills: files, chosen by tenant and agent -----------------------------------------------------------------------

SKILL = "---\nname: {name}\ndescription: {name} of {owner}, 技能\n---\nThe body of {owner}.\n"


@pytest.fixture
def catalog(tmp_path: Path) -> SkillCatalog:
    for space, owner in (("shared", ""), ("tenants", "acme"), ("agents", "a1")):
        folder = tmp_path / space / owner / f"of-{owner or 'all'}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format(name=folder.name, owner=owner or "all"))
        (folder / "more.md").write_text(f"more of {owner}")
    return SkillCatalog(
        SkillRoots(shared=tmp_path / "shared", tenants=tmp_path / "tenants", agents=tmp_path / "agents")
    )


def test_skills_of_another_tenant_or_agent_are_unknown(catalog: SkillCatalog) -> None:
    def names(scope: Scope) -> set[str]:
        return {skill.name for skill in catalog.resolve(scope).skills}

    assert names(Scope(tenant="acme", user="ann", agent="a1")) == {"of-all", "of-acme", "of-a1"}
    for tenant in ("globex", "acm", "acme2", "ACME", "acme ", "../acme", "acme/.", "%61cme"):
        assert "of-acme" not in names(Scope(tenant=tenant, user="ann")), tenant
    for agent in ("", "a", "a2", "A1", "a1 ", "../a1", "../agents/a1"):
        assert "of-a1" not in names(Scope(tenant="acme", user="ann", agent=agent)), agent
    stranger = Scope(tenant="globex", user="ann")

    def told(call: Callable[[str], object], name: str) -> dict[str, Any]:
        with pytest.raises(PocketMindError) as refused:
            call(name)
        return {key: str(value).replace(name, "?") for key, value in asdict(refusal(refused.value)).items()}

    for call in (
        lambda name: catalog.load(stranger, name),
        lambda name: catalog.read_file(stranger, name, "more.md"),
    ):
        assert told(call, "of-acme") == told(call, "of-a1") == told(call, "of-nobody")


def test_addresses_of_users_who_look_alike_differ() -> None:
    users = ["u_1", "u-1", "u%1", "u1", "U1", "u/1", "u%2F1", "u.1", "u 1", "ü1", "u\u03081"]
    uris = {str(note_uri(user, UUID(int=1))) for user in users}
    assert len(uris) == len(users)
