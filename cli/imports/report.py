"""What an import did: one outcome a file, and the report that they add up to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cli.output import Output
    from resources.vaults.vault import Problem

_SHOWN = 20


class Change(StrEnum):
    """What became of a file. `file`: one that is no note is new or has changed."""

    IMPORTED = "imported"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    MOVED = "moved"
    DELETED = "deleted"
    FILE = "file"
    SKIPPED_DELETED = "skipped_deleted"
    CONFLICT = "conflict"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A file by the name that people are shown, and what became of it.

    Attributes:
        before: its name before it moved.
        problem: why nothing became of it.
    """

    change: Change
    name: str
    before: str = ""
    problem: Problem | None = None


@dataclass(slots=True)
class ImportReport:
    """Everything that happened so far; unchanged, imported and updated are numbers, since a vault may hold many."""

    imported: int = 0
    updated: int = 0
    unchanged: int = 0
    files: int = 0
    moved: list[Outcome] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    skipped_deleted: list[Problem] = field(default_factory=list)
    conflicts: list[Problem] = field(default_factory=list)
    failed: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Count outcomes."""
        lists = {
            Change.SKIPPED_DELETED: self.skipped_deleted,
            Change.CONFLICT: self.conflicts,
            Change.FAILED: self.failed,
        }
        for outcome in outcomes:
            if outcome.problem is not None:
                lists[outcome.change].append(outcome.problem)
            elif outcome.change is Change.MOVED:
                self.moved.append(outcome)
            elif outcome.change is Change.DELETED:
                self.deleted.append(outcome.name)
            else:
                self.imported += outcome.change is Change.IMPORTED
                self.updated += outcome.change is Change.UPDATED
                self.unchanged += outcome.change is Change.UNCHANGED
                self.files += outcome.change is Change.FILE

    @property
    def changed(self) -> bool:
        """Whether anything was written."""
        return bool(self.imported or self.updated or self.files or self.moved or self.deleted)

    @property
    def in_vain(self) -> bool:
        """Whether something failed and nothing at all could be read."""
        return bool(self.failed) and not (self.changed or self.unchanged or self.conflicts or self.skipped_deleted)

    def plain(self) -> dict[str, Any]:
        """The report as a JSON document."""
        return {
            "imported": self.imported,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "moved": [{"from": one.before, "to": one.name} for one in self.moved],
            "deleted": self.deleted,
            "files": self.files,
            "skipped": self.skipped,
            **{
                key: [{"path": problem.path, "reason": problem.reason} for problem in getattr(self, key)]
                for key in ("skipped_deleted", "conflicts", "failed", "notices")
            },
        }


def show_report(out: Output, report: ImportReport) -> None:
    """The report for people: what needs their eye beside the answer, the numbers as the answer."""
    for key in ("failed", "conflicts", "skipped_deleted", "notices"):
        problems: list[Problem] = getattr(report, key)
        for problem in problems[:_SHOWN]:
            reason = (out.language == "zh" and problem.zh) or problem.reason
            out.notice(f"import_{key}", style="yellow", path=problem.path, reason=reason)
        if len(problems) > _SHOWN:
            out.notice("import_more", style="yellow", count=len(problems) - _SHOWN)
    for name in report.deleted[:_SHOWN]:
        out.notice("import_deleted", style="dim", path=name)
    if len(report.deleted) > _SHOWN:
        out.notice("import_more", style="dim", count=len(report.deleted) - _SHOWN)
    if report.skipped:
        most = sorted(report.skipped.items(), key=lambda item: (-item[1], item[0]))
        kinds = " ".join(f"{suffix}×{count}" for suffix, count in most[:_SHOWN])
        out.notice("import_skipped", style="dim", count=sum(report.skipped.values()), kinds=kinds)
    numbers = {key: getattr(report, key) for key in ("imported", "updated", "unchanged", "files")}
    lists = {key: len(getattr(report, key)) for key in ("moved", "deleted", "conflicts", "failed")}
    out.answer(out.tell("import_summary", **numbers, **lists))
