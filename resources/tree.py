"""The tree above notes, files and stages: containers that come with their first child, tell of their children, and are
wiped of what was deleted."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from context.derived import ContextNode
from context.terms import term_counts
from context.uri import ContextUri
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
    """Write the rule-made texts of containers that are due, at most fifty in one transaction, the deepest first.

    Args:
        quiet: seconds without a change after which a container is due.
        longest: seconds after which it is due anyhow.

    Returns:
        What was due. Empty: nothing is left, or what is left is not due.
    """
    due = await containers.take(tx, quiet=quiet, longest=longest, limit=_AT_ONCE)
    if not due:
        return []
    miv = await clock.advance(tx, engine=engine)
    for uri in due:
        await retell(tx, uri, miv=miv)
    return due


async def retell(tx: Transaction, uri: str, *, miv: int) -> bool:
    """Write a container's texts from its children by rule; whether that changed anything."""
    node = (await catalog.live_nodes(tx, [uri])).get(uri)
    if node is None:
        return False
    newer = await told_by_rule(tx, node)
    if (node.digest, node.written_by) == (newer.digest, newer.written_by):
        return False
    live = await catalog.live_of(tx, [node.source_id])
    changes = catalog.difference(live[node.source_id], [_indexed(newer)])
    return bool((await catalog.apply(tx, [changes], miv=miv)).versions)


async def told_by_rule(tx: Transaction, node: ContextNode) -> ContextNode:
    """A container with the texts that its children of this moment give it."""
    rows, count = await catalog.children(tx, node.uri, limit=MOST_CHILDREN)
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

    Every version loses its texts, words and vectors; then each is told anew from what is left, the deepest first. A
    container that holds nothing any more goes.
    """
    uris = above(parent_uris)
    sources = [tree_source(uri) for uri in uris]
    await catalog.blank(tx, sources)
    await traces.erase_model_outputs(tx, sources)
    for uri in uris:
        _, count = await catalog.children(tx, uri, limit=1)
        if count or await catalog.has_children(tx, uri) or len(ContextUri.parse(uri).segments) == 1:
            await retell(tx, uri, miv=miv)
        else:
            await catalog.erase_sources(tx, [tree_source(uri)])
    await containers.forget(tx, uris)


def _indexed(node: ContextNode) -> IndexedNode:
    return IndexedNode(node=node, terms=term_counts(f"{node.title} {node.abstract}"))
