"""What a model is asked when it is to describe material, and what it was shown for that. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from psycopg.rows import DictRow

from context.budget import count_tokens
from context.condense import cut, one_line
from context.derived import ContextNode
from context.text import ABSTRACT_LIMIT, language_of
from context.truth import Asset
from prompts.library import PromptLibrary
from resources.describing.excerpts import Passage, excerpt
from resources.levels import OVERVIEW_TOKENS
from resources.projector import is_long
from storage.catalog import IndexedNode

_LIMITS = {"abstract_limit": ABSTRACT_LIMIT, "overview_limit": OVERVIEW_TOKENS}
_LABEL = 200
_ABOUT_CHILDREN = 1_000
"""Characters that an overview of a container may always have, however little its children say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is sent, and what the answer is measured by.

    Attributes:
        shown: everything about the material that the model reads.
        longest: characters that the overview may have.
        wants_overview: whether the material is long enough to have one.
        now: what its dates are told by.
    """

    messages: tuple[BaseMessage, ...]
    shown: str
    longest: int
    wants_overview: bool
    now: datetime


def about_note(prompts: PromptLibrary, nodes: Sequence[IndexedNode], *, fence: str, tokens: int) -> Question:
    """Of a note, a clip or an import: its container and its chunks in order.

    Args:
        tokens: most tokens of its text that are sent.
    """
    top = nodes[0].node
    values = {
        "title": top.title,
        "source_name": top.source_name,
        "source_type": top.source_type.value if top.source_type else "",
        "updated_at": _day(top.happened_at),
        "text": _text_of(nodes, tokens),
    }
    return _of_source(prompts, "document", nodes, {"fence": fence, **values}, shown=values, system=_LIMITS)


def about_file(
    prompts: PromptLibrary, nodes: Sequence[IndexedNode], asset: Asset, *, fence: str, tokens: int
) -> Question:
    """Of a file that has been read: its container and its chunks in order.

    Args:
        tokens: most tokens of its text that are sent.
    """
    top = nodes[0].node
    values = {
        "name": top.source_name or asset.name,
        "mime": asset.mime,
        "source_type": top.source_type.value if top.source_type else "",
        "size": asset.size,
        "text": _text_of(nodes, tokens),
    }
    system = {**_LIMITS, "language": language_of(f"{top.title}\n{values['text']}")}
    shown = {**values, "title": top.title}
    return _of_source(prompts, "file", nodes, {"fence": fence, **values}, shown=shown, system=system)


def about_container(
    prompts: PromptLibrary,
    node: ContextNode,
    kind: str,
    rows: Sequence[DictRow],
    count: int,
    *,
    fence: str,
    tokens: int,
) -> Question:
    """Of a container, from the abstracts of its children.

    Args:
        kind: `folder` or `session`.
        rows, count: from `catalog.children`.
        tokens: most tokens of children that are sent; the rest are counted.
    """
    children: list[dict[str, str]] = []
    for row in rows:
        child = {
            "title": cut(one_line(row["title"]), _LABEL),
            "abstract": cut(one_line(row["abstract"]), _LABEL),
            "updated_at": _day(row["happened_at"]),
        }
        tokens -= count_tokens(" ".join(child.values())).gate
        if tokens < 0:
            break
        children.append(child)
    omitted = count - len(children)
    values = {"fence": fence, "title": node.title, "kind": kind, "children": children, "omitted": omitted}
    told = [" · ".join(child.values()) for child in children]
    shown = "\n".join([node.title, *told, *map(str, (count, len(children), omitted))])
    dates = [row["happened_at"] for row in rows if row["happened_at"]]
    return Question(
        messages=_messages(prompts, "overview_generation", values, _LIMITS),
        shown=shown,
        longest=max(len(shown), _ABOUT_CHILDREN),
        wants_overview=True,
        now=max(dates, default=datetime.now(UTC)),
    )


def _of_source(
    prompts: PromptLibrary,
    kind: str,
    nodes: Sequence[IndexedNode],
    values: Mapping[str, object],
    *,
    shown: Mapping[str, object],
    system: Mapping[str, object],
) -> Question:
    return Question(
        messages=_messages(prompts, f"{kind}_summary", values, system),
        shown="\n".join(str(value) for value in shown.values()),
        longest=sum(len(item.node.body or "") for item in nodes[1:]),
        wants_overview=is_long(nodes),
        now=nodes[0].node.happened_at or datetime.now(UTC),
    )


def _messages(
    prompts: PromptLibrary, task: str, values: Mapping[str, object], system: Mapping[str, object]
) -> tuple[BaseMessage, ...]:
    return (
        SystemMessage(prompts.render(f"semantic/{task}.system", **system)),
        HumanMessage(prompts.render(f"semantic/{task}.user", **values)),
    )


def _text_of(nodes: Sequence[IndexedNode], tokens: int) -> str:
    name = nodes[0].node.title
    passages = [
        Passage(heading=item.node.title.removeprefix(name).removeprefix(" / "), text=item.node.body or "")
        for item in nodes[1:]
    ]
    return excerpt(passages, tokens=tokens)


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else ""
