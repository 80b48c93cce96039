"""The rig: one PostgreSQL a run, one database a test, no environment, nothing beyond loopback."""

from __future__ import annotations

import tests.support.environment  # noqa: F401  # isort: skip  # first: it sets what LangGraph reads when imported

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from context.scope import Scope
from engine.engine import Engine, open_engine
from engine.logs import configure_logs
from prompts.library import PromptLibrary
from storage.embedded import EmbeddedServer
from tests.support.cluster import HOME_VARIABLE, Database, name_home, new_database, remove_cluster, start_cluster
from tests.support.engines import settings_for
from tests.support.loopback import loopback_only
from tests.support.openai_script import Script, ScriptedOpenAI
from tests.support.openai_server import scripted_openai

OnlineEngine = Callable[..., AbstractAsyncContextManager[tuple[Engine, ScriptedOpenAI]]]


def pytest_configure(config: pytest.Config) -> None:
    """Plain logs. The process that starts the run names the server's home; workers inherit the name."""
    configure_logs()
    if not hasattr(config, "workerinput"):
        name_home()


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last thing of a run: stop its server."""
    if not hasattr(config, "workerinput") and HOME_VARIABLE in os.environ:
        remove_cluster()


@pytest.fixture(scope="session", autouse=True)
def nothing_leaves() -> Iterator[None]:
    """No test reaches beyond loopback."""
    with loopback_only():
        yield


@pytest.fixture(scope="session", autouse=True)
def templates_are_read_once() -> Iterator[None]:
    """The real library, compiled once a run: a process opens one engine, a run opens hundreds (0.1 s each)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.engine.PromptLibrary", cache(PromptLibrary))
        yield


@pytest.fixture(scope="session")
def server() -> EmbeddedServer:
    """The run's PostgreSQL."""
    return start_cluster()


@pytest.fixture
def database(server: EmbeddedServer) -> Iterator[Database]:
    """A migrated database of this test's own."""
    with new_database(server) as database:
        yield database


@pytest.fixture
def empty_database(server: EmbeddedServer) -> Iterator[Database]:
    """A database that no migration has seen."""
    with new_database(server, empty=True) as database:
        yield database


@pytest.fixture
async def engine(database: Database, tmp_path: Path) -> AsyncIterator[Engine]:
    """An engine without a chat model on this test's database."""
    async with open_engine(settings_for(database, tmp_path)) as engine:
        yield engine


@pytest.fixture
def online_engine(database: Database, tmp_path: Path) -> OnlineEngine:
    """A factory: `async with online_engine(script) as (engine, server)`; its chat model follows the script."""

    @asynccontextmanager
    async def opened(script: Script, **more: Any) -> AsyncIterator[tuple[Engine, ScriptedOpenAI]]:
        with scripted_openai(script) as scripted:
            settings = settings_for(
                database, tmp_path, chat_model="scripted", openai_base_url=scripted.base_url, **more
            )
            async with open_engine(settings) as engine:
                yield engine, scripted

    return opened


@pytest.fixture
def scope() -> Scope:
    """Whose test it is."""
    return Scope(tenant="acme", user="ann")


@pytest.fixture
def other_user() -> Scope:
    """Another user of the same tenant."""
    return Scope(tenant="acme", user="bob")


@pytest.fixture
def other_tenant() -> Scope:
    """A user of the same name in another tenant."""
    return Scope(tenant="globex", user="ann")
