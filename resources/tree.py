"""The tree above notes, files and stages: containers that come with their first child, tell of their children, and are
wiped of what was deleted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from psycopg.rows import DictRow

from context.derived import ContextNode
from context.terms import term_counts
from context.uri import ContextUri
from resources import described
from resources.directory_texts import MOST_CHILDREN, Child, directory_texts
from resources.material import digest_of, tree_source
from storage import catalog, clock, containers, traces
from storage.catalog import Difference, IndexedNode
from storage.database import Transaction

_AT_ONCE = 50


def growth(wanted: Iterable[ContextNode], have: Collection[str]) -> Difference:
    """What must begin so that these containers are there. Pure."""
    by_uri = {node.uri: node for node in wanted}
    return Difference(fresh=tuple(_indexed(node) for uri, node in by_uri.items() if uri not in have))


def above(parent_uris: Iterable[str]) -> list[str]:
    """These containers and all above them, the deepest first."""
    found: set[ContextUri] = set()
    for text in parent_uris:
        uri = ContextUri.parse(text)
        found |= {ContextUri(uri.space, uri.segments[:depth]) for depth in range(1, len(uri.segments) + 1)}
    return [str(uri) for uri in sorted(found, key=lambda uri: (-len(uri.segments), str(uri)))]


async def refresh(tx: Transaction, *, engine: str, quiet: float, longest: float) -> list[str]:
    """Write the texts of containers that are due, at most fifty in one transaction, the deepest first.

    By rule, unless what is kept of a model still fits; asking one is left to `describing.describe_containers`.

    Args:
        quiet: seconds without a change after which a container is due.
        longest: seconds after which it is due anyhow.

    Returns:
        What was due. Empty: nothing is left, or what is left is not due.
    """
    await clock.hold(tx)  # whoever saves a note holds it when he touches containers: the same order here
    due = await containers.take(tx, quiet=quiet, longest=longest, limit=_AT_ONCE)
    if not due:
        return []
    miv = await clock.advance(tx, engine=engine)
    for uri in due:
        await retell(tx, uri, miv=miv)
    return due


async def retell(tx: Transaction, uri: str, *, miv: int, by_rule: bool = False) -> bool:
    """Write a container's texts from its children; whether that changed anything.

    Args:
        by_rule: also where a model has described just these children; something in it was erased.

    A container that holds nothing any more ends, but for the root of all; after an erasure all its versions go.
    """
    node = (await catalog.live_nodes(tx, [uri])).get(uri)
    if node is None:
        if by_rule and not await catalog.ever_had_children(tx, uri):
            await catalog.erase_sources(tx, [tree_source(uri)])  # it ended before; its name need not stay either
        return False
    if node.parent_uri and not await catalog.has_children(tx, uri):
        if by_rule:
            await catalog.erase_sources(tx, [node.source_id])
        else:
            await catalog.close_uris(tx, [uri], miv=miv)  # as of an earlier time it still held something
        return True
    newer = await (told_by_rule if by_rule else told)(tx, node)
    if (node.digest, node.written_by) == (newer.digest, newer.written_by):
        return False
    live = await catalog.live_of(tx, [node.source_id])
    changes = catalog.difference(live[node.source_id], [_indexed(newer)])
    return bool((await catalog.apply(tx, [changes], miv=miv)).versions)


async def told(tx: Transaction, node: ContextNode) -> ContextNode:
    """A container with what a model wrote about just its children of this moment, else with what they give by rule."""
    rows, count = await catalog.children(tx, node.uri, limit=MOST_CHILDREN)
    texts = await described.kept(tx, described.DESCRIBE, {node.source_id: key_of_children(node, rows, count)})
    if node.source_id not in texts:
        return _by_rule(node, rows, count)
    return described.with_texts([IndexedNode(node=node, terms={})], texts[node.source_id])[0].node


async def told_by_rule(tx: Transaction, node: ContextNode) -> ContextNode:
    """A container with the texts that its children of this moment give it."""
    return _by_rule(node, *await catalog.children(tx, node.uri, limit=MOST_CHILDREN))


def key_of_children(node: ContextNode, rows: Sequence[DictRow], count: int) -> str:
    """What a description of a container is kept under: its address and title, and what its children say, whatever their
    order; a change of any of them asks anew. Pure.

    Args:
        rows, count: from `catalog.children`.
    """
    says = sorted(digest_of(row["title"], row["abstract"]).hex() for row in rows)
    return digest_of(node.uri, node.title, str(count), *says).hex()


def _by_rule(node: ContextNode, rows: Sequence[DictRow], count: int) -> ContextNode:
    children = [Child(title=row["title"], abstract=row["abstract"], happened_at=row["happened_at"]) for row in rows]
    texts = directory_texts(node.title, children, count=count)
    return replace(
        node,
        abstract=texts.abstract,
        overview=texts.overview,
        written_by="rule",
        digest=digest_of(node.title, texts.abstract, texts.overview or ""),
    )


async def wipe(tx: Transaction, parent_uris: Iterable[str], *, miv: int) -> None:
    """Something in these containers was erased: nothing of it may stand in any version of them or of those above.

    Every version loses its texts, words and vectors, and what models said of it is forgotten; then each is told anew by
    rule from what is left, the deepest first. A container that holds nothing any more goes.
    """
    uris = above(parent_uris)
    sources = [tree_source(uri) for uri in uris]
    await catalog.blank(tx, sources)
    await traces.erase_model_outputs(tx, sources)
    for uri in uris:
        await retell(tx, uri, miv=miv, by_rule=True)
    await containers.forget(tx, uris)


def _indexed(node: ContextNode) -> IndexedNode:
    return IndexedNode(node=node, terms=term_counts(f"{node.title} {node.abstract}"))
