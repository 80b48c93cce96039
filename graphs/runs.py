"""Running the graphs without a server: the command line and the worker go through here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Literal, cast
from uuid import UUID, uuid4

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig

from context.errors import NotFoundError
from context.scope import Scope, entered
from engine.engine import Engine
from graphs.chat import compile_chat
from graphs.commit import compile_commit
from memory import archive
from storage import commits, sessions


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a running turn: a token of the answer, a custom event, or the state at its end."""

    kind: Literal["token", "event", "end"]
    value: Any


async def run_turn(engine: Engine, scope: Scope, session_id: UUID, text: str) -> AsyncIterator[Part]:
    """One turn as `scope`, streamed. The last part is the final state.

    Raises:
        PocketMindError: see the nodes; nothing of a refused turn is stored.
    """
    graph = compile_chat(engine)
    config: RunnableConfig = {"configurable": {"thread_id": str(session_id)}, "run_id": uuid4()}
    given = {"messages": [{"role": "user", "content": text, "id": str(uuid4())}]}
    with entered(scope):
        stream = graph.astream(given, config, stream_mode=["messages", "custom", "values"])
        state: Any = {}
        async for mode, value in stream:
            if mode == "custom":
                yield Part("event", value)
            elif mode == "values":
                state = value
            else:
                message, where = cast(tuple[BaseMessage, dict[str, Any]], value)
                if where.get("langgraph_node") == "call_model" and str(message.text):
                    yield Part("token", str(message.text))
    yield Part("end", state)


async def run_commit(
    engine: Engine, scope: Scope, *, session_id: UUID | None = None, commit_id: str | None = None
) -> dict[str, Any]:
    """One commit as `scope`: the named one, or the next stage of a session. It resumes where it stopped.

    Returns:
        commit_id (missing when there was nothing to do), session_id, state, reason, stats, outcomes.

    Raises:
        NotFoundError: the session or the commit is unknown.
        ModelUnavailable: a model did not answer; the commit goes on with the next call.
    """
    async with engine.database.transaction(scope) as tx:
        if commit_id is None:
            if session_id is None:
                raise NotFoundError("A commit needs a session.")
            session = await sessions.get(tx, session_id)
            waiting = await commits.unfinished(tx, session_id)
            identity = waiting or archive.commit_id_of(session_id, session.committed_seq)
            fence = (await commits.get(tx, waiting)).fence if waiting else 0
            given: dict[str, Any] = {"session_id": str(session_id)}
            if waiting:
                given["commit_id"] = str(waiting)
        else:
            known = await commits.get(tx, commits.as_id(commit_id))
            identity, fence = known.commit_id, known.fence
            given = {"session_id": str(known.session_id), "commit_id": str(known.commit_id)}
    graph = compile_commit(engine)
    config: RunnableConfig = {"configurable": {"thread_id": str(identity)}, "run_id": uuid4()}
    with entered(scope):
        state = await graph.aget_state(config)
        # A thread that another worker has overtaken would write under a stale fence: it starts again instead.
        resumes = bool(state.next) and state.values.get("fence") == fence
        result: dict[str, Any] = await graph.ainvoke(None if resumes else given, config, durability="sync")
    return {
        key: result[key] for key in ("commit_id", "session_id", "state", "reason", "stats", "outcomes") if key in result
    }
