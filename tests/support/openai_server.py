"""A scripted OpenAI-compatible HTTP server on loopback, so that langchain-openai itself runs in tests.

    with scripted_openai([Text("hello"), Fault("status", status=429, retry_after=2)]) as server:
        model = build_chat_model(model="scripted", base_url=server.base_url, api_key=None)
        ...
    assert not server.unexpected

Chat completions take their replies from the script, one each. Embeddings come from `tests.support.hashing` unless they
are scripted too. A request that finds its script used up gets HTTP 500 and a line in `unexpected`.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence

from tests.support.openai_replies import Fault, Json, Text, ToolCall, Vectors
from tests.support.openai_script import EmbeddingScript, Script, ScriptedOpenAI
from tests.support.openai_wire import ScriptedServer

__all__ = ["Fault", "Json", "ScriptedOpenAI", "Text", "ToolCall", "Vectors", "scripted_openai"]


@contextlib.contextmanager
def scripted_openai(
    script: Script = (),
    *,
    embeddings: EmbeddingScript | None = None,
    dimension: int = 1536,
    models: Sequence[str] = ("scripted", "scripted-embedding"),
) -> Iterator[ScriptedOpenAI]:
    """Run the server for the length of the block.

    Args:
        script: replies to chat completions, or a function of the request's body.
        embeddings: the same for embeddings; None embeds by term hashing.
        dimension: of hashed embeddings, when the request names none.
        models: what `GET /v1/models` lists.
    """
    scripted = ScriptedOpenAI(script, embeddings=embeddings, dimension=dimension, models=models)
    server = ScriptedServer(scripted)
    scripted.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="scripted-openai")
    thread.start()
    try:
        yield scripted
    finally:
        scripted.closing.set()
        server.shutdown()
        server.drop_connections()
        server.server_close()
        thread.join()
