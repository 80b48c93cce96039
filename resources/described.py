"""Texts that a model wrote about material, kept by what they were written about, so that none is asked for twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from context.derived import ContextNode
from context.types import SourceType
from resources.material import digest_of, summarized, summary_leaf
from storage import traces
from storage.catalog import IndexedNode
from storage.database import Transaction

DESCRIBE = "describe"
"""Task under which descriptions of notes, files and containers are kept; `SUMMARY`: summaries of stages."""
SUMMARY = "stage_summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An abstract and an overview, and who wrote them."""

    abstract: str
    overview: str | None
    written_by: str


def key_of(nodes: Sequence[IndexedNode]) -> str:
    """What a description of this material is kept under: its source, its title and its chunks. An edit asks anew, and
    each of two like notes keeps its own."""
    return digest_of(
        nodes[0].node.source_id, nodes[0].node.title, *(item.node.digest.hex() for item in nodes[1:])
    ).hex()


async def kept(tx: Transaction, task: str, keys: Mapping[str, str]) -> dict[str, Kept]:
    """The texts that were written about sources in just this state: source to texts.

    Args:
        keys: source to what its texts are kept under (`key_of`; of a stage, its address).
    """
    if not keys:
        return {}
    found = await traces.model_outputs_of(tx, task=task, source_ids=list(keys))
    texts: dict[str, Kept] = {}
    for source, key in keys.items():
        said = found.get((source, traces.digest_of_prompt(key)))
        if said is not None:
            model, output = said
            texts[source] = Kept(abstract=output["abstract"], overview=output["overview"], written_by=model)
    return texts


async def keep(tx: Transaction, task: str, source_id: str, key: str, texts: Kept) -> None:
    """Keep texts before they are used."""
    output = {"abstract": texts.abstract, "overview": texts.overview}
    await traces.keep_model_output(
        tx, task=task, model=texts.written_by, prompt=key, source_id=source_id, output=output
    )


def with_texts(nodes: Sequence[IndexedNode], texts: Kept | None) -> list[IndexedNode]:
    """The material, its container with the better texts, if there are any. What a model said about a stage becomes a
    leaf of its own; by rule, a summary repeats its messages, which are found themselves."""
    if texts is None:
        return list(nodes)
    first = summarized(nodes[0], abstract=texts.abstract, overview=texts.overview, written_by=texts.written_by)
    told = [first, *nodes[1:]]
    if first.node.source_type is SourceType.CHAT_TRANSCRIPT and is_described(first.node):
        told.append(summary_leaf(first.node))
    return told


def is_described(node: ContextNode) -> bool:
    """Whether a model wrote a container's texts."""
    return node.written_by != "rule"
