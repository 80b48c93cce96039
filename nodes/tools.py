"""The tools of one turn, bound to its scope and its pin."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field, ValidationError

from context.derived import Pin
from context.errors import PocketMindError
from context.scope import Scope
from context.types import MemoryPolicy, MemoryType
from nodes.parts import ChatParts


class BrowseMemoryCategories(BaseModel):
    """No arguments."""


class SearchMemories(BaseModel):
    """What to look for, and of which type."""

    query: str = Field(description="the words that the memory would contain")
    type: MemoryType | None = Field(None, description="one of the eight types, if known")


class GetMemoryDetail(BaseModel):
    """Which memory."""

    memory_id: UUID = Field(description="id from search_memories")


class LoadSkill(BaseModel):
    """Which skill."""

    name: str = Field(description="name from the list of skills")


class ReadSkillFile(BaseModel):
    """Which file of which skill."""

    name: str = Field(description="name of the skill")
    path: str = Field(description="path inside the skill's folder")


@dataclass(slots=True)
class TurnTools:
    """The five tools as one scope sees them, and what they opened."""

    parts: ChatParts
    scope: Scope
    pin: Pin
    policy: MemoryPolicy
    has_skills: bool
    used: list[str] = field(default_factory=list)
    skills_used: list[str] = field(default_factory=list)

    def all(self) -> list[BaseTool]:
        """The tools that this turn may call."""
        found: list[BaseTool] = []
        if self.policy is not MemoryPolicy.OFF:
            found += [
                _tool("browse_memory_categories", BROWSE, BrowseMemoryCategories, self._browse),
                _tool("search_memories", SEARCH, SearchMemories, self._search),
                _tool("get_memory_detail", DETAIL, GetMemoryDetail, self._detail),
            ]
        if self.has_skills:
            found += [
                _tool("load_skill", LOAD, LoadSkill, self._load_skill),
                _tool("read_skill_file", READ, ReadSkillFile, self._read_skill_file),
            ]
        return found

    async def run(self, calls: Sequence[ToolCall]) -> list[ToolMessage]:
        """One message for every call, whatever happens."""
        by_name = {tool.name: tool for tool in self.all()}
        return list(await asyncio.gather(*(self._answer(call, by_name.get(call["name"])) for call in calls)))

    async def _answer(self, call: ToolCall, tool: BaseTool | None) -> ToolMessage:
        identity = call["id"] or ""

        def failed(reason: str) -> ToolMessage:
            body = json.dumps({"error": reason}, ensure_ascii=False)
            return ToolMessage(content=body, tool_call_id=identity, name=call["name"], status="error")

        if tool is None:
            return failed(f"There is no tool {call['name'][:64]!r}; the tools are listed in this request.")
        try:
            text = await tool.ainvoke(call["args"])
        except ValidationError as error:
            return failed(f"The arguments do not fit: {error.errors()[0]['msg']}.")
        except PocketMindError as error:
            return failed(error.message)
        return ToolMessage(content=text, tool_call_id=identity, name=call["name"])

    async def _browse(self) -> str:
        return (await self.parts.memory_tools.browse_memory_categories(self.scope, pin=self.pin)).text()

    async def _search(self, query: str, type: MemoryType | None = None) -> str:  # the model's word
        now = self.parts.now()
        result = await self.parts.memory_tools.search_memories(self.scope, query, type, pin=self.pin, now=now)
        return result.text()

    async def _detail(self, memory_id: UUID) -> str:
        result = await self.parts.memory_tools.get_memory_detail(self.scope, memory_id, pin=self.pin)
        self.used += result.used
        return result.text()

    async def _load_skill(self, name: str) -> str:
        body = await asyncio.to_thread(self.parts.skills.load, self.scope, name)
        self.skills_used.append(name)
        self.used.append(str(body.skill.uri))
        return body.text

    async def _read_skill_file(self, name: str, path: str) -> str:
        return await asyncio.to_thread(self.parts.skills.read_file, self.scope, name, path)


def _tool(name: str, description: str, schema: type[BaseModel], call: Callable[..., Awaitable[Any]]) -> BaseTool:
    return StructuredTool(name=name, description=description, args_schema=schema, coroutine=call)


SKILL_TOOLS = frozenset({"load_skill", "read_skill_file"})

BROWSE = (
    "Overview of what is remembered about the user: for each of the eight types the number of memories and one line. "
    "Begin here for 'what do you know about me'. 浏览用户记忆分类概览。"
)
SEARCH = (
    "Search the user's memories by meaning; returns up to five with id, type, one line and score. Use it when a topic "
    "may have been discussed before. 语义搜索相关记忆，返回摘要列表。"
)
DETAIL = (
    "One memory in full, with the quotes it rests on. Use it before quoting a memory or acting on its details. "
    "获取单条记忆完整详情，含来源引用。"
)
LOAD = "The instructions of a skill from the list. Load it before doing the task it describes. 加载技能说明。"
READ = "A file that a loaded skill names. 读取技能目录中的文件。"
