"""Ids that look alike never meet: `_`, `-`, `%`, letter case, prefixes, and forms of the same letter."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from context.errors import ScopeError
from context.scope import Scope, entered
from engine.engine import Engine
from engine.identity import signed_in_identity
from storage import catalog, clock, jobs, live, memories, notes
from storage.assets import AssetStore
from tests.integration.test_checkpoints import thread, write
from tests.support.engines import memory_record, save_note

IDS = ["u_1", "u-1", "u%1", "u1", "U1", "u_", "u%", "u", "u.1", "u 1", "u/1", "u%2F1", "u_1 "]
IDS += ["\u00fc", "u\u0308", "用户1", "用户\uff11"]  # one letter in two forms, one digit in two widths
PAIRS = [Scope(tenant="t", user=name) for name in IDS] + [Scope(tenant=name, user="u") for name in IDS]


async def test_owners_whose_ids_look_alike_each_see_their_own_and_nothing_else(engine: Engine) -> None:
    for place, scope in enumerate(PAIRS):
        await save_note(engine, scope, f"shared words and mark{place}", title="same title")
    marks = [f"mark{place}" for place in range(len(PAIRS))]
    for place, scope in enumerate(PAIRS):
        async with engine.database.transaction(scope) as tx:
            assert [note.body for note in await notes.list_notes(tx)] == [f"shared words and mark{place}"], scope
            assert (await clock.read(tx, engine="x")).miv == 1
            rows = await live.read_snapshot(tx, miv=1, engine="x", vectors=[], terms=marks)
            texts = await catalog.bodies(tx, [node.vid for node in rows.nodes or [] if node.is_leaf])
            assert [node.body for node, _ in texts.values()] == [f"shared words and mark{place}"]
            assert list(rows.postings) == [f"mark{place}"]
            assert await jobs.counts(tx) == {("embed", "todo"): 1}


async def test_checkpoints_of_lookalikes_never_meet(engine: Engine) -> None:
    threads = [str(uuid4()) for _ in PAIRS]
    for identity, scope in zip(threads, PAIRS, strict=True):
        with entered(scope):
            await write(engine.saver, identity, f"of {identity}")
    for identity, scope in zip(threads, PAIRS, strict=True):
        with entered(scope):
            seen = [row async for row in engine.saver.alist(None)]
            assert [row.config["configurable"]["thread_id"] for row in seen] == [identity]
            stranger = threads[(threads.index(identity) + 1) % len(threads)]
            assert await engine.saver.aget_tuple(thread(stranger)) is None


def test_signed_in_identities_and_asset_folders_of_lookalikes_differ(tmp_path: Path) -> None:
    both = {(a, b) for a in IDS for b in IDS}
    assert len({signed_in_identity(tenant, user)["identity"] for tenant, user in both}) == len(both)
    store = AssetStore(tmp_path)
    tenants = [*IDS, "..", ".", "../..", "a/../b"]
    owners = [Scope(tenant=tenant, user=user) for tenant in tenants for user in ("..", "u_1")]
    paths = [store._path(owner, bytes(32)) for owner in owners]
    assert len(set(paths)) == len(owners)
    assert all(path.parents[3] == tmp_path and ".." not in path.parts for path in paths)


@pytest.mark.parametrize("bad", ["", "*", "a\x00b", "a\nb", "\ud800", "x" * 257])
def test_ids_that_no_owner_may_have_are_refused(bad: str) -> None:
    for tenant, user in ((bad, "u"), ("t", bad)):
        with pytest.raises(ScopeError):
            Scope(tenant=tenant, user=user)
    if bad and bad != "*":
        with pytest.raises(ScopeError):
            Scope(tenant="t", user="u", agent=bad)


async def test_a_folder_or_a_source_with_wildcards_is_only_itself(engine: Engine, scope: Scope) -> None:
    names = ["a_b", "axb", "a%b", "a%", "a", "ab", "A_B", "a_b/c"]
    async with engine.database.transaction(scope) as tx:
        for name in names:
            note = (await save_note(engine, Scope(tenant="other", user="x"), name)).note_id
            await tx.execute(
                "insert into pm.note (tenant_id, owner_id, note_id, title, body, folder, digest)"
                " values (%(tenant)s, %(owner)s, %(id)s, '', '', %(folder)s, '')",
                {"id": note, "folder": name},
            )
            await memories.insert(tx, memory_record(name, f"pm://user/ann/notes/{name}/1"), miv=1)
        found = {n: {note.folder for note in await notes.list_notes(tx, folder=n)} for n in names}
        assert found == {n: {m for m in names if m == n or m.startswith(f"{n}/")} for n in names}
        for name in ("a_b", "a%", "a"):
            erased, poorer = await memories.forget_source(tx, f"pm://user/ann/notes/{name}")
            assert (len(erased), poorer) == ({"a_b": 2, "a%": 1, "a": 1}[name], []), name
