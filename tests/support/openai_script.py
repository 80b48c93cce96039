"""What a scripted endpoint is told to say, and what it has seen: the part of the test server that tests look at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tests.support.hashing import hashed_vector
from tests.support.openai_replies import EmbeddingReply, Fault, Reply, Vectors

Body = dict[str, Any]
Script = Sequence[Reply] | Callable[[Body], Reply]
EmbeddingScript = Sequence[EmbeddingReply] | Callable[[Body], EmbeddingReply]
_Scripted = TypeVar("_Scripted")


class ScriptedOpenAI:
    """What the server was told to say and what it has seen.

    Attributes:
        base_url: the value for `OPENAI_BASE_URL`, with `/v1`.
        requests: the bodies of all POST requests in order of arrival.
        headers: their headers, names in lower case.
        unexpected: one line for each request that the script did not foresee.
        hangups: how many clients went away before their reply was whole.
    """

    def __init__(
        self, script: Script, *, embeddings: EmbeddingScript | None, dimension: int, models: Sequence[str]
    ) -> None:
        self.base_url = ""
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.unexpected: list[str] = []
        self.hangups = 0
        self.models = tuple(models)
        self.closing = threading.Event()
        self._script = script
        self._embeddings = embeddings
        self._dimension = dimension
        self._taken = {"chat": 0, "embeddings": 0}
        self._lock = threading.Lock()

    @property
    def remaining(self) -> int:
        """How many replies of a listed chat script nobody has asked for."""
        return 0 if callable(self._script) else len(self._script) - self._taken["chat"]

    def note(self, body: Body, headers: Mapping[str, str]) -> None:
        with self._lock:
            self.requests.append(body)
            self.headers.append({name.lower(): value for name, value in headers.items()})

    def note_hangup(self) -> None:
        with self._lock:
            self.hangups += 1

    def surprise(self, what: str) -> Fault:
        """Keep what nobody foresaw; the client gets HTTP 500 with the same words."""
        with self._lock:
            self.unexpected.append(what)
        return Fault("status", status=500, code="unexpected_request", text=what)

    def next_reply(self, body: Body) -> Reply:
        return self._next(self._script, "chat", body)

    def next_embeddings(self, body: Body) -> EmbeddingReply:
        if self._embeddings is not None:
            return self._next(self._embeddings, "embeddings", body)
        dimension = int(body.get("dimensions") or self._dimension)
        return Vectors([hashed_vector(text, dimension).tolist() for text in body["input"]])

    def _next(
        self, script: Sequence[_Scripted] | Callable[[Body], _Scripted], kind: str, body: Body
    ) -> _Scripted | Fault:
        if callable(script):
            return script(body)
        with self._lock:
            place = self._taken[kind]
            self._taken[kind] = min(place + 1, len(script))
        if place < len(script):
            return script[place]
        return self.surprise(f"The {kind} script of {len(script)} replies is used up.")
