"""`make bench-ingest`: what a note costs on its way in, and what the import of a whole vault takes in time and memory.

On a database of its own, offline. The embedder's share is told apart: vectors follow in the background.
"""

from __future__ import annotations

import evaluation.environment  # noqa: F401  # isort: skip  # first: it sets what LangGraph reads when imported

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from context.errors import ConfigurationError, PocketMindError
from context.scope import Scope
from engine.engine import Engine, open_engine
from engine.logs import configure_logs
from evaluation.figures import Figure, Report, Section, console
from evaluation.machine import describe_machine
from evaluation.rig import Rig, Say, leave_when_told, own_database
from evaluation.samples import Samples
from evaluation.synthetic import plain_passage, synthetic_note
from evaluation.vault import write_vault
from models.embedders import embed_batch

_BATCH = 50
"""Notes of one transaction, as an import saves them."""
_SLICES = 12
_FULL_VAULT = 1_000.0


@dataclass(slots=True, kw_only=True)
class Owner:
    """One owner's notes and what each batch of them took, in milliseconds a note."""

    scope: Scope
    notes: int = 0

    async def grow(self, engine: Engine, count: int, times: Samples, *, batch: int = _BATCH) -> None:
        """Save so many more notes, `batch` a transaction."""
        for _ in range(0, count, batch):
            notes = [synthetic_note(self.notes + step) for step in range(batch)]
            began = time.perf_counter()
            async with engine.database.transaction(self.scope) as tx:
                await engine.projector.save_notes(tx, notes)
            times.milliseconds.append((time.perf_counter() - began) * 1000 / batch)
            self.notes += batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One import by the command.

    Attributes:
        seconds: from start to end of the process; again: of the same command once more, with nothing new.
        peak: resident memory at most, in bytes. found: whether a search by words finds the last file.
    """

    files: int
    megabytes: float
    seconds: float
    again: float
    peak: int
    found: bool


async def per_note(rig: Rig, notes: int, say: Say) -> tuple[dict[str, Samples], Samples, str]:
    """Milliseconds a note: on the way to `notes`, and beside a store of a tenth; and the embedder's milliseconds."""
    names = ("first", "whole", "small", "large", "single")
    times = {name: Samples() for name in names}
    async with open_engine(rig.settings()) as engine:
        small, large = (Owner(scope=Scope(tenant="measured", user=name)) for name in ("small", "large"))
        say(f"{notes // 10} and {notes} notes, {_BATCH} a transaction")
        await small.grow(engine, notes // 10, times["first"])
        await large.grow(engine, notes, times["whole"])
        await asyncio.to_thread(rig.analyze)
        for _ in range(_SLICES):  # in turn, so that other work on the machine meets both alike
            await small.grow(engine, _BATCH, times["small"])
            await large.grow(engine, _BATCH, times["large"])
        await large.grow(engine, 100, times["single"], batch=1)
        say("embedder")
        passages = Samples()
        if engine.embedder is not None:
            await embed_batch(engine.embedder, ["warm"], "passage")
            for number in range(6):
                with passages.timed():
                    await embed_batch(engine.embedder, [plain_passage("en", number)], "passage")
        return times, passages, engine.engine_id


def import_vault(rig: Rig, megabytes: float, say: Say) -> Imported:
    """Import a vault with the command itself, in a process of its own, and again.

    Raises:
        ConfigurationError: the command failed.
    """
    folder = Path(tempfile.mkdtemp(prefix="pocketmind-vault-"))
    try:
        say(f"writing a vault of {megabytes:.0f} MB")
        files = write_vault(folder, megabytes=megabytes)
        say(f"importing {files} files")
        report, seconds, peak = _command(rig, ["notes", "import", str(folder), "--no-vectors", "--json"])
        if report["imported"] != files or report["failed"]:
            raise ConfigurationError(f"{files} files, but the import says {_short(report)}.")
        say("importing again")
        unchanged, again, _ = _command(rig, ["notes", "import", str(folder), "--no-vectors", "--json"])
        if unchanged["unchanged"] != files:
            raise ConfigurationError(f"Nothing changed, but the second import says {_short(unchanged)}.")
        asked = ["retrieve", f"Part 3 of {files - 1}", "--limit", "5", "--json"]
        matches, _, _ = _command(rig, asked)
        found = any(f"File {files - 1}.md" in match["source_ref"] for match in matches["matches"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Imported(files=files, megabytes=megabytes, seconds=seconds, again=again, peak=peak, found=found)


def _command(rig: Rig, words: Sequence[str]) -> tuple[dict[str, Any], float, int]:
    """The command's JSON, its seconds, and the most resident memory of its process in bytes."""
    settings = rig.settings()
    urls = {
        "DATABASE_URL": settings.database_url,
        "POCKETMIND_ADMIN_URL": settings.admin_url,
        "POCKETMIND_WORKER_URL": settings.worker_url,
    }
    environment = {name: url.get_secret_value() for name, url in urls.items() if url is not None}
    environment |= {"POCKETMIND_HOME": str(rig.folder), "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(  # noqa: S603  # our own interpreter and module
            [sys.executable, "-c", "from cli.main import main; main()", *words],
            stdout=output,
            stderr=errors,
            env=environment,
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        output.seek(0)
        said = output.read()
        errors.seek(0)
        complaint = errors.read().decode(errors="replace").strip()[-500:]
    if child.returncode != 0:
        raise ConfigurationError(f"`pocketmind {' '.join(words[:2])}` ended with {child.returncode}: {complaint}")
    unit = 1 if sys.platform == "darwin" else 1024
    return json.loads(said), seconds, usage.ru_maxrss * unit


def _short(report: dict[str, Any]) -> dict[str, Any]:
    return {key: len(value) if isinstance(value, list | dict) else value for key, value in report.items()}


def report_of(
    rig: Rig, notes: int, times: dict[str, Samples], passages: Samples, engine_id: str, imported: Imported
) -> Report:
    """The figures."""
    small, large = notes // 10, notes
    cost = [
        Figure(
            name=f"a note on the way to {large:,}",
            value=times["whole"].mean,
            unit="ms",
            target=5.0,
            note=f"mean; {_BATCH} a transaction, no embedder",
        ),
        Figure(name="slowest batch", value=max(times["whole"].milliseconds), unit="ms", note="a note"),
        Figure(name=f"a note at {small:,} notes", value=times["small"].p50, unit="ms", note="p50"),
        Figure(
            name=f"a note at {large:,} notes", value=times["large"].p50, unit="ms", note="p50, in turn with the former"
        ),
        Figure(
            name=f"{large:,} against {small:,}",
            value=times["large"].p50 / times["small"].p50,
            unit="x",
            target=1.2,
            note="medians of the same minutes",
        ),
        Figure(
            name="a note saved alone",
            value=times["single"].p50,
            unit="ms",
            note=f"p50, one a transaction, at {large:,}",
        ),
        Figure(
            name="its vector, 1 kB",
            value=passages.p50 if passages.milliseconds else float("nan"),
            unit="ms",
            note="p50; in the background, newest first",
        ),
    ]
    whole = imported.megabytes >= _FULL_VAULT
    vault = [
        Figure(name="files", value=imported.files, note=f"{imported.megabytes:,.0f} MB of Markdown, about 5 kB each"),
        Figure(
            name="import", value=imported.seconds, unit="s", note="the whole command, searchable by words at its end"
        ),
        Figure(name="a kilobyte", value=imported.seconds / imported.megabytes, unit="ms"),
        Figure(
            name="peak memory",
            value=imported.peak / 1e6,
            unit="MB",
            target=600.0 if whole else None,
            note="resident, of the command" + ("" if whole else "; the target is for a vault of 1 GB"),
        ),
        Figure(name="import again", value=imported.again, unit="s", note="nothing changed"),
        Figure(name="last file found by words", value=float(imported.found), target=1.0, bound="at least"),
    ]
    return Report(
        title="Ingest",
        machine=describe_machine(postgres=rig.postgres, embedder=engine_id),
        options={"notes": notes, "vault_megabytes": imported.megabytes},
        sections=[
            Section(title="A note of 1 kB", figures=tuple(cost)),
            Section(title="A vault, imported by the command", figures=tuple(vault)),
        ],
        remarks=[
            "Notes are synthetic, half Chinese and half English; a note is two nodes, a file of the vault about seven."
        ],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it. Exit code: 0 measured (whether or not targets are met), 1 failed, 2 usage or configuration."""
    parser = argparse.ArgumentParser(prog="pocketmind bench-ingest", description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000, help="notes of the larger store (default 10,000)")
    parser.add_argument("--vault", type=float, default=50.0, help="megabytes of the vault (default 50; 1000: an hour)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout, the table on stderr")
    parser.add_argument("--home", type=Path, help="home of an embedded PostgreSQL to use (default: a temporary one)")
    parsed = parser.parse_args(arguments)
    if parsed.notes < 1_000 or parsed.vault <= 0:
        parser.error("--notes must be at least 1000 and --vault more than nothing")
    configure_logs()
    leave_when_told()
    errors = console(errors=True)
    began = time.monotonic()

    def say(text: str) -> None:
        errors.print(f"[{time.monotonic() - began:5.1f} s] {text}", markup=False, highlight=False)

    try:
        say("database")
        with own_database(parsed.home) as rig:
            times, passages, engine_id = asyncio.run(per_note(rig, parsed.notes, say))
            imported = import_vault(rig, parsed.vault, say)
            report = report_of(rig, parsed.notes, times, passages, engine_id, imported)
    except PocketMindError as error:
        errors.print(f"bench-ingest: {error.message} {error.hint or ''}", markup=False)
        return 2 if isinstance(error, ConfigurationError) else 1
    report.print_to(errors if parsed.json else console())
    if parsed.json:
        sys.stdout.write(report.to_json() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
