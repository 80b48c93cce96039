"""What tests of langchain-openai share: a model on a scripted endpoint, and an environment that must not matter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from models.chat import build_chat_model, close_chat_model
from tests.support.loopback import loopback_only
from tests.support.openai_script import Script, ScriptedOpenAI
from tests.support.openai_server import scripted_openai

CANARY = "canary-from-the-environment"
QUESTION = [SystemMessage("Be brief. 简短回答。"), HumanMessage("我对什么过敏？")]


@contextmanager
def misleading_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set everything that the libraries read behind our back, and let nothing leave this machine."""
    for name in ("API_KEY", "ORG_ID", "ORGANIZATION", "PROJECT_ID", "ADMIN_KEY"):
        monkeypatch.setenv(f"OPENAI_{name}", CANARY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Canary: {CANARY}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://192.0.2.1/v1")
    monkeypatch.setenv("OPENAI_API_BASE", "http://192.0.2.1/v1")
    monkeypatch.setenv("OPENAI_PROXY", "http://192.0.2.1:3128")
    monkeypatch.setenv("OPENAI_API_TYPE", "azure")
    monkeypatch.setenv("LC_OUTPUT_VERSION", "v1")
    monkeypatch.setenv("LANGCHAIN_OPENAI_STREAM_CHUNK_TIMEOUT_S", "0.001")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with loopback_only():
        yield


@asynccontextmanager
async def scripted_model(script: Script, *, max_retries: int = 0) -> AsyncIterator[tuple[ChatOpenAI, ScriptedOpenAI]]:
    """A chat model whose endpoint follows `script`; all of it must be asked for, and nothing beyond it."""
    with scripted_openai(script) as server:
        model = build_chat_model(
            model="scripted", base_url=server.base_url, api_key=SecretStr("sk-test"), max_retries=max_retries
        )
        try:
            yield model, server
        finally:
            await close_chat_model(model)
    assert not server.unexpected and server.remaining == 0
    assert CANARY not in str(server.headers)


async def hung_up(server: ScriptedOpenAI) -> bool:
    """Whether the server sees one client leave, within a second: no connection is left open."""
    for _ in range(100):
        if server.hangups:
            return server.hangups == 1
        await asyncio.sleep(0.01)
    return False
