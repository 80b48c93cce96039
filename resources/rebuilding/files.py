"""Files, read again: what a reader finds is compared with what stands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from uuid import UUID

from context.errors import ConfigurationError, ModelError, NotFoundError, PocketMindError, ProjectionError
from context.scope import Scope
from context.truth import Asset
from context.types import ProjectionStatus, RefType
from context.uri import ContextUri, asset_uri
from resources.material import ancestors, file_nodes
from resources.readers.document import Document
from resources.rebuilding.sources import said_about
from resources.rebuilding.values import Change, Step, Unreadable, Wanted
from resources.rebuilding.writes import compare
from resources.records import file_resource
from storage import catalog, rebuild
from storage.assets import AssetStore
from storage.catalog import IndexedNode, StandingNode
from storage.database import Transaction
from storage.rebuild import Reference

Read = Callable[[Scope, Asset], Awaitable[Document]]
"""Reads a file whose bytes are stored; what a model made of it before is taken from what is kept.

Raises ProjectionError, ModelError, ConfigurationError or NotFoundError where that cannot be done now.
"""
_AT_ONCE = 4


class FileStep(Step):
    """Files with the chunks of their text. One that cannot be read any more keeps what was read of it before."""

    name = "files"

    def __init__(self, assets: AssetStore, read: Read) -> None:
        super().__init__()
        self._assets = assets
        self._read = read
        self._page: list[Asset] = []
        self._found: dict[UUID, tuple[bytes, Document | PocketMindError]] = {}

    async def total(self, tx: Transaction) -> int:
        """How many files there are."""
        return (await rebuild.sizes(tx)).files

    async def page(self, tx: Transaction, *, after: UUID) -> list[UUID]:
        """The next few files."""
        self._page = await self._assets.page(tx, after=after, limit=_AT_ONCE)
        return [asset.asset_id for asset in self._page]

    async def prepare(self, scope: Scope) -> None:
        """Read the files of the page, one after the other."""
        self._found = {}
        for asset in self._page:
            found: Document | PocketMindError
            try:
                found = await self._read(scope, asset)
            except (ProjectionError, ModelError, ConfigurationError, NotFoundError) as error:
                found = error
            self._found[asset.asset_id] = (asset.digest, found)

    async def compare(self, tx: Transaction, ids: Sequence[UUID]) -> list[Change]:
        """Files that do not stand as they should. One whose bytes were replaced meanwhile is its new reading's."""
        buried = await rebuild.buried(tx, ids)
        assets = [asset for key in ids if key not in buried and (asset := await self._now(tx, key)) is not None]
        sources = [str(asset.asset_id) for asset in assets]
        live = await catalog.live_of(tx, sources)
        wanted: list[Wanted] = []
        for asset in assets:
            source = str(asset.asset_id)
            found = self._found[asset.asset_id][1]
            if isinstance(found, PocketMindError):
                nodes = file_nodes(tx.scope, asset, None)
                if _was_read(live.get(source, []), nodes):
                    self._note(tx, asset, found)
                    continue
            else:
                cut = file_nodes(tx.scope, asset, found)
                nodes = (await said_about(tx, {source: cut}, live))[source]
            wanted.append(await _of_file(tx, asset, found, nodes))
        return await compare(tx, wanted, live)

    async def _now(self, tx: Transaction, asset_id: UUID) -> Asset | None:
        try:
            asset = await self._assets.get(tx, asset_id)
        except NotFoundError:
            return None
        return asset if asset.digest == self._found[asset_id][0] else None

    def _note(self, tx: Transaction, asset: Asset, error: PocketMindError) -> None:
        uri = str(asset_uri(tx.scope.user, asset.asset_id))
        if all(item.uri != uri for item in self.unreadable):
            self.unreadable.append(Unreadable(uri=uri, name=asset.name, reason=error.message, reason_zh=error.zh))


def _was_read(live: Sequence[StandingNode], by_name: Sequence[IndexedNode]) -> bool:
    """Whether more stands of a file than its name alone gives."""
    named = {item.node.digest for item in by_name if item.node.is_leaf}
    return any(node.is_leaf and bytes(node.digest) not in named for node in live)


async def _of_file(
    tx: Transaction, asset: Asset, found: Document | PocketMindError, nodes: Sequence[IndexedNode]
) -> Wanted:
    top = nodes[0].node
    if isinstance(found, PocketMindError):
        record = file_resource(asset, top.uri, None, reason=found.message)
        record = replace(record, projection_status=ProjectionStatus.FAILED)
    else:
        record = file_resource(asset, top.uri, found, reason="; ".join(found.notices) or None)
    hangs: set[Reference] = {(asset.owner_uri, RefType.ATTACHMENT, top.uri)} if asset.owner_uri else set()
    standing = {ref for ref in await rebuild.references(tx, [top.uri]) if ref[1:] == (RefType.ATTACHMENT, top.uri)}
    return Wanted(
        key=asset.asset_id,
        source_id=top.source_id,
        uri=top.uri,
        nodes=tuple(nodes),
        above=tuple(ancestors(tx.scope.user, top.parent_uri or "")),
        records=(record,),
        missing=dict.fromkeys(hangs - standing),
        extra=tuple(sorted(ref for ref in standing - hangs if not _is_note(ref[0]))),  # a note may link to it
    )


def _is_note(uri: str) -> bool:
    return ContextUri.parse(uri).segments[1:2] == ("notes",)
