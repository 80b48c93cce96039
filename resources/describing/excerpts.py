"""A long text for a model that cannot read it whole: its beginning, its end, and of what lies between the headings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from context.budget import count_tokens
from context.condense import cut

LEFT_OUT = "[…]"
"""Stands where something was left out: read in either language, and no words of ours inside somebody's text."""
_HEADINGS = 0.1
_HEADING = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A verbatim piece of a text, and the path of headings above it (empty at the top)."""

    heading: str
    text: str


def excerpt(passages: Sequence[Passage], *, tokens: int) -> str:
    """The passages in order, cut in the middle to the budget. Pure.

    A passage is there whole or not at all. What was left out is marked by `LEFT_OUT` and represented by its headings,
    as far as a tenth of the budget goes.

    Args:
        tokens: most tokens of the result, as the gate counts them.
    """
    costs = [_cost(passage.text) for passage in passages]
    if sum(costs) <= tokens:
        return _joined(passage.text for passage in passages)
    room = tokens - int(tokens * _HEADINGS) - 2 * _cost(LEFT_OUT)
    first = _fitting(costs, room // 2)
    last = len(costs) - _fitting(costs[: first - 1 if first else None : -1], room - sum(costs[:first]))
    known = {passage.heading for passage in (*passages[:first], *passages[last:])}
    between = dict.fromkeys(passage.heading for passage in passages[first:last] if passage.heading not in known)
    headings = [f"# {cut(heading, _HEADING)}" for heading in between if heading]
    kept = headings[: _fitting([_cost(heading) for heading in headings], int(tokens * _HEADINGS))]
    middle = [LEFT_OUT, *kept, LEFT_OUT] if kept else [LEFT_OUT]
    return _joined([*(p.text for p in passages[:first]), *middle, *(p.text for p in passages[last:])])


def _fitting(costs: Iterable[int], room: int) -> int:
    """How many of the first ones fit."""
    count = 0
    for cost in costs:
        room -= cost
        if room < 0:
            break
        count += 1
    return count


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip("\r\n") for part in parts)


def _cost(text: str) -> int:
    count = count_tokens(f"{text}\n\n")
    return max(count.half, count.o200k)
