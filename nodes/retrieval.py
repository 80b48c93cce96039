"""The retrieval nodes of the chat graph: parallel typed legs, then the walk over what they recalled."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import Any
from uuid import UUID

import structlog
from langgraph.runtime import Runtime
from langgraph.types import Send

from context.derived import Degradation
from context.errors import PocketMindError, StorageError
from context.messages import degradation_line
from context.scope import Scope
from context.types import ContextType, TaskType
from nodes.events import emit, stage
from nodes.parts import ChatParts, scope_of
from nodes.run_context import RunContext
from nodes.state import ChatState
from nodes.turn import Turn, degradations_of, pin_of, plain
from retrievers.base import Match, QueryPlan
from retrievers.hierarchical import Recall
from storage import sessions
from storage.sessions import Lease

log = structlog.get_logger("pocketmind.chat")

_STARTS = 5
_STEPS = 50
"""Steps of a walk that state and trace keep; it ends after a handful in nearly every tree."""

Node = Callable[..., Awaitable[dict[str, Any]]]


def watched(node: Node) -> Node:
    """A node that tells the page why it failed (a server hides the words of an error), and gives the session's lease
    back when it does or is cancelled, so that the next message need not wait."""

    @wraps(node)
    async def run(self: RetrievalNodes, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        try:
            return await node(self, state, runtime=runtime)
        except BaseException as error:
            if isinstance(error, PocketMindError):
                language = state["turn"]["language"] if state.get("turn") else "en"
                emit("error", code=type(error).__name__, message=error.text(language), hint=error.hint)
            if state.get("turn") and node.__name__ != "open_turn":  # open_turn gives its own lease back
                await asyncio.shield(self._abandon(Turn.of(state), runtime))
            raise

    return run


class RetrievalNodes:
    """The legs, bound to their parts; a failed leg is a stated degradation, not a failed turn."""

    def __init__(self, parts: ChatParts) -> None:
        self._parts = parts
        self._recalls: OrderedDict[tuple[UUID, ContextType], Recall] = OrderedDict()

    def route_retrieval(self, state: ChatState) -> list[Send] | str:
        """Fan out to the legs that the plan asks for; small talk goes straight on."""
        plan = QueryPlan.from_json(state["plan"])
        if plan.task_type is TaskType.CONVERSATIONAL or plan.covered:
            return "assemble_context"
        payload: dict[str, Any] = {key: state.get(key) for key in ("turn", "pin", "plan", "messages")}
        legs = {
            "retrieve_skills": bool(plan.of_type(ContextType.SKILL)),
            "retrieve_resources": bool(plan.of_type(ContextType.RESOURCE)),
            "retrieve_memories": bool(plan.of_type(ContextType.MEMORY)),
            "retrieve_session": True,
        }
        return [Send(name, payload) for name, wanted in legs.items() if wanted]

    async def retrieve_skills(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Skills of this request that fit."""
        scope = scope_of(self._parts.scopes, runtime)
        plan, turn = QueryPlan.from_json(state["plan"]), Turn.of(state)
        try:
            with stage("retrieve_skills") as counts:
                found, degraded = await self._parts.skill_retriever.retrieve(scope, plan.of_type(ContextType.SKILL))
                counts["found"] = len(found)
        except Exception as error:
            return {"degradations": self._failed("skills", error, turn)}
        self._tell(degraded, turn)
        return {"found_skills": [match.to_json() for match in found], "degradations": plain(degraded)}

    async def retrieve_resources(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Starting points among notes, files and transcripts."""
        return await self._recall("resources", ContextType.RESOURCE, state, runtime)

    async def retrieve_memories(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Starting points among memories."""
        return await self._recall("memories", ContextType.MEMORY, state, runtime)

    async def retrieve_session(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Messages of this session from before the live window."""
        scope = scope_of(self._parts.scopes, runtime)
        plan, turn = QueryPlan.from_json(state["plan"]), Turn.of(state)
        text = " ".join(dict.fromkeys(query.query for query in plan.queries)) or turn.question
        try:
            with stage("retrieve_session") as counts:
                found = await self._parts.session_retriever.retrieve(
                    scope, turn.session_id, text, before_seq=turn.window_from
                )
                counts["found"] = len(found)
        except Exception as error:
            return {"degradations": self._failed("session", error, turn)}
        return {"found_session": [message.seq for message in found]}

    @watched
    async def retrieve_hierarchically(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Walk the tree from the starting points; memories and resources come out in one order."""
        parts = self._parts
        scope = scope_of(parts.scopes, runtime).in_session(Turn.of(state).session_id)
        plan, turn, pin = QueryPlan.from_json(state["plan"]), Turn.of(state), pin_of(state)
        matches: list[Match] = []
        trajectory: list[Any] = []
        degraded: list[Degradation] = []
        failed: list[list[str]] = []
        with stage("retrieve_hierarchically") as counts:
            for context_type in (ContextType.MEMORY, ContextType.RESOURCE):
                leg = "memories" if context_type is ContextType.MEMORY else "resources"
                if not plan.of_type(context_type):
                    continue
                try:
                    recall = self._recalls.pop((turn.trace_id, context_type), None)
                    recall = recall or await parts.retriever.recall(scope, plan, pin=pin, context_type=context_type)
                    found = await parts.retriever.walk(scope, plan, recall, pin=pin, now=turn.began)
                except Exception as error:
                    failed += self._failed(leg, error, turn)
                    continue
                matches += found.matches
                trajectory += [{"leg": leg, **step} for step in found.trajectory[:_STEPS]]
                degraded += found.degradations
            matches.sort(key=lambda match: (-match.score, -match.raw, match.uri))
            counts["matches"] = len(matches)
        degraded = [d for d in dict.fromkeys(degraded) if d not in degradations_of(state)]
        self._tell(degraded, turn)
        emit("matches", matches=[{"uri": m.uri, "score": round(m.score, 4)} for m in matches])
        return {
            "matches": [match.to_json() for match in matches],
            "trajectory": trajectory,
            "degradations": [*failed, *plain(degraded)],
        }

    async def _recall(
        self,
        leg: str,
        context_type: ContextType,
        state: ChatState,
        runtime: Runtime[RunContext],
    ) -> dict[str, Any]:
        scope = scope_of(self._parts.scopes, runtime)
        plan, turn = QueryPlan.from_json(state["plan"]), Turn.of(state)
        try:
            with stage(f"retrieve_{leg}") as counts:
                recall = await self._parts.retriever.recall(
                    scope.in_session(turn.session_id), plan, pin=pin_of(state), context_type=context_type
                )
                starts = recall.strategy.global_search(limit=_STARTS, leaves_only=True) if recall.strategy else []
                counts["starts"] = len(starts)
        except Exception as error:
            return {"degradations": self._failed(leg, error, turn)}
        self._recalls[(turn.trace_id, context_type)] = recall
        while len(self._recalls) > 128:  # a turn that died between two nodes
            self._recalls.popitem(last=False)
        return {f"found_{leg}": [{"uri": m.uri, "vid": m.vid, "raw": m.raw} for m in starts]}

    async def _abandon(self, turn: Turn, runtime: Runtime[RunContext]) -> None:
        await self._give_back(scope_of(self._parts.scopes, runtime), turn.lease)

    async def _give_back(self, scope: Scope, lease: Lease) -> None:
        try:
            async with self._parts.database.transaction(scope) as tx:
                await sessions.abandon_turn(tx, lease)
        except StorageError as error:  # the lease expires by itself; the first error is the one to tell
            log.error("lease not freed", session=str(lease.session_id), error=error.message)

    def _failed(self, leg: str, error: Exception, turn: Turn) -> list[list[str]]:
        """A leg that failed is a stated degradation, not a failed turn; the operator's log has the traceback."""
        log.error("leg failed", leg=leg, session=str(turn.session_id), exc_info=error)
        detail = error.message if isinstance(error, PocketMindError) else type(error).__name__
        degraded = [Degradation(leg=leg, code="leg_failed", detail=detail)]
        self._tell(degraded, turn)
        return plain(degraded)

    def _tell(self, degraded: Sequence[Degradation], turn: Turn) -> None:
        for item in degraded:
            emit(
                "degradation",
                leg=item.leg,
                code=item.code,
                detail=item.detail,
                text=degradation_line(item, turn.language),
            )
