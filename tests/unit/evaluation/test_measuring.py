"""The measuring itself, on small sizes: every part runs and leaves nothing behind. No time is asserted."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from langchain_core.embeddings import Embeddings

from context.scope import Scope
from engine.engine import Engine
from evaluation import bench, offline
from evaluation.commit_speed import time_commits
from evaluation.retrieval_speed import time_retrieval
from evaluation.rig import own_database
from evaluation.stores import Store
from evaluation.synthetic import TOPICS, TopicVectors
from evaluation.turn_speed import time_turns
from models.embedders import EmbedderHandle
from storage.embedded import EmbeddedServer
from tests.support.cluster import home_of_run


def databases(server: EmbeddedServer) -> set[str]:
    with psycopg.connect(server.superuser_url()) as connection:
        return {row[0] for row in connection.execute("select datname from pg_database").fetchall()}


def test_a_rig_has_a_database_of_its_own_and_drops_it_also_after_a_failure(server: EmbeddedServer) -> None:
    with pytest.raises(RuntimeError), own_database(home_of_run()) as rig:
        assert rig.database in databases(server)
        assert rig.server.port == server.port
        assert not rig.fresh
        raise RuntimeError
    assert rig.database not in databases(server)
    assert "pocketmind" in databases(server)


def test_the_environment_does_not_change_what_is_measured(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POCKETMIND_CHAT_MODEL", "gpt-x")
    monkeypatch.setenv("POCKETMIND_CHAT__WINDOW", "2")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with own_database(home_of_run()) as rig:
        settings = rig.settings()
    assert (settings.offline, settings.chat.window, settings.openai_api_key) == (True, 20, None)


async def test_retrieval_turns_and_commits_are_timed(engine: Engine) -> None:
    assert engine.embedder is not None
    store = Store(engine=engine, scope=Scope(tenant="acme", user="ann"), vectors=_handle(engine.embedder))
    await store.grow(6)
    await store.fill()
    assert await store.nodes() > 12
    assert len(store.ingest.milliseconds) == 6
    (retrieval,) = await time_retrieval([store], questions=2, vectors=_vectors(engine.embedder))
    assert [len(s.milliseconds) for s in (retrieval.kept, retrieval.changed, retrieval.plain)] == [2, 2, 2]
    assert retrieval.matches > 0
    (turns,) = await time_turns([store], turns=2)
    assert len(turns.ours.milliseconds) == 2
    assert min(turns.ours.milliseconds) > 0
    assert min(turns.model.milliseconds) > 0
    assert 0 < turns.live_bytes < turns.stored_bytes
    commits = await time_commits(store, commits=1)
    assert commits.stats[0]["messages"] == 20
    assert commits.stats[0]["memories_extracted"] > 0


def test_the_command_lines_are_read() -> None:
    options, _ = bench.options_of(["--quick", "--notes", "300"])
    assert (options.notes, options.turns) == (300, bench.QUICK.turns)
    assert bench.options_of([])[0].notes == 1_000
    chosen, parsed = offline.options_of(["--part", "answers", "--part", "intents", "--json"])
    assert (chosen.parts, parsed.json) == (("intents", "answers"), True)
    with pytest.raises(SystemExit):
        bench.options_of(["--notes", "0"])


def _vectors(handle: EmbedderHandle) -> TopicVectors:
    names = [name for topics in TOPICS.values() for name in topics]
    vectors = handle.embeddings.embed_documents(names)
    return TopicVectors(dict(zip(names, vectors, strict=True)))


def _handle(handle: EmbedderHandle) -> EmbedderHandle:
    made: Embeddings = _vectors(handle)
    return replace(handle, embeddings=made)
