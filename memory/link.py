"""Link and count: what a stage used becomes references and uses, each once per commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from context.types import RefType
from context.uri import session_uri
from memory.archive import Stage
from storage import refs, traces
from storage.database import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What the answers of a stage used.

    Attributes:
        contexts: addresses that were injected into an answer.
        used: those that were cited, opened by a tool, loaded in detail or expanded: only these make an address hot.
        skills: names of skills that were loaded.
    """

    contexts: tuple[str, ...]
    used: tuple[str, ...]
    skills: tuple[str, ...]
    turns: int


async def used_by(tx: Transaction, stage: Stage) -> Used:
    """Read the stage's traces."""
    return used_in(stage, await traces.of_session(tx, stage.session.session_id))


def used_in(stage: Stage, found: Sequence[traces.Trace]) -> Used:
    """What a stage used, from the traces of its session. Pure."""
    runs = {message.run_id for message in stage.messages if message.run_id}
    own = [trace for trace in found if trace.run_id in runs]
    return Used(
        contexts=_all("injected", own),
        used=_all("used", own),
        skills=_all("skills_used", own),
        turns=len(own),
    )


async def link(tx: Transaction, stage: Stage, used: Used) -> None:
    """Session to every context it used; saying it twice changes nothing."""
    source = str(session_uri(tx.scope.user, stage.session.session_id))
    await refs.put(tx, [(source, RefType.USED, target) for target in used.contexts], commit_id=stage.commit.commit_id)


async def count(tx: Transaction, commit_id: UUID, used: Used, *, miv: int, at: datetime) -> None:
    """Uses become active counts, once per (commit, address)."""
    await refs.count_use(tx, used.used, commit_id=commit_id, miv=miv, at=at)


def _all(key: str, found: Sequence[traces.Trace]) -> tuple[str, ...]:
    return tuple(sorted({uri for trace in found for uri in trace.body.get(key, ())}))
