"""The commit graph: archive -> summarize -> extract -> dedup -> merge -> link -> count, then the report.

Run it with `durability="sync"` on a thread whose id follows from the commit, so that it resumes at every node.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from engine.engine import Engine, shared_engine
from nodes.commit import CommitNodes
from nodes.parts import CommitParts
from nodes.run_context import CommitContext
from nodes.state import CommitInput, CommitState

STEPS = ("archive", "summarize", "extract", "dedup", "merge", "link", "count")


def build_commit(engine: Engine) -> StateGraph[CommitState, CommitContext, CommitInput, CommitState]:
    """The drawing, bound to an engine."""
    nodes = CommitNodes(parts_of(engine))
    graph = StateGraph(CommitState, context_schema=CommitContext, input_schema=CommitInput)
    for step in STEPS:
        graph.add_node(step, getattr(nodes, step), input_schema=CommitState)
    graph.add_node("report", nodes.report, input_schema=CommitState)
    graph.add_edge(START, "archive")
    graph.add_conditional_edges("archive", nodes.after_archive, ["summarize", "report"])
    for before, after in pairwise(STEPS[1:]):
        graph.add_edge(before, after)
    graph.add_edge("count", "report")
    graph.add_edge("report", END)
    return graph


def parts_of(engine: Engine) -> CommitParts:
    """What the nodes need of an engine."""
    return CommitParts(
        database=engine.database,
        scopes=engine.identity,
        now=engine.now,
        fence=engine.fence,
        zone=engine.settings.zone,
        engine_id=engine.engine_id,
        model=None if engine.offline else engine.chat_model,
        model_name=engine.model_name,
        prompts=engine.prompts,
        projector=engine.projector,
        archive=engine.settings.archive,
        deadline=engine.settings.models.commit_deadline,
    )


async def commit_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """What `langgraph.json` names."""
    engine = await shared_engine()
    if id(engine) not in _kept:
        _kept.clear()
        _kept[id(engine)] = build_commit(engine).compile(name="commit")
    return _kept[id(engine)]


def compile_commit(engine: Engine) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph with our own checkpointer, for callers without a server."""
    return build_commit(engine).compile(checkpointer=engine.saver, name="commit")


_kept: dict[int, CompiledStateGraph[Any, Any, Any, Any]] = {}
