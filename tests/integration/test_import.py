"""Importing folders: again and again, moved and deleted files, edits on both sides, links, and a process that dies."""

from __future__ import annotations

import asyncio
import hashlib
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any
from uuid import UUID

import pytest

from cli.imports.batches import Choices, Work, store
from cli.imports.importing import batches_of, import_vault, site_of
from cli.imports.report import Change, ImportReport
from context.errors import InvalidInputError, NotFoundError
from context.scope import Scope
from context.truth import Note
from context.types import RefType, SourceType
from context.uri import asset_uri, note_uri
from engine.engine import Engine, open_engine
from memory.erasure import delete_files, delete_notes
from resources.readers.document import Document, Part
from resources.vaults.files import read_batch
from resources.vaults.gone import Gone
from resources.vaults.vault import Listing, id_of, list_vault
from resources.vectors import fill_vectors
from storage import imports, notes
from storage.embedded import EmbeddedServer
from tests.support.cluster import Database, new_database
from tests.support.engines import settings_for

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


def make(root: Path, files: dict[str, str | bytes]) -> Path:
    """A folder with these files in it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


async def work_on(engine: Engine, scope: Scope, path: Path, **choices: bool) -> Work:
    """An import of a folder or file."""
    site = await site_of(engine, scope, path)
    return Work(engine=engine, scope=scope, site=site, choices=Choices(**choices))


async def bring(engine: Engine, scope: Scope, path: Path, **choices: bool) -> ImportReport:
    """Import a folder or file."""
    work = await work_on(engine, scope, path, **choices)
    report = ImportReport()
    await import_vault(work, list_vault(work.site), report)
    return report


def told(report: ImportReport) -> dict[str, Any]:
    """What a report says apart from nothing."""
    return {key: value for key, value in report.plain().items() if value}


async def ids(engine: Engine, scope: Scope, folder: Path) -> dict[str, UUID]:
    """Path to id of all that came from a folder."""
    site = await site_of(engine, scope, folder)
    async with engine.database.transaction(scope) as tx:
        places = await imports.page(tx, site.root, below=[""], after="", limit=1000)
    found = {place.path: place.note_id or place.asset_id for place in places}
    return {path: source_id for path, source_id in found.items() if source_id is not None}


async def note_at(engine: Engine, scope: Scope, folder: Path, path: str) -> Note:
    """The note of a file."""
    note_id = (await ids(engine, scope, folder))[path]
    async with engine.database.transaction(scope) as tx:
        return await notes.get(tx, note_id)


async def edit(engine: Engine, scope: Scope, folder: Path, path: str, body: str) -> UUID:
    """Change a note in PocketMind."""
    note = await note_at(engine, scope, folder, path)
    async with engine.database.transaction(scope) as tx:
        await engine.projector.save_note(tx, replace(note, body=body))
    return note.note_id


# -- again and again -----------------------------------------------------------------------------------------------


async def test_what_is_new_changed_moved_and_gone_is_found_and_everything_else_left_alone(
    engine: Engine, scope: Scope, database: Database, tmp_path: Path
) -> None:
    many = {f"daily/2026-05-{day:02d}.md": f"Day {day} of May" for day in range(1, 11)}
    files: dict[str, str | bytes] = {
        "plan.md": "# Plan\n\nThe port is 8443.",
        "pics/图.png": PNG,
        "data.csv": "a,b\n1,2\n",
    }
    vault = make(tmp_path / "vault", {**files, **many, "board.canvas": "{}", "empty.md": ""})
    first = await bring(engine, scope, vault)
    assert told(first) == {"imported": 12, "files": 2, "skipped": {".canvas": 1}}
    before = await ids(engine, scope, vault)
    assert (await note_at(engine, scope, vault, "empty.md")).title == "empty"
    day = await note_at(engine, scope, vault, "daily/2026-05-03.md")
    assert day.dated is not None
    assert day.dated.isoformat() == "2026-05-03T00:00:00+00:00"
    assert engine.embedder is not None
    await fill_vectors(engine.database, scope, engine.embedder)

    stored = database.table("pm.event"), database.table("pm.import_file"), database.table("pm.asset")
    assert told(await bring(engine, scope, vault)) == {"unchanged": 14, "skipped": {".canvas": 1}}
    assert (database.table("pm.event"), database.table("pm.import_file"), database.table("pm.asset")) == stored

    (vault / "plan.md").rename(vault / "daily/renamed.md")
    (vault / "pics").rename(vault / "pictures")
    (vault / "daily/2026-05-01.md").write_text("Day 1, told anew")
    (vault / "daily/2026-05-02.md").unlink()
    (vault / "data.csv").write_text("a,b\n3,4\n")
    second = await bring(engine, scope, vault)
    assert told(second) == {
        "updated": 1,
        "unchanged": 9,
        "files": 1,
        "moved": [
            {"from": "vault/plan.md", "to": "vault/daily/renamed.md"},
            {"from": "vault/pics/图.png", "to": "vault/pictures/图.png"},
        ],
        "deleted": ["vault/daily/2026-05-02.md"],
        "skipped": {".canvas": 1},
    }
    after = await ids(engine, scope, vault)
    assert after["daily/renamed.md"] == before["plan.md"]
    assert after["pictures/图.png"] == before["pics/图.png"]
    assert before.keys() - after.keys() == {"plan.md", "pics/图.png", "daily/2026-05-02.md"}
    moved = await note_at(engine, scope, vault, "daily/renamed.md")
    assert (moved.source_name, moved.folder, moved.title) == ("vault/daily/renamed.md", "vault/daily", "Plan")
    bare = "select count(*) from pm.context_catalog c where source_id = %s and died > 1e18 and not exists (select from "
    assert database.rows(f"{bare} pm.vector v where v.vid = c.vid)", (str(moved.note_id),)) == [(0,)], "embedded anew"
    live = (
        "select source_name, parent_uri from pm.context_catalog where source_id = %s and died > 1e18 order by is_leaf"
    )
    picture = database.rows(live, (str(after["pictures/图.png"]),))
    assert picture[0] == ("vault/pictures/图.png", "pm://user/ann/folders/vault/pictures")
    assert {name for name, _ in picture} == {"vault/pictures/图.png"}
    digests = {hashlib.sha256(data).hexdigest() for data in (PNG, b"a,b\n3,4\n")}
    assert {path.name for path in (tmp_path / "assets").rglob("*") if path.is_file()} == digests, (
        "old bytes are dropped"
    )


async def test_a_file_that_was_read_moves_with_its_text_and_its_vectors(
    engine: Engine, scope: Scope, database: Database, tmp_path: Path
) -> None:
    vault = make(tmp_path / "vault", {"in/report.pdf": b"%PDF-1.7 one", "n.md": "![[report.pdf]]"})
    await bring(engine, scope, vault)
    asset_id = (await ids(engine, scope, vault))["in/report.pdf"]
    document = Document(
        title="Annual report", parts=(Part(text="Profit rose.", anchor="page=1"),), source_type=SourceType.PDF_TEXT
    )
    async with engine.database.transaction(scope) as tx:
        await engine.projector.save_document(tx, await engine.assets.get(tx, asset_id), document)
    assert engine.embedder is not None
    await fill_vectors(engine.database, scope, engine.embedder)
    (vault / "in").rename(vault / "out")
    assert told(await bring(engine, scope, vault))["moved"] == [
        {"from": "vault/in/report.pdf", "to": "vault/out/report.pdf"}
    ]
    live = database.rows(
        "select source_name, title, body, exists (select from pm.vector v where v.vid = c.vid)"
        " from pm.context_catalog c where source_id = %s and died > 1e18 order by is_leaf",
        (str(asset_id),),
    )
    assert live == [
        ("vault/out/report.pdf", "Annual report", None, True),
        ("vault/out/report.pdf#page=1", "Annual report", "Profit rose.", True),
    ]
    words = "select term from pm.posting p join pm.context_catalog c using (vid) where body = %s and died > 1e18"
    assert ("profit",) in database.rows(words, ("Profit rose.",))

    (vault / "out/report.pdf").rename(vault / "out/profit.pdf")
    await bring(engine, scope, vault)
    assert database.rows("select source_uri from pm.context_ref") == [], "nothing is called report.pdf any more"
    state = "select projection_status, reason from pm.resource_records where source_id = %s"
    assert database.rows(state, (str(asset_id),)) == [("pending", "waiting to be read")], "its name may be its title"


async def test_many_files_gone_at_once_are_not_believed(engine: Engine, scope: Scope, tmp_path: Path) -> None:
    vault = make(tmp_path / "vault", {f"{n}.md": f"note {n}" for n in range(12)})
    await bring(engine, scope, vault)
    for n in range(7):
        (vault / f"{n}.md").unlink()
    doubted = await bring(engine, scope, vault)
    assert (doubted.deleted, len(doubted.notices)) == ([], 1)
    assert "7 of 12 known files" in doubted.notices[0].reason
    assert "--prune" in doubted.notices[0].reason
    (vault / "6.md").write_text("note 6")
    kept = await bring(engine, scope, vault, keep_deleted=True)
    assert (kept.deleted, len(await ids(engine, scope, vault))) == ([], 12)
    assert len((await bring(engine, scope, vault)).deleted) == 6, "half is believed"
    rmtree(vault)
    vault.mkdir()
    emptied = await bring(engine, scope, vault)
    assert (emptied.deleted, len(emptied.notices)) == ([], 1)
    assert len((await bring(engine, scope, vault, prune=True)).deleted) == 6
    assert await ids(engine, scope, vault) == {}
    assert told(await bring(engine, scope, vault)) == {}


async def test_what_was_deleted_here_stays_deleted_and_what_only_the_folder_lost_comes_back(
    engine: Engine, scope: Scope, database: Database, tmp_path: Path
) -> None:
    vault = make(tmp_path / "vault", {"a.md": "A", "b.md": "B", "c.md": "C", "p.png": PNG})
    await bring(engine, scope, vault)
    (vault / "a.md").rename(vault / "moved.md")  # its id is the one of another place
    await bring(engine, scope, vault)
    had = await ids(engine, scope, vault)
    async with engine.database.transaction(scope) as tx:
        await delete_notes(tx, [had["moved.md"]], engine=engine.engine_id, assets=engine.assets)
        await delete_files(tx, [had["p.png"]], engine=engine.engine_id, assets=engine.assets)
    assert "moved.md" not in "".join(database.table("pm.tombstone")), "hashed keys only"
    again = await bring(engine, scope, vault)
    assert [problem.path for problem in again.skipped_deleted] == ["vault/moved.md", "vault/p.png"]
    assert "--restore-deleted" in again.skipped_deleted[0].reason
    assert (again.unchanged, again.imported, again.files) == (2, 0, 0)
    restored = await bring(engine, scope, vault, restore_deleted=True)
    assert (restored.imported, restored.files, restored.skipped_deleted) == (1, 1, [])
    assert told(await bring(engine, scope, vault)) == {"unchanged": 4}

    (vault / "b.md").unlink()
    assert (await bring(engine, scope, vault)).deleted == ["vault/b.md"]
    (vault / "b.md").write_text("B again")
    back = await bring(engine, scope, vault)
    assert (back.imported, back.skipped_deleted) == (1, [])
    assert (await ids(engine, scope, vault))["b.md"] == had["b.md"]


# -- both sides ----------------------------------------------------------------------------------------------------


async def test_an_edit_here_stays_until_the_file_changes_too_and_then_it_is_a_conflict(
    engine: Engine, scope: Scope, tmp_path: Path
) -> None:
    vault = make(tmp_path / "vault", {"a.md": "one", "b.md": "two", "c.md": "three", "d.md": "four"})
    await bring(engine, scope, vault)
    edited = {name: await edit(engine, scope, vault, f"{name}.md", f"mine: {name}") for name in "abcd"}
    assert told(await bring(engine, scope, vault)) == {"unchanged": 4}

    (vault / "a.md").write_text("one, changed there")
    (vault / "b.md").write_text("mine: b")
    (vault / "c.md").rename(vault / "sub.md")
    (vault / "d.md").unlink()
    report = await bring(engine, scope, vault)
    assert [problem.path for problem in report.conflicts] == ["vault/a.md", "vault/d.md"]
    assert (report.unchanged, len(report.moved), report.deleted) == (1, 1, [])
    assert (await note_at(engine, scope, vault, "a.md")).body == "mine: a"
    moved = await note_at(engine, scope, vault, "sub.md")
    assert (moved.note_id, moved.body, moved.source_name) == (edited["c"], "mine: c", "vault/sub.md")
    assert (await note_at(engine, scope, vault, "d.md")).body == "mine: d"

    won = await bring(engine, scope, vault, take_files=True)
    assert (won.updated, won.deleted, won.conflicts) == (1, ["vault/d.md"], [])
    assert (await note_at(engine, scope, vault, "a.md")).body == "one, changed there"
    assert (await note_at(engine, scope, vault, "sub.md")).body == "mine: c", "its file did not change"
    assert told(await bring(engine, scope, vault)) == {"unchanged": 3}


# -- where an import stands ----------------------------------------------------------------------------------------


async def test_a_folder_and_its_parts_can_be_imported_in_any_order(
    engine: Engine, scope: Scope, database: Database, tmp_path: Path
) -> None:
    vault = make(tmp_path / "vault", {"sub/a.md": "A", "sub/deep/b.md": "B", "c.md": "C", ".hidden/h.md": "H"})
    make(vault, {"sub/p.png": PNG})
    assert (await bring(engine, scope, vault / "c.md")).imported == 1
    part = await bring(engine, scope, vault / "sub")
    assert (part.imported, part.files) == (2, 1)
    alone = await bring(engine, scope, vault / "sub/deep/b.md")
    assert told(alone) == {"unchanged": 1}
    names = "select source_name from pm.context_catalog where record_id is not null and not is_leaf and died > 1e18"
    names = f"{names} order by 1"
    assert database.rows(names) == [("c.md",), ("sub/a.md",), ("sub/deep/b.md",), ("sub/p.png",)]

    whole = await bring(engine, scope, vault)
    assert told(whole) == {"updated": 4}
    below = [("vault/sub/a.md",), ("vault/sub/deep/b.md",), ("vault/sub/p.png",)]
    assert database.rows(names) == [("vault/c.md",), *below]
    assert len(database.table("pm.import_file")) == 4
    make(vault, {"sub/deep/new.md": "N"})
    (vault / "sub/a.md").unlink()
    (vault / "c.md").unlink()
    part = await bring(engine, scope, vault / "sub")
    assert (part.imported, part.unchanged, part.deleted) == (1, 2, ["vault/sub/a.md"]), "c.md is no part of it"
    assert (await bring(engine, scope, vault / ".hidden")).imported == 1
    assert (await bring(engine, scope, vault)).deleted == ["vault/c.md"], "what was imported by itself stays"


async def test_a_place_that_is_taken_again_gives_a_note_of_its_own(
    engine: Engine, scope: Scope, tmp_path: Path
) -> None:
    vault = make(tmp_path / "vault", {"inbox.md": "first thought"})
    await bring(engine, scope, vault)
    (vault / "inbox.md").rename(vault / "done.md")
    await bring(engine, scope, vault)
    (vault / "inbox.md").write_text("second thought")
    assert told(await bring(engine, scope, vault)) == {"imported": 1, "unchanged": 1}
    found = await ids(engine, scope, vault)
    assert found["done.md"] == id_of(vault / "inbox.md")
    assert found["inbox.md"] == id_of(vault / "inbox.md", 1)
    assert told(await bring(engine, scope, vault)) == {"unchanged": 2}


async def test_a_file_that_nobody_reads_and_a_path_that_is_none_are_refused(
    engine: Engine, scope: Scope, tmp_path: Path
) -> None:
    make(tmp_path, {"board.canvas": "{}"})
    with pytest.raises(InvalidInputError, match=r"No reader takes board\.canvas"):
        await bring(engine, scope, tmp_path / "board.canvas")
    with pytest.raises(InvalidInputError, match="does not exist"):
        await bring(engine, scope, tmp_path / "gone")


# -- links ---------------------------------------------------------------------------------------------------------

LINKED: dict[str, str | bytes] = {
    "index.md": "[[Later]] [[Later#Part|words]] [[别名]] ![[pic.png]] [doc](files/paper.pdf) [[not yet]] [[work/Plan]]",
    "Later.md": "# Later\n\n## Part\n\nback to [[index]]; caf\u00e9: [[caf\u00e9]]",
    "named.md": "---\naliases: [别名]\n---\nwords",
    "work/Plan.md": "work [[Todo]]",
    "work/Todo.md": "at work ![](pics/pic.png)",
    "home/Plan.md": "home [[Todo]]",
    "home/Todo.md": "at home",
    "cafe\u0301.md": "[[Later]]",
    "pic.png": PNG,
    "work/pics/pic.png": PNG + b"2",
    "files/paper.pdf": b"%PDF-1.7",
}
WANTED = {
    ("index.md", "links", "Later.md"),
    ("index.md", "links", "named.md"),
    ("index.md", "links", "work/Plan.md"),
    ("index.md", "attachment", "pic.png"),
    ("index.md", "attachment", "files/paper.pdf"),
    ("Later.md", "links", "index.md"),
    ("Later.md", "links", "cafe\u0301.md"),
    ("cafe\u0301.md", "links", "Later.md"),
    ("work/Plan.md", "links", "work/Todo.md"),
    ("home/Plan.md", "links", "home/Todo.md"),
    ("work/Todo.md", "attachment", "work/pics/pic.png"),
}


async def references(engine: Engine, scope: Scope, vault: Path) -> set[tuple[str, str, str]]:
    """All references between notes and files, by their paths."""
    paths = {source_id: path for path, source_id in (await ids(engine, scope, vault)).items()}
    named = {str(make_uri(scope.user, key)): path for key, path in paths.items() for make_uri in (note_uri, asset_uri)}
    async with engine.database.transaction(scope) as tx:
        rows = await tx.all("select source_uri, ref_type, target_uri from pm.context_ref")
    kinds = (RefType.LINKS, RefType.ATTACHMENT)
    return {
        (named[row["source_uri"]], row["ref_type"], named[row["target_uri"]])
        for row in rows
        if row["ref_type"] in kinds
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_links_lead_to_the_same_places_in_whatever_order_files_come(
    engine: Engine, scope: Scope, tmp_path: Path, seed: int
) -> None:
    vault = make(tmp_path / "vault", LINKED)
    work = await work_on(engine, scope, vault)
    files = [file for batch in batches_of(list_vault(work.site)) for file in batch]
    random.Random(seed).shuffle(files)
    for file in files:  # a transaction each
        read = read_batch(work.site, [file], {}, zone=engine.settings.zone)
        await store(work, read.found, Gone())
    assert await references(engine, scope, vault) == WANTED


async def test_a_link_to_what_comes_later_leads_there_when_it_comes_and_elsewhere_when_it_goes(
    engine: Engine, scope: Scope, tmp_path: Path
) -> None:
    vault = make(tmp_path / "vault", LINKED)
    await bring(engine, scope, vault)
    assert await references(engine, scope, vault) == WANTED
    make(vault, {"not yet.md": "now"})
    (vault / "pic.png").unlink()
    (vault / "Later.md").rename(vault / "home/Later.md")
    await bring(engine, scope, vault)
    renamed = {
        tuple("home/Later.md" if part == "Later.md" else part for part in row)
        for row in WANTED - {("index.md", "attachment", "pic.png")}
    }
    assert await references(engine, scope, vault) == {
        *renamed,
        ("index.md", "links", "not yet.md"),
        ("index.md", "attachment", "work/pics/pic.png"),
    }


# -- bad input -----------------------------------------------------------------------------------------------------


async def test_bad_files_are_named_and_everything_else_is_imported(
    engine: Engine, scope: Scope, tmp_path: Path
) -> None:
    same = "---\nid: 7f0c9a52-0000-4000-8000-000000000000\nuuid: same\n---\n"
    vault = make(
        tmp_path / "vault",
        {
            "one.md": f"{same}one",
            "two.md": f"{same}two",
            "binary.md": b"\x00\xff" * 500,
            "two\nlines.md": "a name of two lines",
            "a.md": "small",
            "A.md": "large",
            "caf\u00e9.md": "composed",
            "cafe\u0301.md": "decomposed",
            f"{'长' * 84}.md": "a name of 255 bytes",
            "bomb.md": "---\na: &a [1]\nb: [*a, *a]\n---\nstill text",
        },
    )
    with (vault / "huge.txt").open("wb") as file:
        file.truncate(200_000_000)
    (vault / "loop").symlink_to(vault / "loop")
    (vault / "loop.md").symlink_to(vault / "loop.md")
    report = await bring(engine, scope, vault)
    assert report.imported == 9
    assert [problem.path for problem in report.failed] == ["vault/loop.md", "vault/binary.md", "vault/huge.txt"]
    assert [problem.path for problem in report.notices] == ["vault/bomb.md"]
    assert (await note_at(engine, scope, vault, "two\nlines.md")).source_name == "vault/two\\nlines.md"
    assert {(await note_at(engine, scope, vault, f"{name}.md")).body for name in ("one", "two")} == {"one", "two"}
    again = await bring(engine, scope, vault)
    assert (again.unchanged, again.updated, len(again.failed)) == (9, 0, 3)


async def test_a_file_that_vanishes_while_its_batch_is_stored_costs_nothing_but_itself(
    engine: Engine, scope: Scope, tmp_path: Path
) -> None:
    vault = make(tmp_path / "vault", {"a.png": PNG, "b.png": PNG + b"b", "c.png": PNG + b"c"})
    work = await work_on(engine, scope, vault)
    read = read_batch(work.site, list(list_vault(work.site)), {}, zone=engine.settings.zone)
    (vault / "b.png").unlink()
    outcomes = await store(work, read.found, Gone())
    assert [(one.name, one.change) for one in outcomes] == [
        ("vault/a.png", Change.FILE),
        ("vault/b.png", Change.FAILED),
        ("vault/c.png", Change.FILE),
    ]
    assert set(await ids(engine, scope, vault)) == {"a.png", "c.png"}


async def test_batches_keep_to_their_sizes_and_to_one_kind() -> None:
    sizes = {"a.md": 600_000, "b.md": 500_000, "c.png": 40_000_000, "d.md": 5_000_000, "e.png": 40_000_000}
    sizes |= {f"n{n:03d}.md": 10 for n in range(120)}
    listing = Listing(
        names=sorted(sizes), sizes=[sizes[n] for n in sorted(sizes)], folders=[], problems=(), unseen=(), skipped={}
    )
    batches = [[file.name for file in batch] for batch in batches_of(listing)]
    assert sorted(name for batch in batches for name in batch) == sorted(sizes)
    for batch in batches:
        assert len({name.rpartition(".")[2] for name in batch}) == 1
        most, room = (50, 1_000_000) if batch[0].endswith(".md") else (20, 50_000_000)
        assert len(batch) <= most
        assert len(batch) == 1 or sum(sizes[name] for name in batch) <= room


async def test_the_planner_knows_early_what_it_deals_with(
    engine: Engine, scope: Scope, database: Database, tmp_path: Path
) -> None:
    await bring(engine, scope, make(tmp_path / "vault", {f"{n}.md": f"note {n}" for n in range(120)}))
    for table in ("note", "note_name", "import_file", "posting", "context_catalog"):
        seen = "select reltuples from pg_class where oid = %s::regclass"
        assert database.rows(seen, (f"pm.{table}",))[0][0] >= 100, table


# -- a process that dies -------------------------------------------------------------------------------------------

CHILD = """
import asyncio, sys
from pathlib import Path
from pydantic import SecretStr
from cli.imports.batches import Choices, Work
from cli.imports.report import ImportReport
from cli.imports.importing import import_vault, site_of
from context.scope import Scope
from engine.engine import open_engine
from engine.settings import Settings
from resources.vaults.vault import list_vault

async def main(app, admin, worker, home, folder):
    urls = {"database_url": SecretStr(app), "admin_url": SecretStr(admin), "worker_url": SecretStr(worker)}
    scope = Scope(tenant="acme", user="ann")
    async with open_engine(Settings(_env_file=None, home=Path(home), **urls)) as engine:
        site = await site_of(engine, scope, Path(folder))
        work = Work(engine=engine, scope=scope, site=site, choices=Choices())
        print("begun", flush=True)
        reach = lambda done: print(done, flush=True)
        await import_vault(work, list_vault(site), ImportReport(), reach=reach)
        print("ended", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def killed(database: Database, home: Path, folder: Path, seed: int) -> bool:
    """Import a folder in a process of its own and kill that at some moment; whether it came to its end before."""
    random_ = random.Random(seed)
    lines = random_.randint(1, 6)
    words = [sys.executable, "-c", CHILD, database.app, database.admin, database.worker, str(home), str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        seen = [child.stdout.readline() for _ in range(lines)]
        time.sleep(random_.random() * 0.15)
        child.kill()
        rest = child.stdout.read()
    assert seen[0] == "begun\n", "it must have come to the import"
    return "ended" in f"{seen}{rest}"


async def imported(database: Database, home: Path, folder: Path, scope: Scope) -> ImportReport:
    """Import a folder in one go."""
    async with open_engine(settings_for(database, home)) as engine:
        return await bring(engine, scope, folder)


STATE = {
    "notes": "select note_id, revision, kind, title, body, folder, tags, source_name, first_line, aliases, dated,"
    " digest, updated_at from pm.note",
    "files": "select asset_id, digest, mime, name, bytes, folder, source_name from pm.asset",
    "nodes": "select uri, parent_uri, digest, lines, source_name, title, abstract, overview, body, ordinal, length"
    " from pm.context_catalog where died > 1e18",
    "words": "select c.uri, p.term, p.tf from pm.posting p"
    " join pm.context_catalog c on c.vid = p.vid and c.died > 1e18",
    "references": "select source_uri, ref_type, target_uri from pm.context_ref",
    "names": "select name, note_id from pm.note_name union all select name || ':' || target, note_id from pm.note_link",
    "imports": "select root, path, note_id, asset_id, content from pm.import_file",
    "material": "select resource_id, source_type, source_id, uri, title, hash, projection_status, reason"
    " from pm.resource_records",
    "tombstones": "select source_id, memory_type, merge_key from pm.tombstone",
}


def state_of(database: Database) -> dict[str, list[str]]:
    """Everything that an import decides."""
    return {name: sorted(str(row) for row in database.rows(query)) for name, query in STATE.items()}


def grow(vault: Path) -> None:
    """A vault of notes that link to each other, with pictures."""
    for n in range(140):
        folder = f"folder {n % 7}"
        make(
            vault,
            {f"{folder}/note {n:03d}.md": f"# Note {n}\n\n[[note {(n * 37) % 140:03d}]] ![[p{n % 30}.png]] #t{n}\n"},
        )
    make(vault, {f"pics/p{n}.png": PNG + bytes([n]) for n in range(30)})


def change(vault: Path) -> None:
    """Moves, edits, deletions and new files."""
    (vault / "folder 3").rename(vault / "elsewhere")
    for n in range(0, 140, 7):
        (vault / f"folder {n % 7}/note {n:03d}.md").write_text(f"# Note {n} anew\n\n[[new {n}]]\n")
        make(vault, {f"new/new {n}.md": f"new [[Note {n} anew]]"})
    for n in range(1, 140, 14):
        (vault / f"folder {n % 7}/note {n:03d}.md").unlink()
    (vault / "pics/p1.png").rename(vault / "pics/q1.png")
    (vault / "pics/p2.png").unlink()
    (vault / "pics/p3.png").write_bytes(PNG + b"changed")


def test_an_import_that_is_killed_again_and_again_ends_as_if_it_had_never_been(
    server: EmbeddedServer, scope: Scope, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    homes = [tmp_path / name for name in ("calm", "killed")]
    with new_database(server) as calm, new_database(server) as stormy:
        grow(vault)
        asyncio.run(imported(calm, homes[0], vault, scope))
        cut_off = sum(not killed(stormy, homes[1], vault, seed) for seed in (1, 2, 3))
        asyncio.run(imported(stormy, homes[1], vault, scope))
        assert state_of(stormy) == state_of(calm)

        change(vault)
        report = asyncio.run(imported(calm, homes[0], vault, scope))
        assert (len(report.moved), len(report.deleted), report.failed) == (21, 11, [])
        cut_off += sum(not killed(stormy, homes[1], vault, seed) for seed in (4, 5, 6))
        asyncio.run(imported(stormy, homes[1], vault, scope))
        assert state_of(stormy) == state_of(calm)
        stored = {bytes(digest).hex() for (digest,) in stormy.rows("select digest from pm.asset")}
    assert cut_off >= 2, "processes must have died on the way"
    assert stored <= {path.name for path in (homes[1] / "assets").rglob("*")}


async def test_a_deleted_note_is_not_found_any_more(engine: Engine, scope: Scope, tmp_path: Path) -> None:
    vault = make(tmp_path / "vault", {"a.md": "A", "b.md": "B"})
    await bring(engine, scope, vault)
    note_id = (await ids(engine, scope, vault))["a.md"]
    (vault / "a.md").unlink()
    await bring(engine, scope, vault)
    async with engine.database.transaction(scope) as tx:
        with pytest.raises(NotFoundError):
            await notes.get(tx, note_id)
