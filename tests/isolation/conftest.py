"""A world with one person who has everything, and strangers who must not see any of it."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import pkgutil
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID, uuid4

import pytest
from typing_extensions import is_protocol

from context.derived import Pin
from context.errors import PocketMindError
from context.scope import Scope
from context.truth import Note
from context.types import RefType, Status
from context.uri import memory_uri, note_uri
from engine.engine import Engine, open_engine
from graphs.runs import run_commit
from memory import archive
from resources.vectors import fill_vectors
from storage import clock, commits, imports, live, memories, refs, sessions, traces
from storage.database import Transaction
from storage.embedded import EmbeddedServer
from storage.imports import Origin
from tests.support.cluster import Database, new_database
from tests.support.engines import ask, settings_for, tell

CANARY = "kanarik"
"""Stands in every text that Ann has written."""

ROOT = b"r" * 32
"""The folder that Ann has imported."""

ANN = Scope(tenant="acme", user="ann")
BOB = Scope(tenant="acme", user="bob")
OTHER_TENANT = Scope(tenant="globex", user="ann")
STRANGERS = {"another user": BOB, "another tenant": OTHER_TENANT}

_IMPORTED = """insert into pm.import_file (tenant_id, owner_id, root, path, note_id, content)
values (%(tenant)s, %(owner)s, '\\x01', %(path)s, %(note_id)s, '\\x02')"""
_REFUSED = """insert into pm.vector_refusal (tenant_id, owner_id, engine, vid, reason)
values (%(tenant)s, %(owner)s, 'another', %(vid)s, %(reason)s)"""
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What Ann has, by id."""

    database: Database
    folder: Path
    note_id: UUID
    note_uri: str
    leaf_uri: str
    leaf_vid: int
    turn_vid: int
    asset_id: UUID
    session_id: UUID
    run_id: UUID
    message_id: UUID
    waiting_session: UUID
    waiting_commit: UUID
    commit_id: UUID
    trace_id: UUID
    memory_id: UUID
    memory_uri: str
    merge_key: str
    pin: Pin

    def rows_of_ann(self) -> dict[str, list[str]]:
        """Everything stored in her name, to see that nobody changed it."""
        names = self.database.rows("select tablename from pg_tables where schemaname = 'pm'")
        found = {f"pm.{name}": self.database.table(f"pm.{name}") for (name,) in names}
        found |= {name: self.database.table(f"pm_checkpoint.{name}") for name in ("checkpoints", "checkpoint_blobs")}
        return {
            name: [row for row in rows if "(acme,ann," in row or ",acme,ann" in row] for name, rows in found.items()
        }

    def ghost(self) -> World:
        """The same world with ids that nobody has."""
        unknown: dict[str, Any] = {name: uuid4() for name in self.__slots__ if isinstance(getattr(self, name), UUID)}
        note = f"pm://user/ann/notes/{uuid4()}"
        unknown |= {"note_uri": note, "leaf_uri": f"{note}/0", "leaf_vid": 2**40, "turn_vid": 2**40 + 1}
        return replace(self, **unknown, memory_uri="pm://user/ann/memories/PROFILE/x", merge_key="PROFILE|nobody")


Call = Callable[[Transaction, World, Engine], Awaitable[Any]]
"""A function of the storage floor, called with ids of a world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An error as a caller sees it, in both languages, every id masked."""

    kind: str
    zh: str
    en: str
    hint: str | None


async def outcome(call: Call, scope: Scope, world: World, engine: Engine) -> Any:
    """What a call comes to: its result, or a `Refusal`."""
    try:
        async with engine.database.transaction(scope) as tx:
            return await call(tx, world, engine)
    except PocketMindError as error:
        return refusal(error)


def refusal(error: PocketMindError) -> Refusal:
    """An error with every id masked."""
    zh, en = _ID.sub("<id>", error.text("zh")), _ID.sub("<id>", error.text("en"))
    return Refusal(kind=type(error).__name__, zh=zh, en=en, hint=error.hint)


def functions_with(package: ModuleType, parameter: str) -> set[str]:
    """Public coroutine functions below a package that have this parameter, as `module.function` or
    `module.Class.function`, with the packages between; protocols are left out."""
    found: set[str] = set()
    for entry in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if entry.name.endswith(".__main__"):
            continue
        module = importlib.import_module(entry.name)
        place = entry.name.removeprefix(f"{package.__name__}.")
        spaces: list[tuple[str, Any]] = [(place, module)]
        for value in vars(module).values():
            if inspect.isclass(value) and value.__module__ == module.__name__ and not is_protocol(value):
                spaces.append((f"{place}.{value.__name__}", value))
        for prefix, space in spaces:
            for name, value in vars(space).items():
                here = inspect.iscoroutinefunction(value) and value.__module__ == module.__name__
                if here and not name.startswith("_") and parameter in inspect.signature(value).parameters:
                    found.add(f"{prefix}.{name}")
    return found


@pytest.fixture(scope="session")
def world(server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Made once a run; tests may write as strangers of their own, never as Ann, and STRANGERS write nothing."""
    with new_database(server) as database:
        yield asyncio.run(_made(database, tmp_path_factory.mktemp("home")))


@pytest.fixture
async def shared(world: World) -> AsyncIterator[Engine]:
    """An engine on the world's database: one process that serves Ann and the strangers."""
    async with open_engine(settings_for(world.database, world.folder)) as engine:
        yield engine


async def _made(database: Database, folder: Path) -> World:
    note_id, asset_id, session_id = uuid4(), uuid4(), uuid4()
    async with open_engine(settings_for(database, folder)) as engine:
        text = f"# Greenhouse\n\nThe {CANARY} greenhouse has the door code zimtstern.\n"
        note = Note(note_id=note_id, title=f"{CANARY} greenhouse", body=text, folder=CANARY, source_name="green.md")
        async with engine.database.transaction(ANN) as tx:
            await engine.projector.save_note(tx, note)
            asset = await engine.assets.add(
                tx,
                asset_id,
                data=CANARY.encode(),
                mime="text/plain",
                name=f"{CANARY}.txt",
                owner_uri=str(note_uri(ANN.user, note_id)),
            )
            await engine.projector.save_file(tx, asset)
            calling = f"[[{CANARY} greenhouse]] and ![[{CANARY}.txt]]"
            await engine.projector.save_note(tx, Note(note_id=uuid4(), title=f"{CANARY} index", body=calling))
            await tx.execute(_IMPORTED, {"path": f"{CANARY}.md", "note_id": note_id})
            await traces.keep_model_output(
                tx, task="t", model="m", prompt="p", source_id=str(note_id), output={"text": CANARY}
            )
            await memories.bury(tx, f"{CANARY}:gone")
            await imports.put(
                tx, ROOT, [Origin(path=f"{CANARY}.md", note_id=note_id, file=bytes(32), reading=bytes(8))]
            )
        await ask(engine, ANN, f"记住：我对{CANARY}花粉过敏", session_id)
        state = await ask(engine, ANN, "What is the door code of the greenhouse?", session_id)
        assert "zimtstern" in str(state["messages"][-1].text)
        done = await run_commit(engine, ANN, session_id=session_id)
        waiting_session = await tell(engine, ANN, f"a {CANARY} that was never committed")
        await tell(engine, replace(ANN, agent=CANARY), "said to one agent")
        assert engine.embedder is not None
        await fill_vectors(engine.database, ANN, engine.embedder)
        async with engine.database.transaction(ANN) as tx:  # her note has a former version, with vectors
            renamed = replace(note, title=f"{CANARY} green house", aliases=(note.title,))  # links still find it
            await engine.projector.save_note(tx, renamed)
        await fill_vectors(engine.database, ANN, engine.embedder)
        async with engine.database.transaction(ANN) as tx:
            claimed = await archive.claim(tx, waiting_session, settings=engine.settings.archive)
            assert claimed is not None
            memory = (await memories.list_memories(tx, statuses=[Status.CURRENT]))[0]
            uri = str(memory_uri(ANN.user, memory.memory_type, memory.memory_id))
            now = await clock.read(tx, engine="none")
            await refs.count_use(tx, [uri], commit_id=UUID(done["commit_id"]), miv=now.miv, at=engine.now())
            await refs.put(tx, [(uri, RefType.LINKS, "pm://user/ann/notes/x")])
            rows = await live.read_snapshot(tx, miv=now.miv, engine="x", vectors=[], terms=[])
            leaf = next(n for n in rows.nodes or [] if n.is_leaf and n.source_id == str(note_id))
            await tx.execute(_REFUSED, {"vid": leaf.vid, "reason": CANARY})
            turn = next(n for n in rows.nodes or [] if n.pos > 0)
            message = (await sessions.messages(tx, session_id))[0]
            pin = await engine.pin(tx, seq=99)
            assert (await commits.get(tx, UUID(done["commit_id"]))).stats["memories_extracted"] >= 1
    assert message.run_id is not None
    return World(
        database=database,
        folder=folder,
        note_id=note_id,
        note_uri=str(note_uri(ANN.user, note_id)),
        leaf_uri=leaf.uri,
        leaf_vid=leaf.vid,
        turn_vid=turn.vid,
        asset_id=asset_id,
        session_id=session_id,
        run_id=message.run_id,
        message_id=message.message_id,
        waiting_session=waiting_session,
        waiting_commit=claimed.commit_id,
        commit_id=UUID(done["commit_id"]),
        trace_id=UUID(state["answer"]["trace_id"]),
        memory_id=memory.memory_id,
        memory_uri=uri,
        merge_key=memory.merge_key,
        pin=pin,
    )
