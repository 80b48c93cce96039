"""Traces: how each answer came to be, by reference and digest, without text. And what models said, kept by input."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from context.derived import Pin
from context.errors import NotFoundError
from storage.database import Transaction
from storage.queries import queries

_SQL = queries("records")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One answer: what it was read as of, and the record of its making."""

    trace_id: UUID
    session_id: UUID | None
    run_id: UUID | None
    pin: Pin
    body: Mapping[str, Any]
    at: datetime | None = None


async def put(tx: Transaction, trace: Trace) -> None:
    """Store a trace once."""
    values = {
        "trace_id": trace.trace_id,
        "session_id": trace.session_id,
        "run_id": trace.run_id,
        "pin": Jsonb(asdict(trace.pin)),
        "body": Jsonb(dict(trace.body)),
    }
    await tx.execute(_SQL["put_trace"], values)


async def get(tx: Transaction, trace_id: UUID) -> Trace:
    """One trace.

    Raises:
        NotFoundError: unknown, or another owner's.
    """
    row = await tx.one(_SQL["trace"], {"trace_id": trace_id})
    if row is None:
        raise NotFoundError(f"There is no trace {trace_id}.")
    return _trace(row)


async def of_session(tx: Transaction, session_id: UUID, *, since: datetime = _EPOCH) -> list[Trace]:
    """The traces of a session, oldest first."""
    values = {"session_id": session_id, "since": since}
    return [_trace(row) for row in await tx.all(_SQL["traces_of_session"], values)]


async def keep_model_output(
    tx: Transaction, *, task: str, model: str, prompt: str, source_id: str, output: Mapping[str, Any]
) -> None:
    """Keep what a model said, before it is used, so that no retry asks it the same again."""
    values = {
        "input_digest": _digest(prompt),
        "task": task,
        "model": model,
        "source_id": source_id,
        "output": Jsonb(dict(output)),
    }
    await tx.execute(_SQL["put_model_output"], values)


async def model_output(tx: Transaction, *, task: str, model: str, prompt: str) -> dict[str, Any] | None:
    """What the model said to this prompt before, if it was asked."""
    row = await tx.one(_SQL["model_output"], {"input_digest": _digest(prompt), "task": task, "model": model})
    return row["output"] if row else None


async def model_outputs_of(
    tx: Transaction, *, task: str, source_ids: Sequence[str]
) -> dict[tuple[str, bytes], tuple[str, dict[str, Any]]]:
    """What models said about sources: (source, digest of the prompt) to the model's name and its newest answer."""
    rows = await tx.all(_SQL["model_outputs_of"], {"task": task, "source_ids": list(source_ids)})
    return {(row["source_id"], bytes(row["input_digest"])): (row["model"], row["output"]) for row in rows}


async def said_to(tx: Transaction, *, task: str, prompts: Sequence[str]) -> dict[str, tuple[str, dict[str, Any]]]:
    """What models said to prompts, whatever source that was about: prompt to the model's name and its newest answer."""
    by_digest = {_digest(prompt): prompt for prompt in prompts}
    rows = await tx.all(_SQL["model_outputs_by_digest"], {"task": task, "digests": list(by_digest)})
    return {by_digest[bytes(row["input_digest"])]: (row["model"], row["output"]) for row in rows}


def digest_of_prompt(prompt: str) -> bytes:
    """The key under which an answer to this prompt is kept, 32 bytes."""
    return _digest(prompt)


async def erase_model_outputs(tx: Transaction, source_ids: list[str]) -> None:
    """Forget what models said about erased sources."""
    await tx.execute(_SQL["erase_model_outputs"], {"source_ids": source_ids})


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _trace(row: DictRow) -> Trace:
    return Trace(**{**row, "pin": Pin(**row["pin"])})
