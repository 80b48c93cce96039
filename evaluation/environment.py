"""What a measurement needs of its environment: strict checkpoints, and nothing sent to a tracing service.

Import this before anything that imports LangGraph, which reads its switch when it is imported.
"""

from __future__ import annotations

import os

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["LANGCHAIN_TRACING_V2"] = "false"
