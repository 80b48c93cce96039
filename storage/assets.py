"""Assets: files a person added. Bytes lie on disk under their digest, one folder a tenant; rows say whose they are."""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote
from uuid import UUID

from context.errors import NotFoundError
from context.truth import Asset
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("records")


class AssetStore:
    """Bytes by digest below one folder. The same file twice is stored once per tenant.

    Args:
        root: folder for the files; made on first use, readable by its owner only.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    async def add(self, tx: Transaction, asset_id: UUID, *, data: bytes, mime: str, name: str) -> Asset:
        """Store bytes and their row."""
        asset = Asset(asset_id=asset_id, digest=hashlib.sha256(data).digest(), mime=mime, name=name, size=len(data))
        await asyncio.to_thread(self._write, self._path(tx.scope.tenant, asset.digest), data)
        await tx.execute(
            _SQL["put_asset"],
            {"asset_id": asset_id, "digest": asset.digest, "mime": mime, "name": name, "bytes": asset.size},
        )
        return asset

    async def read(self, tx: Transaction, asset_id: UUID) -> tuple[Asset, bytes]:
        """A file and its bytes.

        Raises:
            NotFoundError: unknown, another owner's, or its bytes are gone from the disk.
        """
        row = await tx.one(_SQL["asset"], {"asset_id": asset_id})
        if row is None:
            raise NotFoundError(f"There is no file {asset_id}.")
        asset = Asset(**{**row, "digest": bytes(row["digest"])})
        try:
            return asset, await asyncio.to_thread(self._path(tx.scope.tenant, asset.digest).read_bytes)
        except FileNotFoundError as error:
            raise NotFoundError(f"The bytes of file {asset_id} are gone from the asset store.") from error

    def _path(self, tenant: str, digest: bytes) -> Path:
        name = digest.hex()
        return self._root / quote(tenant, safe="").replace(".", "%2E") / name[:2] / name

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        if path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)
