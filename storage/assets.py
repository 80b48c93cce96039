"""Assets: files a person added. Bytes lie on disk under their digest, one folder an owner; rows say what they are."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote
from uuid import UUID

from psycopg.rows import DictRow

from context.errors import NotFoundError
from context.scope import Scope
from context.truth import Asset
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("assets")
_PIECE = 1 << 20


class AssetStore:
    """Bytes by digest below one folder. The same file twice is stored once per owner, so that forgetting one owner's
    file never asks about another's.

    Args:
        root: folder for the files; made on first use, readable by its owner only.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    async def add(
        self,
        tx: Transaction,
        asset_id: UUID,
        *,
        data: bytes | Path,
        mime: str,
        name: str,
        folder: str = "",
        source_name: str = "",
        owner_uri: str | None = None,
    ) -> Asset:
        """Store bytes and their row; the same bytes at the same place change nothing.

        Args:
            data: the bytes, or a file that is copied piece by piece.
            folder, source_name, owner_uri: see `Asset`.

        Raises:
            OSError: the file cannot be read, or the disk cannot be written.
        """
        digest, size = await asyncio.to_thread(_measured, data)
        await self._lock(tx, digest)  # nobody discards these bytes until this transaction has ended
        await asyncio.to_thread(self._write, self._path(tx.scope, digest), data)
        values = {
            "asset_id": asset_id,
            "digest": digest,
            "mime": mime,
            "name": name,
            "bytes": size,
            "folder": folder,
            "source_name": source_name or name,
            "link_name": name.lower(),
            "owner_uri": owner_uri,
        }
        await tx.execute(_SQL["put"], values)
        return await self.get(tx, asset_id)

    async def get(self, tx: Transaction, asset_id: UUID) -> Asset:
        """A file without its bytes.

        Raises:
            NotFoundError: unknown, or another owner's.
        """
        row = await tx.one(_SQL["get"], {"asset_id": asset_id})
        if row is None:
            raise NotFoundError(f"There is no file {asset_id}.", zh=f"没有文件 {asset_id}。")
        return _asset(row)

    async def read(self, tx: Transaction, asset_id: UUID) -> tuple[Asset, bytes]:
        """A file and its bytes.

        Raises:
            NotFoundError: unknown, another owner's, or its bytes are gone from the disk.
        """
        asset = await self.get(tx, asset_id)
        try:
            return asset, await asyncio.to_thread(self.path_of(tx.scope, asset).read_bytes)
        except FileNotFoundError as error:
            raise NotFoundError(f"The bytes of file {asset_id} are gone from the asset store.") from error

    async def page(self, tx: Transaction, *, after: UUID, limit: int) -> list[Asset]:
        """Files in the order of their ids, after one of them."""
        return [_asset(row) for row in await tx.all(_SQL["page"], {"after": after, "limit": limit})]

    async def hanging_on(self, tx: Transaction, uris: Sequence[str]) -> list[UUID]:
        """Files that belong to these addresses."""
        return [row["asset_id"] for row in await tx.all(_SQL["of_owner"], {"uris": list(uris)})]

    async def delete(self, tx: Transaction, asset_ids: Sequence[UUID]) -> list[bytes]:
        """Remove the rows of files.

        Returns:
            Digests of bytes that nothing of this owner needs any more, for `discard` after the commit.

        Raises:
            NotFoundError: one is unknown, or another owner's.
        """
        gone = {row["asset_id"]: bytes(row["digest"]) for row in await tx.all(_SQL["delete"], {"asset_ids": asset_ids})}
        for asset_id in asset_ids:
            if asset_id not in gone:
                raise NotFoundError(f"There is no file {asset_id}.", zh=f"没有文件 {asset_id}。")
        kept = await tx.all(_SQL["still_used"], {"digests": list(gone.values())})
        free = set(gone.values()) - {bytes(row["digest"]) for row in kept}
        return sorted(free)

    async def discard(self, tx: Transaction, digests: Sequence[bytes]) -> None:
        """Delete bytes that no row names any more, in a transaction of its own after the one that deleted the rows.

        Bytes that somebody has added again meanwhile stay; what is gone already is fine.
        """
        for digest in digests:
            await self._lock(tx, digest)
            if not await tx.all(_SQL["still_used"], {"digests": [digest]}):
                await asyncio.to_thread(self._path(tx.scope, digest).unlink, missing_ok=True)

    async def _lock(self, tx: Transaction, digest: bytes) -> None:
        await tx.execute(_SQL["lock_bytes"], {"digest": digest.hex()})

    def path_of(self, scope: Scope, asset: Asset) -> Path:
        """Where the bytes of an owner's file lie."""
        return self._path(scope, asset.digest)

    def _path(self, scope: Scope, digest: bytes) -> Path:
        name = digest.hex()
        return self._root / _folder(scope.tenant) / _folder(scope.user) / name[:2] / name

    def _write(self, path: Path, data: bytes | Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            written = Path(file.name)
            try:
                for piece in _pieces(data):
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
                written.replace(path)  # the same bytes again replace themselves
            except BaseException:
                written.unlink(missing_ok=True)
                raise


def _measured(data: bytes | Path) -> tuple[bytes, int]:
    """Digest and size."""
    whole, size = hashlib.sha256(), 0
    for piece in _pieces(data):
        whole.update(piece)
        size += len(piece)
    return whole.digest(), size


def _pieces(data: bytes | Path) -> Iterator[bytes]:
    if isinstance(data, bytes):
        yield data
        return
    with data.open("rb") as source:
        while piece := source.read(_PIECE):
            yield piece


def _folder(name: str) -> str:
    return quote(name, safe="").replace(".", "%2E")


def _asset(row: DictRow) -> Asset:
    return Asset(**{**row, "digest": bytes(row["digest"])})
