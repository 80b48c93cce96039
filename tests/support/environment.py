"""The environment of a test run: nothing of the machine's own settings, and strict checkpoints.

Import this before anything that imports LangGraph, which reads its switch when it is imported.
"""

from __future__ import annotations

import os

_OTHERS = ("POCKETMIND_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_")

for _name in [*os.environ]:
    if _name.startswith(_OTHERS) or _name == "DATABASE_URL":
        del os.environ[_name]
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
