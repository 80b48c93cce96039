"""A person with a bit of everything, and their index as plain values: what a rebuild must bring back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from context.derived import Candidate, EngineIdentity, Evidence, Pin
from context.scope import Scope
from context.truth import Asset, ChatMessage, ChatSession, MessageRole, Note, NoteKind
from context.types import ContextType, MemoryType, TaskType, Visibility
from context.uri import message_uri, note_uri
from engine.engine import Engine
from graphs.runs import run_commit
from memory import archive
from memory.dedup import Action, Decision
from memory.merge import Merger
from memory.reindex import rebuild_owner
from models.embedders import EmbedderHandle
from resources import described, tree
from resources.material import note_nodes
from resources.projector import Projector
from resources.readers.document import Document
from resources.readers.isolated import read_document
from resources.rebuilding.values import Rebuilt
from resources.vectors import fill_vectors
from retrievers.base import QueryPlan, TypedQuery
from retrievers.hierarchical import CatalogHierarchicalRetriever
from storage import clock, events, memories, sessions, traces
from storage.commits import Commit, CommitState
from tests.support.cluster import Database
from tests.support.hashing import hashed_vector

NOW = datetime(2027, 5, 3, 12, tzinfo=UTC)
QUESTIONS = (
    "port of the staging gateway",
    "连接池的根因是什么",
    "pottery on Tuesday",
    "cache warm deploy",
    "苹果 价格",
)
_IDS = UUID("6f0a4c2e-9a35-4e0b-a9a6-0f6f6a3f2d11")

_NODES = """select c.uri, c.parent_uri, c.level, c.is_leaf, c.context_type, c.space, c.visibility, c.agent_id,
  c.session_id, c.layer, c.status, c.source_type, c.source_id, c.source_name, c.record_id, c.ordinal, c.leaf_count,
  c.lines, c.digest, c.title, c.abstract, c.overview, c.body, c.speaker,
  c.pos - min(c.pos) over (partition by c.parent_uri, c.pos > 0), round(c.norm::numeric, 2), c.prior, c.length,
  c.written_by,
  (select array_agg((p.term, p.tf) order by p.term) from pm.posting p where p.vid = c.vid)::text,
  (select array_agg((v.engine, v.context_type, md5(v.embedding::text)) order by v.engine) from pm.vector v
    where v.vid = c.vid)::text
from pm.context_catalog c where c.died = 9223372036854775807 and c.owner_id = %s order by c.uri"""
_RECORDS = """select resource_id, resource_type, source_type, source_id, space, session_id, visibility, uri, title,
  hash, projection_status, reason from pm.resource_records where owner_id = %s order by resource_id"""
_REFERENCES = (
    "select source_uri, ref_type, target_uri, commit_id from pm.context_ref where owner_id = %s order by 1, 2, 3"
)
_NAMES = "select name, note_id::text from pm.note_name where owner_id = %s order by 1, 2"
_LINKS = "select name, note_id::text, target from pm.note_link where owner_id = %s order by 1, 2, 3"
_DANGLING = "select count(*) from pm.posting where vid not in (select vid from pm.context_catalog) and owner_id = %s"


class HashedEmbeddings:
    """A quick embedder."""

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return [hashed_vector(text, 64).tolist() for text in texts]

    async def aembed_query(self, text: str) -> list[float]:
        return (await self.aembed_documents([text]))[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What somebody has, and the engine that serves them."""

    engine: Engine
    database: Database
    scope: Scope
    sessions: tuple[UUID, ...]

    async def read(self, scope: Scope, asset: Asset) -> Document:
        """Read a stored file for real."""
        return await read_document(self.engine.assets.path_of(scope, asset), name=asset.name, mime=asset.mime)

    async def rebuild(self, **more: Any) -> Rebuilt:
        """A rebuild as the command runs it."""
        return await rebuild_owner(
            self.engine.database,
            self.scope,
            engine=self.engine.engine_id,
            embeds=True,
            assets=self.engine.assets,
            **{"read": self.read, "visibility": Visibility.PRIVATE, **more},
        )

    async def fill(self) -> None:
        """Vectors of all that lacks one, for every agent."""
        assert self.engine.embedder is not None
        for agent in ("", "a1"):
            await fill_vectors(self.engine.database, replace(self.scope, agent=agent), self.engine.embedder)

    async def refresh(self) -> None:
        """Texts of all containers that wait, and their vectors."""
        due = True
        while due:
            async with self.engine.database.transaction(self.scope) as tx:
                due = bool(await tree.refresh(tx, engine=self.engine.engine_id, quiet=0, longest=0))
        await self.fill()

    async def found(self) -> dict[str, list[tuple[str, float]]]:
        """What each question finds, with its scores, as the user and as the agent."""
        answers = {}
        for agent in ("", "a1"):
            scope = replace(self.scope, agent=agent)
            async with self.engine.database.transaction(scope) as tx:
                now = await clock.read(tx, engine=self.engine.engine_id)
            pin = Pin(miv=now.miv, shared_miv=0, seq=0, skills="", engine=now.engine)
            for question in QUESTIONS:
                kinds = (ContextType.RESOURCE, ContextType.MEMORY)
                queries = tuple(TypedQuery(query=question, context_type=kind) for kind in kinds)
                plan = QueryPlan(task_type=TaskType.INFORMATIONAL, queries=queries)
                result = await self.engine.retriever.retrieve(scope, plan, pin=pin, now=NOW)
                assert not result.degradations
                answers[f"{agent}:{question}"] = [(match.uri, round(match.score, 3)) for match in result.matches]
        return answers

    def everything(self) -> dict[str, list[str]]:
        """Every row of every table of ours, jobs included."""
        names = self.database.rows("select tablename from pg_tables where schemaname = 'pm'")
        tables = [f"pm.{name}" for (name,) in names] + ["pm_jobs.procrastinate_jobs"]
        return {name: self.database.table(name) for name in tables}

    def index(self) -> Mapping[str, list[Any]]:
        """What is live, without what counts versions and moments."""
        values = (self.scope.user,)
        return {
            "nodes": self.database.rows(_NODES, values),
            "records": self.database.rows(_RECORDS, values),
            "references": self.database.rows(_REFERENCES, values),
            "names": self.database.rows(_NAMES, values),
            "links": self.database.rows(_LINKS, values),
            "dangling": self.database.rows(_DANGLING, values),
        }


def hashed(engine: Engine) -> Engine:
    """The same engine with the quick embedder."""
    embeddings: Any = HashedEmbeddings()
    handle = EmbedderHandle(
        embeddings=embeddings, identity=EngineIdentity(model="hashed", dimension=64), low=0.1, high=0.6
    )
    retriever = CatalogHierarchicalRetriever(database=engine.database, embedder=handle, zone=UTC)
    projector = Projector(engine=str(handle.identity))
    return replace(engine, embedder=handle, projector=projector, retriever=retriever)


async def new_world(engine: Engine, database: Database, scope: Scope) -> World:
    """Notes with links, files read and unreadable, archived and running chats, memories of the user and of an agent."""
    engine = hashed(engine)
    files = {
        "prices.txt": b"Price list\n\nThe apple costs 3.50 euro.\n\n\xe8\x8b\xb9\xe6\x9e\x9c\xe4\xbb\xb7\xe6\xa0\xbc\n"
    }
    files["picture.xyz"] = b"\x00\x01\x02"
    for note in _notes():
        async with engine.database.transaction(scope) as tx:
            if note.title == "Long":
                key = described.key_of(note_nodes(scope, note))
                texts = described.Kept(abstract="What a model said.", overview="# Long\n\n- said", written_by="a-model")
                await described.keep(tx, described.DESCRIBE, str(note.note_id), key, texts)
            await engine.projector.save_note(tx, note)
    for name, data in files.items():
        await _add(engine, scope, name, data)
    world = World(engine=engine, database=database, scope=scope, sessions=(identity("chat"), identity("trip")))
    for session in world.sessions:
        await _talk(engine, scope, session)
    await _distil(engine, scope, world.sessions[0])
    await world.refresh()
    return world


def _notes() -> list[Note]:
    body = (
        "# Plan\n\nWe decided to ship on 3 May. The staging gateway's port is 8443.\n\nSee [[根因]], ![[prices.txt]]."
    )
    cause = "## 根因\n\n根因是连接池耗尽。修复：把池大小改为 32。见 [[Plan]] 和 [[nowhere]]。\n"
    sections = "".join(f"## Part {n}\n\n{'The kettle boils water for tea. ' * 24}\n\n" for n in range(9))
    return [
        Note(
            note_id=identity("plan"), title="Plan", body=body, folder="work/出海", tags=("ops",), source_name="plan.md"
        ),
        Note(note_id=identity("cause"), title="根因", body=cause, folder="work", source_name="根因.md"),
        Note(note_id=identity("long"), title="Long", body=sections, folder="essays", kind=NoteKind.CLIP),
        Note(note_id=identity("board"), title="Board", body="- buy milk", kind=NoteKind.WHITEBOARD, pinned=True),
    ]


async def _add(engine: Engine, scope: Scope, name: str, data: bytes) -> None:
    owner = str(note_uri(scope.user, identity("board"))) if name == "picture.xyz" else None
    async with engine.database.transaction(scope) as tx:
        asset = await engine.assets.add(
            tx,
            identity(name),
            data=data,
            mime="",
            name=name,
            folder="work",
            source_name=f"work/{name}",
            owner_uri=owner,
        )
        await engine.projector.save_file(tx, asset)
    async with engine.database.transaction(scope) as tx:
        if owner is None:
            document = await read_document(engine.assets.path_of(scope, asset), name=name)
            await engine.projector.save_document(tx, asset, document)
        else:
            await engine.projector.fail_file(tx, asset, "There is no reader for this kind of file.")


async def _talk(engine: Engine, scope: Scope, session_id: UUID) -> None:
    """Two stages, the first committed with what its answer used, the second archived and waiting for a worker."""
    lines = ["Where is the pottery class?", "Room 12, on Tuesday.", "记住：我对花生过敏", "Noted.", "Thanks!", "谢谢"]
    messages = [
        ChatMessage(
            message_id=identity(f"{session_id}{n}"),
            role=MessageRole.USER if n % 2 == 0 else MessageRole.ASSISTANT,
            content=text,
            sent_at=NOW.replace(minute=n),
            run_id=identity(f"run{session_id}{n // 2}"),
        )
        for n, text in enumerate(lines)
    ]
    async with engine.database.transaction(scope) as tx:
        await sessions.create(
            tx, ChatSession(session_id=session_id, title="Pottery" if session_id == identity("trip") else "")
        )
        await sessions.append(tx, session_id, messages[:4])
        used = [str(note_uri(scope.user, identity("plan"))), str(note_uri(scope.user, identity("never there")))]
        pin = Pin(miv=1, shared_miv=0, seq=4, skills="", engine="x")
        run = messages[0].run_id
        trace = traces.Trace(
            trace_id=identity(f"t{session_id}"), session_id=session_id, run_id=run, pin=pin, body={"injected": used}
        )
        await traces.put(tx, trace)
    done = await run_commit(engine, scope, session_id=session_id)
    assert done["state"] == "partial"
    gone = str(note_uri(scope.user, identity("never there")))
    async with engine.database.transaction(scope) as tx:
        await tx.execute("delete from pm.context_ref where target_uri = %(gone)s", {"gone": gone})
        await sessions.append(tx, session_id, messages[4:])
        claimed = await archive.claim(tx, session_id, settings=engine.settings.archive)
        assert isinstance(claimed, Commit)
        stage = await archive.take(tx, await archive.load(tx, claimed.commit_id, lock=True))
        assert stage is not None
        assert stage.commit.state is CommitState.CLAIMED
        uri = await archive.archive(tx, stage, engine.projector, engine=engine.engine_id, recall="user")
        if session_id == identity("trip"):
            said = described.Kept(abstract="They parted.", overview="- thanks in two languages", written_by="a-model")
            await engine.projector.summarize_stage(tx, stage.session, str(uri), said)


async def _distil(engine: Engine, scope: Scope, session_id: UUID) -> None:
    """Memories that no rule finds: of an agent, and one of the user's that another superseded."""
    source = str(message_uri(scope.user, session_id, 1))

    def candidate(kind: MemoryType, text: str, subject: str = "it") -> Candidate:
        evidence = (Evidence(source_uri=source, quote="pottery class", statement=text),)
        return Candidate(
            memory_type=kind,
            abstract=text,
            overview=text,
            subject=subject,
            facet="word",
            language="en",
            evidence=evidence,
            mention_time=NOW,
        )

    case = candidate(MemoryType.CASE, "The deploy needs a warm cache.")
    old, new = (candidate(MemoryType.ENTITY, f"The class is in room {n}.", "class") for n in (3, 12))
    for agent, decided in (("a1", [case]), ("", [old]), ("", [new])):
        own = replace(scope, agent=agent)
        async with engine.database.transaction(own) as tx:
            miv = await clock.advance(tx, engine=engine.engine_id)
            merger = Merger(tx=tx, commit_id=archive.commit_id_of(session_id, 0), miv=miv, now=NOW)
            known = {m.memory_id: m for m in await _entities(tx)} if decided == [new] else {}
            target = next(iter(known), None)
            action = Action.SUPERSEDE if target else Action.CREATE
            await merger.apply([Decision(candidate=decided[0], action=action, reason="said", target=target)], known)
            await events.put(tx, merger.events, miv=miv)


async def _entities(tx: Any) -> list[Any]:
    return [m for m in await memories.by_types(tx, [MemoryType.ENTITY]) if m.subject == "class"]


def identity(name: str) -> UUID:
    return uuid5(_IDS, name)
