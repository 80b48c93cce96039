"""What is deleted is gone: from every table and version, from vectors, summaries and memories, and from the disk."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote
from uuid import UUID, uuid4

import numpy as np

from context.derived import Candidate, Evidence
from context.scope import Scope
from context.truth import Note
from context.types import MemoryType, RefType, SourceType
from context.uri import folder_uri, note_uri
from engine.engine import Engine
from memory.dedup import Action, Decision
from memory.erasure import delete_notes, discard_bytes
from memory.merge import Merger
from models.embedders import embed_batch
from resources import described
from resources.described import Kept
from resources.material import note_nodes, tree_source
from resources.readers.document import Document, Part
from resources.vectors import text_to_embed
from storage import catalog, clock, notes, refs
from storage.vectors import Unembedded
from tests.acceptance.searching import embed, refresh
from tests.support.cluster import Database
from tests.support.engines import save_note

CANARY = "kanarik 鹬蚌"
"""A word of each language, in every text of the note that goes and in none of what stays."""
WORDS = (*CANARY.split(), quote("鹬蚌"))
"""As they are written in texts, in postings and in addresses."""
_IMPORTED = """insert into pm.import_file (tenant_id, owner_id, root, path, note_id, content)
values (%(tenant)s, %(owner)s, '\\x01', %(path)s, %(note_id)s, '\\x02')"""
KEEP_IDS = {"tombstone", "event", "procrastinate_jobs", "procrastinate_events"}


async def test_a_deleted_note_is_in_no_table_and_in_no_file(
    engine: Engine, database: Database, scope: Scope, tmp_path: Path
) -> None:
    long = "".join(f"## Part {n}\n\n" + f"The {CANARY} tells of part {n}. " * 36 + "\n\n" for n in range(5))
    note = Note(
        note_id=uuid4(),
        title=f"About {CANARY}",
        body=f"We decided to keep the {CANARY}. See [[{CANARY} cage]] and ![[{CANARY}.txt]].\n\n{long}",
        folder=f"work/{CANARY} old",
        tags=(CANARY,),
        aliases=("Aviary", CANARY),
        source_url=f"https://birds.example/{CANARY}",
        source_name=f"vault/{CANARY}.md",
    )
    uri = str(note_uri(scope.user, note.note_id))
    kept = await save_note(engine, scope, "# Index\n\nSee [[Aviary]] and [[Plan]].", title="Index")
    neighbour = Note(note_id=uuid4(), title="Plan", body="根因是连接池耗尽。", folder="work/nest")
    description = Kept(abstract=f"On the {CANARY}.", overview=f"- {CANARY}", written_by="scripted")

    async def save(note: Note) -> None:
        async with engine.database.transaction(scope) as tx:
            await engine.projector.save_notes(tx, [note])
        await refresh(engine, scope)
        await embed(engine, scope)

    await save(neighbour)
    async with engine.database.transaction(scope) as tx:
        key = described.key_of(note_nodes(scope, note))
        await described.keep(tx, described.DESCRIBE, str(note.note_id), key, description)
    await save(note)
    async with engine.database.transaction(scope) as tx:
        assert (await catalog.live_nodes(tx, [uri]))[uri].written_by == "scripted"
        assert (RefType.LINKS, uri) in await refs.of(tx, str(note_uri(scope.user, kept.note_id)))
        await tx.execute(_IMPORTED, {"path": f"{CANARY}.md", "note_id": note.note_id})
    await save(replace(note, title=f"Of {CANARY}", body=note.body.replace("keep", "free"), folder="work/nest"))
    await save(replace(note, body=f"[[{CANARY}]] is all that is left.", folder=f"work/nest/{CANARY}/deep"))
    asset = await attached(engine, scope, uri)
    await remembered(engine, scope, uri)
    nest, work, top = (str(folder_uri(scope.user, folder)) for folder in ("work/nest", "work", ""))
    async with engine.database.transaction(scope) as tx:
        for folder in (nest, work, top):
            await described.keep(tx, described.DESCRIBE, tree_source(folder), "key", description)
    await refresh(engine, scope)
    await embed(engine, scope)
    everywhere = {"note", "asset", "context_catalog", "posting", "evidence", "memory_records", "resource_records"}
    everywhere |= {"note_name", "note_link", "import_file", "model_output"}
    assert {table.removeprefix("pm.") for word in WORDS for table in database.tables_with(word)} >= everywhere
    assert files_with(tmp_path, WORDS[0])

    async with engine.database.transaction(scope) as tx:
        erased = await delete_notes(tx, [note.note_id], engine=engine.engine_id, assets=engine.assets)
    await discard_bytes(engine.database, scope, engine.assets, erased)
    assert (erased.memories_erased, erased.memories_poorer) == (1, 1)
    assert {word: database.tables_with(word) for word in WORDS} == {word: set() for word in WORDS}
    assert [file for word in WORDS for file in files_with(tmp_path, word)] == []
    for gone in (note.note_id, asset):  # its id is left where it is needed: it must not come back, and has gone
        assert {table.partition(".")[2] for table in database.tables_with(str(gone))} <= KEEP_IDS
    await vectors_are_of_what_stands(engine, database)
    async with engine.database.transaction(scope) as tx:
        assert (await notes.get(tx, neighbour.note_id)).body == neighbour.body
        told = await catalog.live_nodes(tx, [nest, work])
    assert "根因是连接池耗尽" in told[nest].abstract
    assert "nest" in told[work].abstract


async def attached(engine: Engine, scope: Scope, uri: str) -> UUID:
    """A file that hangs on a note, read."""
    part = Part(text=f"# {CANARY}\n\nA page about the {CANARY}.", anchor=f"sheet={CANARY}", heading=CANARY)
    document = Document(title=CANARY, parts=(part,), source_type=SourceType.PDF_TEXT, notices=(CANARY,))
    async with engine.database.transaction(scope) as tx:
        asset = await engine.assets.add(
            tx,
            uuid4(),
            data=f"bytes of {CANARY}".encode(),
            mime="text/plain",
            name=f"{CANARY}.txt",
            folder=f"work/{CANARY} files",
            owner_uri=uri,
        )
        await engine.projector.save_file(tx, asset)
        await engine.projector.save_document(tx, asset, document)
    return asset.asset_id


async def remembered(engine: Engine, scope: Scope, uri: str) -> None:
    """A memory that rests on a note alone, and one that rests on another source too."""
    now = datetime.now(UTC)
    quotes = ((f"The {CANARY} sings.", (uri,)), ("They ship in May.", (uri, "pm://user/ann/sessions/s/messages/1")))
    candidates = [
        Candidate(
            memory_type=MemoryType.ENTITY,
            abstract=text,
            overview=text,
            subject=text,
            facet="word",
            language="en",
            evidence=tuple(
                Evidence(source_uri=source, quote=CANARY if source == uri else "May", statement=text)
                for source in sources
            ),
            mention_time=now,
        )
        for text, sources in quotes
    ]
    async with engine.database.transaction(scope) as tx:
        miv = await clock.advance(tx, engine=engine.engine_id)
        merger = Merger(tx=tx, commit_id=uuid4(), miv=miv, now=now)
        await merger.apply([Decision(candidate=c, action=Action.CREATE, reason="new") for c in candidates], {})


def files_with(folder: Path, word: str) -> list[Path]:
    """Files below a folder that are named by a word or hold it."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if word in str(path) or word.encode() in path.read_bytes()]


async def vectors_are_of_what_stands(engine: Engine, database: Database) -> None:
    """Every vector there is, of every version, is the vector of the text that stands there now."""
    assert engine.embedder is not None
    rows = database.rows(
        "select c.vid, c.context_type, c.is_leaf, c.title, c.abstract, c.body, c.speaker, c.pos, v.embedding::text"
        " from pm.vector v left join pm.context_catalog c using (tenant_id, owner_id, vid)"
    )
    assert rows
    names = ("vid", "context_type", "is_leaf", "title", "abstract", "body", "speaker", "pos")
    texts = [text_to_embed(Unembedded(**dict(zip(names, row[:-1], strict=True)))) for row in rows]
    for text, row, vector in zip(texts, rows, await embed_batch(engine.embedder, texts, "passage"), strict=True):
        stored = np.array([float(number) for number in row[-1].strip("[]").split(",")])
        assert vector is not None and float(stored @ vector) > 0.999, text
