"""The chat graph.

open_turn -> analyze_intent -> {retrieve_skills | retrieve_resources | retrieve_memories | retrieve_session}
  -> retrieve_hierarchically -> assemble_context -> call_model <-> run_tools
  -> close_turn
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from engine.engine import Engine, shared_engine
from nodes.chat import ChatNodes
from nodes.parts import ChatParts, TurnLimits
from nodes.run_context import RunContext
from nodes.state import ChatInput, ChatState

LEGS = ("retrieve_skills", "retrieve_resources", "retrieve_memories", "retrieve_session")


def build_chat(engine: Engine) -> StateGraph[ChatState, RunContext, ChatInput, ChatState]:
    """The drawing, bound to an engine."""
    nodes = ChatNodes(parts_of(engine))
    graph = StateGraph(ChatState, context_schema=RunContext, input_schema=ChatInput)
    graph.add_node("open_turn", nodes.open_turn, input_schema=ChatState)
    graph.add_node("analyze_intent", nodes.analyze_intent, input_schema=ChatState)
    for leg in LEGS:
        graph.add_node(leg, getattr(nodes, leg), input_schema=ChatState)
        graph.add_edge(leg, "retrieve_hierarchically")
    graph.add_node("retrieve_hierarchically", nodes.retrieve_hierarchically, input_schema=ChatState)
    graph.add_node("assemble_context", nodes.assemble_context, input_schema=ChatState)
    graph.add_node("call_model", nodes.call_model, input_schema=ChatState)
    graph.add_node("run_tools", nodes.run_tools, input_schema=ChatState)
    graph.add_node("close_turn", nodes.close_turn, input_schema=ChatState)
    graph.add_edge(START, "open_turn")
    graph.add_edge("open_turn", "analyze_intent")
    graph.add_conditional_edges("analyze_intent", nodes.route_retrieval, [*LEGS, "assemble_context"])
    graph.add_edge("retrieve_hierarchically", "assemble_context")
    graph.add_edge("assemble_context", "call_model")
    graph.add_conditional_edges("call_model", nodes.route_answer, ["run_tools", "close_turn"])
    graph.add_edge("run_tools", "call_model")
    graph.add_edge("close_turn", END)
    return graph


def parts_of(engine: Engine) -> ChatParts:
    """What the nodes need of an engine."""
    chat = engine.settings.chat
    return ChatParts(
        database=engine.database,
        scopes=engine.identity,
        pin=engine.pin,
        now=engine.now,
        fence=engine.fence,
        model=engine.chat_model,
        model_name=engine.model_name,
        engine_id=engine.engine_id,
        offline=engine.offline,
        prompts=engine.prompts,
        intent=engine.intent,
        retriever=engine.retriever,
        skill_retriever=engine.skill_retriever,
        session_retriever=engine.session_retriever,
        skills=engine.skills,
        assembler=engine.assembler,
        memory_tools=engine.memory_tools,
        limits=TurnLimits(
            window=chat.window,
            window_tokens=chat.window_tokens,
            tool_rounds=chat.tool_rounds,
            message_bytes=chat.message_bytes,
            busy_wait=chat.busy_wait,
            first_token=chat.first_token,
            between_tokens=chat.between_tokens,
            total=chat.total,
            commit_after_messages=chat.commit_after_messages,
        ),
        archive=engine.settings.archive,
    )


async def chat_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """What `langgraph.json` names: the graph on this process's shared engine; the server adds its checkpointer."""
    return _compiled(await shared_engine())


@lru_cache(maxsize=4)
def compile_chat(engine: Engine) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph with our own checkpointer, for callers without a server; compiled once for each engine (12 ms)."""
    return build_chat(engine).compile(checkpointer=engine.saver, name="chat")


_kept: dict[int, CompiledStateGraph[Any, Any, Any, Any]] = {}


def _compiled(engine: Engine) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Compiled once for each engine: a server asks for the graph at every call."""
    if id(engine) not in _kept:
        _kept.clear()
        _kept[id(engine)] = build_chat(engine).compile(name="chat")
    return _kept[id(engine)]
