"""The nodes of the chat graph before and after retrieval: state in, update out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid5

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph.config import get_config
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from context.budget import count_tokens
from context.derived import Degradation
from context.errors import ConflictError, InvalidInputError
from context.scope import Scope
from context.text import language_of
from context.truth import ChatMessage, ChatSession, MessageRole
from context.types import ContextType, MemoryPolicy
from nodes.closing import close
from nodes.events import emit, stage
from nodes.model import answer_stream, context_message
from nodes.parts import TurnLimits, scope_of
from nodes.retrieval import RetrievalNodes, watched
from nodes.run_context import RunContext
from nodes.state import ChatState
from nodes.tools import SKILL_TOOLS, TurnTools
from nodes.turn import (
    Turn,
    checked_text,
    degradations_of,
    ids_of_turn,
    language_or,
    message_id_of,
    pin_of,
    plain,
    repaired,
    to_langchain,
)
from prompts.fencing import fence_text
from retrievers.assembler import Selection
from retrievers.base import Match, QueryPlan
from retrievers.disclosure import DisclosureSettings
from retrievers.intent import Conversation
from skills.descriptor import SkillDescriptor
from storage import jobs, sessions
from storage.sessions import Lease

_POLL_SECONDS = 0.1
_EARLIER = 5


class ChatNodes(RetrievalNodes):
    """All nodes of the chat graph, bound to their parts."""

    @watched
    async def open_turn(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Take the lease, store the user's message, rebuild the window from truth, take the pin."""
        parts = self._parts
        scope = scope_of(parts.scopes, runtime)
        configurable = get_config().get("configurable") or {}
        message = state["messages"][-1] if state.get("messages") else None
        if not isinstance(message, HumanMessage):
            raise InvalidInputError("A turn starts with a user message.", hint='{"messages": [{"role": "user", ...}]}')
        text, replaced = checked_text(message, most_bytes=parts.limits.message_bytes)
        session_id = _session_id(configurable.get("thread_id"))
        run = runtime.execution_info.run_id if runtime.execution_info else None
        turn_id, run_id = ids_of_turn(run or configurable.get("run_id"), message)
        stored = ChatMessage(
            message_id=message_id_of(message, turn_id),
            role=MessageRole.USER,
            content=text,
            sent_at=parts.now(),
            zone=str(parts.now().tzinfo),
            run_id=run_id,
            turn_id=turn_id,
        )
        with stage("open_turn"):
            lease = await self._lease(scope, session_id, turn_id)
            try:
                async with parts.database.transaction(scope) as tx:
                    await sessions.append(tx, session_id, [stored])
                    session = await sessions.get(tx, session_id)
                    recent = await sessions.messages(tx, session_id, limit=2 * parts.limits.window)
                    pin = await parts.pin(tx, seq=session.last_seq)
                    if pin.engine != parts.engine_id:  # another embedder is configured: let it see all, then switch
                        await jobs.defer(tx, jobs.EMBED, lock="embed")
                own = next((m for m in recent if m.message_id == stored.message_id), None)
                if own is None:
                    raise ConflictError("This message id was used before, elsewhere; send the message with a new id.")
            except BaseException:
                await asyncio.shield(self._give_back(scope, lease))
                raise
        window = live_window(recent, own, parts.limits)
        turn = Turn(
            session_id=session_id,
            turn_id=turn_id,
            fence=lease.fence,
            run_id=run_id,
            trace_id=uuid5(turn_id, "trace"),
            message_id=stored.message_id,
            seq=own.seq,
            window_from=window[0].seq if window else own.seq,
            began=parts.now(),
            language=language_or(runtime.context.language if runtime.context else "", language_of(text)),
            first=own.seq == 1,
            policy=session.policy,
            unchanged=bool(state.get("pin")) and state["pin"].get("miv") == pin.miv,
        )
        degraded = [Degradation(leg="message", code="text_cleaned", detail=str(replaced))] if replaced else []
        if session.policy is MemoryPolicy.OFF:
            degraded.append(Degradation(leg="memories", code="recall_off"))
        emit("turn", trace_id=str(turn.trace_id), session_id=str(session_id), run_id=str(run_id), pin=str(pin))
        self._tell(degraded, turn)
        return {
            "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *[to_langchain(m) for m in window]],
            "turn": turn.to_json(),
            "pin": {"miv": pin.miv, "shared_miv": pin.shared_miv, "seq": pin.seq, "skills": pin.skills}
            | {"engine": pin.engine},
            "plan": {},
            "found_skills": [],
            "found_resources": [],
            "found_memories": [],
            "found_session": [],
            "matches": [],
            "trajectory": [],
            "selection": {},
            "rounds": 0,
            "used": Overwrite([]),
            "skills_used": Overwrite([]),
            "degradations": Overwrite(plain(degraded)),
            "answer": {},
        }

    @watched
    async def analyze_intent(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Decide what the turn needs."""
        parts = self._parts
        scope = scope_of(parts.scopes, runtime)
        turn = Turn.of(state)
        with stage("analyze_intent") as counts:
            async with parts.database.transaction(scope) as tx:
                session = await sessions.get(tx, turn.session_id)
            conversation = Conversation(
                message=turn.question,
                earlier=[(_role(m), str(m.text)) for m in state["messages"][-_EARLIER - 1 : -1]],
                overview=session.overview,
                covered_by_pin=turn.unchanged,
            )
            plan, degraded = await parts.intent.analyze(
                conversation, now=parts.now(), fence=parts.fence(f"intent:{turn.trace_id}")
            )
            plan = replace(plan, language=turn.language)
            if session.policy is MemoryPolicy.OFF:
                plan = replace(plan, queries=tuple(q for q in plan.queries if q.context_type is ContextType.SKILL))
            counts |= {"task_type": plan.task_type.value, "queries": len(plan.queries), "source": plan.source}
        self._tell(degraded, turn)
        return {"plan": plan.to_json(), "degradations": plain(degraded)}

    @watched
    async def assemble_context(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Choose what is injected, within the budgets."""
        parts = self._parts
        scope = scope_of(parts.scopes, runtime)
        turn, pin = Turn.of(state), pin_of(state)
        with stage("assemble_context") as counts:
            selection = await parts.assembler.select(
                scope,
                plan=QueryPlan.from_json(state["plan"]),
                question=turn.question,
                matches=[Match.from_json(match) for match in state.get("matches", [])],
                session=state.get("found_session", []),
                skills=[match["uri"].rsplit("/", 1)[-1] for match in state.get("found_skills", [])],
                pin=pin,
                now=turn.began,
                needs_quote=parts.offline,
                degradations=degradations_of(state),
                recall=turn.policy is not MemoryPolicy.OFF,
            )
            counts |= {"tier": selection.decision.tier, "reason": selection.decision.reason}
            counts["entries"] = len(selection.chosen)
        return {"selection": selection.to_json()}

    @watched
    async def call_model(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Let the model speak, with its tools while rounds are left."""
        parts = self._parts
        scope = scope_of(parts.scopes, runtime)
        turn, pin = Turn.of(state), pin_of(state)
        selection = Selection.from_json(state["selection"])
        with stage("call_model") as counts:
            resolution = await parts.skill_retriever.resolve(scope)
            context = await parts.assembler.render(
                scope,
                selection,
                language=turn.language,
                fence=parts.fence(str(turn.trace_id)),
                session_id=turn.session_id,
            )
            shown = within([s for s in resolution.skills if s.name in selection.skills], parts.assembler.settings)
            tools = TurnTools(parts, scope, pin, turn.policy, has_skills=bool(shown)).all()
            if state.get("rounds", 0) >= parts.limits.tool_rounds:
                tools = []
            system = parts.prompts.render(
                "chat/answer.system",
                language=turn.language,
                memory_tools=any(tool.name == "search_memories" for tool in tools),
                skills=[{"name": s.name, "description": s.description} for s in shown],
                today=turn.began.strftime("%Y-%m-%d %A %Z"),
            )
            messages = list(state["messages"])
            at = next(n for n in range(len(messages) - 1, -1, -1) if isinstance(messages[n], HumanMessage))
            prompt: list[AnyMessage] = [
                SystemMessage(system),
                *messages[:at],
                context_message(context, turn, QueryPlan.from_json(state["plan"])),
                *self._fenced(repaired(messages[at:]), parts.fence(str(turn.trace_id))),
            ]
            emit("budget", **{name: dict(row) for name, row in context.budget.items()})
            reply, problem = await answer_stream(parts, scope, turn, prompt, tools)
            counts |= {"tool_calls": len(reply.tool_calls), "characters": len(str(reply.text))}
        update: dict[str, Any] = {
            "messages": [reply],
            "rounds": state.get("rounds", 0) + 1,
            "answer": {
                "entries": [{"n": e.n, "uri": e.uri, "source": e.source, "digest": e.digest} for e in context.entries],
                "budget": {name: dict(row) for name, row in context.budget.items()},
                "message_id": str(uuid5(turn.turn_id, "answer")),
            },
        }
        if problem is not None:
            degraded = [Degradation(leg="model", code="model_unavailable", detail=problem.message)]
            self._tell(degraded, turn)
            update["degradations"] = plain(degraded)
        late = [d for d in context.degradations if d not in degradations_of(state)]
        if late:
            update["degradations"] = [*update.get("degradations", []), *plain(late)]
        return update

    def _fenced(self, messages: Sequence[AnyMessage], fence: str) -> list[AnyMessage]:
        """This turn's messages with what the memory tools found marked as data. A skill's text is the operator's and
        instructs; the offline brain reads values, not prose."""
        if self._parts.offline:
            return list(messages)
        return [
            message.model_copy(update={"content": fence_text(str(message.text), fence, f"result of {message.name}")})
            if isinstance(message, ToolMessage) and message.name not in SKILL_TOOLS
            else message
            for message in messages
        ]

    def route_answer(self, state: ChatState) -> str:
        """On to the tools that the model asked for, or to the end of the turn."""
        last = state["messages"][-1]
        return "run_tools" if isinstance(last, AIMessage) and last.tool_calls else "close_turn"

    @watched
    async def run_tools(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Answer every tool call with exactly one message."""
        parts = self._parts
        scope = scope_of(parts.scopes, runtime)
        turn = Turn.of(state)
        last = state["messages"][-1]
        calls = last.tool_calls if isinstance(last, AIMessage) else []
        tools = TurnTools(parts, scope, pin_of(state), turn.policy, has_skills=bool(state["selection"]["skills"]))
        with stage("run_tools") as counts:
            results = await tools.run(calls)
            counts["calls"] = [call["name"] for call in calls]
            async with parts.database.transaction(scope) as tx:
                await sessions.renew_turn(tx, turn.lease)
        return {"messages": results, "used": tools.used, "skills_used": tools.skills_used}

    @watched
    async def close_turn(self, state: ChatState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Store answer and trace under the lease, and start a commit when one is due."""
        scope = scope_of(self._parts.scopes, runtime)
        with stage("close_turn") as counts:
            answer = await close(self._parts, scope, state)
            counts |= {"citations": len(answer["citations"]), "trace_id": answer["trace_id"]}
        return {"answer": answer}

    async def _lease(self, scope: Scope, session_id: UUID, turn_id: UUID) -> Lease:
        """The session's lease, opening the session if it is new; waits for a running turn, then says it is busy."""
        waited = 0.0
        while True:
            async with self._parts.database.transaction(scope) as tx:
                await sessions.create(tx, ChatSession(session_id=session_id, agent=scope.agent))
                lease = await sessions.take_turn(tx, session_id, turn_id)
            if lease is not None:
                return lease
            if waited >= self._parts.limits.busy_wait:
                raise ConflictError(
                    "Another turn of this session is running; try again when it has ended.",
                    zh="这个会话正在进行另一轮对话，请等它结束后再试。",
                )
            await asyncio.sleep(_POLL_SECONDS)
            waited += _POLL_SECONDS


def live_window(recent: Sequence[ChatMessage], own: ChatMessage, limits: TurnLimits) -> list[ChatMessage]:
    """The newest messages up to this turn's own that fit the window in number and tokens; the own one always. Branches
    that the user left are not part of it."""
    kept: list[ChatMessage] = []
    spent = 0
    for message in reversed([m for m in recent if m.seq <= own.seq]):
        if message.role is MessageRole.TOOL or message.left_behind or not message.content.strip():
            continue
        spent += count_tokens(message.content).gate
        if kept and (spent > limits.window_tokens or len(kept) >= limits.window):
            break
        kept.insert(0, message)
    return kept


def within(skills: Sequence[SkillDescriptor], settings: DisclosureSettings) -> list[SkillDescriptor]:
    """The skills whose descriptions fit the quota of the skills section, in order."""
    kept, spent = [], 0
    for skill in skills:
        spent += count_tokens(f"- {skill.name}: {skill.description}").gate
        if spent > settings.skills_tokens:
            break
        kept.append(skill)
    return kept


def _session_id(thread_id: Any) -> UUID:
    try:
        return UUID(str(thread_id))
    except ValueError as error:
        raise InvalidInputError("A chat runs on a thread whose id is a UUID; it is the session's id.") from error


def _role(message: AnyMessage) -> str:
    return "user" if isinstance(message, HumanMessage) else "assistant"
