"""The machine that figures were taken on: without it an absolute time says nothing."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Facts about a machine.

    Attributes:
        processor: model name of the CPU. cores: those this process may use.
        load: processes that wanted a core in the last minute (load average); high means other work ran beside.
        postgres, embedder: versions; empty where the measurement used none.
        date: ISO day, in UTC.
    """

    processor: str
    cores: int
    system: str
    python: str
    postgres: str
    embedder: str
    load: float
    date: str


def describe_machine(*, postgres: str = "", embedder: str = "") -> Machine:
    """This machine, now."""
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        system=f"{platform.system()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}, langgraph {version('langgraph')}",
        postgres=postgres,
        embedder=embedder,
        load=round(os.getloadavg()[0], 2),
        date=datetime.now(UTC).date().isoformat(),
    )


def _processor() -> str:
    """The model name that Linux gives, else what Python knows."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text("utf-8", "replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
