"""The vault for measuring an import: as large as asked for, the same in every run, and read as notes."""

from __future__ import annotations

from pathlib import Path

from evaluation.vault import write_vault
from resources.vaults.vault import folder_site, list_vault


def test_a_vault_has_its_size_and_is_the_same_each_time(tmp_path: Path) -> None:
    counts = [write_vault(tmp_path / name, megabytes=0.05) for name in ("one", "two")]
    assert counts[0] == counts[1] > 5
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.md"))
    assert len(files) == counts[0]
    assert 50_000 <= sum((tmp_path / "one" / path).stat().st_size for path in files) <= 60_000
    for path in files:
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes()
    assert len(list(list_vault(folder_site(tmp_path / "one")))) == counts[0]
