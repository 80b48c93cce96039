"""\"What do you know about me\": the walk through the memory tools, and the answer out of what they returned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import ToolCall
from langchain_core.messages.tool import tool_call

from context.types import Language, MemoryType
from models.answers import Answer, EvidenceEntry
from models.phrases import MEMORY_LABELS, phrase
from models.quotes import inert, quotable, quote
from models.turn import Turn

BROWSE, SEARCH = "browse_memory_categories", "search_memories"
MOST_ROUNDS = 2
_SEARCHES = 2
_PER_TYPE = 5
_BULLETS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    text: str
    n: int = 0


def next_calls(turn: Turn, tools: Mapping[str, frozenset[str]]) -> list[ToolCall]:
    """The tool calls to make now: first the overview, then a search in the first two types that hold anything.

    Args:
        tools: names of the bound tools, each with the names of its parameters.

    Returns:
        Nothing when the tools are not bound, when nothing is left to ask, or after two rounds.
    """
    if turn.rounds == 0 and BROWSE in tools:
        return [_call(turn, BROWSE, {})]
    if not 0 < turn.rounds < MOST_ROUNDS or SEARCH not in tools:
        return []
    held = [memory_type for memory_type, (count, _) in _overview(turn.replies).items() if count > 0]
    return [
        _call(turn, SEARCH, _search_arguments(turn.question, memory_type, tools[SEARCH]))
        for memory_type in held[:_SEARCHES]
    ]


def compose_about_me(turn: Turn) -> Answer:
    """What the tools returned, by memory type; without them, the memories among the evidence, each cited."""
    overview, facts = _overview(turn.replies), _facts(turn.replies, turn.entries)
    if any(count for count, _ in overview.values()) or facts:
        return _from_tools(overview, facts, turn.language)
    memories = [
        _Fact(text=text, n=entry.n)
        for entry in turn.entries
        if entry.context_type == "MEMORY"
        for text in quotable(entry.text)
    ]
    if not memories:
        return Answer(text=phrase("about_me_nothing", turn.language))
    shown = memories[:_BULLETS]
    lines = [phrase("about_me", turn.language), *(_bullet(fact) for fact in shown)]
    return Answer(text="\n".join(lines), citations=tuple(dict.fromkeys(fact.n for fact in shown if fact.n)))


def _from_tools(
    overview: Mapping[MemoryType, tuple[int, str]],
    facts: Mapping[MemoryType | None, Sequence[_Fact]],
    language: Language,
) -> Answer:
    lines, cited = [phrase("about_me", language)], []
    for memory_type in (*MemoryType, None):
        count, abstract = overview.get(memory_type, (0, "")) if memory_type else (0, "")
        told = list(facts.get(memory_type, ()))[:_PER_TYPE] or [_Fact(text=abstract)]
        told = [fact for fact in told if fact.text]
        if not told and not count:
            continue
        if memory_type:
            label = MEMORY_LABELS[language][memory_type]
            lines.append(phrase("about_me_count", language, label=f"**{label}**", count=max(count, len(told))))
        lines += [_bullet(fact) for fact in told]
        cited += [fact.n for fact in told if fact.n]
    return Answer(text="\n".join(lines), citations=tuple(dict.fromkeys(cited)))


def _bullet(fact: _Fact) -> str:
    return f"- {fact.text} [{fact.n}]" if fact.n else f"- {fact.text}"


def _overview(replies: Sequence[str]) -> dict[MemoryType, tuple[int, str]]:
    """Count and one line of each type, in the order of `MemoryType`; replies of another form are passed over."""
    found: dict[MemoryType, tuple[int, str]] = {}
    for data in _objects(replies):
        for memory_type in MemoryType:
            values = data.get(memory_type.value)
            if isinstance(values, Mapping):
                count = values.get("count")
                abstract = quote(inert(str(values.get("abstract") or "")))
                found[memory_type] = (count if isinstance(count, int) else 0, abstract)
    return found


def _facts(replies: Sequence[str], entries: Sequence[EvidenceEntry]) -> dict[MemoryType | None, list[_Fact]]:
    """The matches of all searches by type, each text once, with the number of the entry that says the same."""
    numbers = {text: entry.n for entry in reversed(entries) for text in quotable(entry.text)}
    found: dict[MemoryType | None, list[_Fact]] = {}
    seen: set[str] = set()
    for data in _objects(replies):
        matches = data.get("matches")
        for match in matches if isinstance(matches, list) else ():
            if not isinstance(match, Mapping):
                continue
            text = quote(inert(str(match.get("abstract") or match.get("title") or "")))
            if text and text not in seen:
                seen.add(text)
                number = match.get("n")
                cited = number if isinstance(number, int) else numbers.get(text, 0)
                found.setdefault(_type_of(match.get("type")), []).append(_Fact(text=text, n=cited))
    return found


def _objects(replies: Sequence[str]) -> list[Mapping[str, Any]]:
    found = []
    for reply in replies:
        try:
            data = json.loads(reply)
        except ValueError:
            continue  # a tool that answers in prose tells this walk nothing
        if isinstance(data, Mapping):
            found.append(data)
    return found


def _type_of(name: object) -> MemoryType | None:
    return MemoryType(name) if isinstance(name, str) and name in MemoryType.__members__ else None


def _search_arguments(question: str, memory_type: MemoryType, parameters: frozenset[str]) -> dict[str, Any]:
    named = next((name for name in ("type", "memory_type") if name in parameters), None)
    return {"query": question} | ({named: memory_type.value} if named else {})


def _call(turn: Turn, name: str, arguments: dict[str, Any]) -> ToolCall:
    """A call with an id that depends on nothing but the turn, so that a replay makes the same one."""
    content = json.dumps([turn.question, turn.said, turn.rounds, name, arguments], ensure_ascii=False)
    return tool_call(name=name, args=arguments, id=f"offline_{hashlib.sha256(content.encode()).hexdigest()[:24]}")
