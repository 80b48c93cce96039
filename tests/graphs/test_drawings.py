"""The drawings: exactly the nodes and edges of the two graphs, and schemas that explain themselves."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.graph.state import CompiledStateGraph

from engine.engine import Engine
from graphs.chat import compile_chat
from graphs.commit import compile_commit

LEGS = ("retrieve_skills", "retrieve_resources", "retrieve_memories", "retrieve_session")
CHAT = {
    ("__start__", "open_turn", False),
    ("open_turn", "analyze_intent", False),
    *(("analyze_intent", leg, True) for leg in LEGS),
    ("analyze_intent", "assemble_context", True),
    *((leg, "retrieve_hierarchically", False) for leg in LEGS),
    ("retrieve_hierarchically", "assemble_context", False),
    ("assemble_context", "call_model", False),
    ("call_model", "run_tools", True),
    ("run_tools", "call_model", False),
    ("call_model", "close_turn", True),
    ("close_turn", "__end__", False),
}
COMMIT = {
    ("__start__", "archive", False),
    ("archive", "summarize", True),
    ("archive", "report", True),
    ("summarize", "extract", False),
    ("extract", "dedup", False),
    ("dedup", "merge", False),
    ("merge", "link", False),
    ("link", "count", False),
    ("count", "report", False),
    ("report", "__end__", False),
}


def drawn(engine: Engine, name: str) -> CompiledStateGraph[Any, Any, Any, Any]:
    return compile_chat(engine) if name == "chat" else compile_commit(engine)


@pytest.mark.parametrize(("name", "edges"), [("chat", CHAT), ("commit", COMMIT)])
async def test_nodes_and_edges_are_those_of_the_design(
    engine: Engine, name: str, edges: set[tuple[str, str, bool]]
) -> None:
    graph = drawn(engine, name).get_graph()
    assert {(edge.source, edge.target, edge.conditional) for edge in graph.edges} == edges
    assert set(graph.nodes) == {node for source, target, _ in edges for node in (source, target)}


@pytest.mark.parametrize(("name", "fields"), [("chat", {"messages"}), ("commit", {"session_id", "commit_id"})])
async def test_input_is_what_a_client_may_send_and_no_more(engine: Engine, name: str, fields: set[str]) -> None:
    schema = drawn(engine, name).get_input_jsonschema()
    assert set(schema["properties"]) == fields
    assert schema["description"]


@pytest.mark.parametrize(("name", "fields"), [("chat", {"agent", "language"}), ("commit", {"agent"})])
async def test_context_names_no_identity_and_explains_every_field(engine: Engine, name: str, fields: set[str]) -> None:
    schema = drawn(engine, name).get_context_jsonschema()
    assert schema is not None
    assert set(schema["properties"]) == fields
    assert schema["description"]
    assert all(field["description"] and "default" in field for field in schema["properties"].values())
    assert "required" not in schema
