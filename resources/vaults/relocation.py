"""Files that moved: their material goes along with its words and vectors. One of another name also waits for its reader
again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from context.derived import ContextNode
from context.truth import Asset
from context.types import ProjectionStatus
from context.uri import asset_uri, folder_uri
from resources import tree
from resources.material import ancestors, file_nodes
from resources.projector import WAITS_FOR_READER
from storage import catalog, clock, containers, events, imports, jobs, links, resources
from storage.catalog import IndexedNode
from storage.database import Transaction
from storage.events import Event


async def relocate_file(tx: Transaction, asset: Asset, *, engine: str) -> bool:
    """Make a file's material lie and be called as the file does now.

    Args:
        asset: as it is now, its bytes unchanged.
        engine: identity of the embedder.

    Returns:
        Whether anything had to change.
    """
    source = str(asset.asset_id)
    uri = str(asset_uri(tx.scope.user, asset.asset_id))
    parent = str(folder_uri(tx.scope.user, asset.folder))
    live = (await catalog.live_of(tx, [source])).get(source, [])
    standing = await catalog.live_nodes(tx, [node.uri for node in live])
    top = standing.get(uri)
    if top is None or (top.source_name, top.parent_uri) == (asset.source_name, parent):
        return False
    old_name = top.source_name.rpartition("/")[2]
    records = [item for item in await resources.of_source(tx, source) if item.uri == uri]
    if any(resources.unmade(item) for item in records):
        moved = file_nodes(tx.scope, replace(asset, added_at=top.happened_at), None)
        records = [replace(item, title=asset.name) for item in records]
    else:
        words = await imports.words(tx, [node.vid for node in standing.values()])
        moved = [_moved(node, top, asset, parent=parent, words=words) for node in standing.values()]
        records = [
            replace(item, projection_status=ProjectionStatus.PENDING, reason=WAITS_FOR_READER)
            for item in records
            if old_name != asset.name
        ]
    miv = await clock.advance(tx, engine=engine)
    above = ancestors(tx.scope.user, parent)
    standing_above = await catalog.live_uris(tx, [node.uri for node in above])
    await catalog.apply(
        tx,
        [tree.growth(above, standing_above), catalog.difference(live, moved)],
        miv=miv,
        also=[
            resources.put_statement(records),
            events.put_statement([Event(kind="resource.projected", uri=uri)], miv=miv),
            containers.touch_statement(tree.above([parent, *([top.parent_uri] if top.parent_uri else [])])),
        ],
    )
    await settle_links(tx, [old_name, asset.name])
    if old_name != asset.name:  # its name may be its title, and an abstract may quote it: that is for its reader to say
        await jobs.defer(tx, jobs.READ, lock=f"read:{asset.asset_id}", asset_id=asset.asset_id)
    return True


async def settle_links(tx: Transaction, names: Sequence[str]) -> None:
    """Make links that call files by these names lead where they lead now."""
    callers = await links.callers_of_files(tx, sorted({name.lower() for name in names}))
    if callers:
        await links.settle(tx, callers)


def _moved(
    node: ContextNode, top: ContextNode, asset: Asset, *, parent: str, words: Mapping[int, Mapping[str, int]]
) -> IndexedNode:
    """A node at the file's new place, with the words that it had."""
    terms = words.get(node.vid, {})
    place = asset.source_name + node.source_name[len(top.source_name) :]
    if node.is_leaf:
        return IndexedNode(node=replace(node, source_name=place, length=sum(terms.values())), terms=terms)
    return IndexedNode(node=replace(node, source_name=place, parent_uri=parent), terms=terms)
