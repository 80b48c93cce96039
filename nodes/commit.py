"""The nodes of the commit graph: archive, summarize, extract, dedup, merge, link, count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from context.derived import Candidate, MemoryRecord
from context.errors import ConflictError, InvalidInputError, ModelOutputInvalid
from context.scope import Scope
from context.types import MemoryPolicy, MemoryType
from memory import archive, candidates, dedup, extract, link, summarize
from memory.archive import Stage
from memory.asked import AskedModel
from memory.dedup import Action, Decision
from memory.merge import Merger
from nodes.events import stage as told
from nodes.parts import CommitParts, scope_of
from nodes.run_context import CommitContext
from nodes.state import CommitState
from resources.described import Kept
from storage import clock, commits, events, memories, sessions
from storage.commits import CommitState as Outcome
from storage.database import Transaction
from storage.events import Event

_WAITS = "explicit statements only: what needs a chat model is extracted when one is configured"


_Known = dict[UUID, MemoryRecord]


class CommitNodes:
    """All nodes, bound to their parts. Each may run again after a crash and then changes nothing."""

    def __init__(self, parts: CommitParts) -> None:
        self._parts = parts

    async def archive(self, state: CommitState, *, runtime: Runtime[CommitContext]) -> dict[str, Any]:
        """Claim the stage once and make its transcript material."""
        parts = self._parts
        scope = scope_of(parts.scopes, runtime)
        with told("archive") as counts:
            commit_id = _uuid(state.get("commit_id"))
            async with parts.database.transaction(scope) as tx:
                if commit_id is None:
                    session_id = _uuid(state.get("session_id"))
                    if session_id is None:
                        raise InvalidInputError("A commit needs the id of a session.", hint='{"session_id": "..."}')
                    claimed = await archive.claim(tx, session_id, settings=parts.archive)
                    # Killed between the claim and its checkpoint, this node finds its own claim here.
                    commit_id = claimed.commit_id if claimed else await commits.unfinished(tx, session_id)
                    if commit_id is None:
                        return _nothing(await sessions.get(tx, session_id))
                stage = await archive.load(tx, commit_id, lock=True)
                if stage.commit.state.finished:
                    return _report(stage.commit)
                if stage.session.policy is not MemoryPolicy.NORMAL:  # it became a temporary chat after the claim
                    nothing = _nothing(stage.session)
                    await commits.set_state(tx, commit_id, Outcome.DONE, nothing["reason"])
                    return {**nothing, "commit_id": str(commit_id)}
                taken = await archive.take(tx, stage)
                if taken is None:
                    raise ConflictError("This commit has just ended.")
                uri = await archive.archive(
                    tx, taken, parts.projector, engine=parts.engine_id, recall=parts.archive.transcript_recall
                )
            counts["messages"] = len(stage.messages)
        return {
            "session_id": str(stage.session.session_id),
            "agent": stage.session.agent,
            "commit_id": str(commit_id),
            "fence": taken.commit.fence,
            "archived": uri or "",
            "state": Outcome.CLAIMED.value,
        }

    def after_archive(self, state: CommitState) -> str:
        """On, unless there is nothing to do."""
        return "summarize" if state.get("state") == Outcome.CLAIMED.value else "report"

    async def summarize(self, state: CommitState, *, runtime: Runtime[CommitContext]) -> dict[str, Any]:
        """Write the stage's overview and abstract, and bring the session's overview up to date."""
        parts = self._parts
        scope = self._scope(state, runtime)
        with told("summarize") as counts:
            stage = await self._stage(scope, state)
            summary = summarize.by_rules(stage)
            reason = ""
            if parts.model is not None:
                try:
                    summary = await summarize.by_model(
                        stage,
                        zone=parts.zone,
                        model=self._asked(scope, state, parts.model),
                        prompts=parts.prompts,
                        fence=parts.fence(f"summary:{state['commit_id']}"),
                    )
                except ModelOutputInvalid as error:
                    reason = f"summary by rule: {error.message}"
            async with parts.database.transaction(scope) as tx:
                await sessions.get(tx, stage.session.session_id, lock=True)
                await sessions.set_overview(tx, stage.session.session_id, summary.session_overview)
                if state.get("archived"):
                    texts = Kept(abstract=summary.abstract, overview=summary.overview, written_by=summary.source)
                    await parts.projector.summarize_stage(tx, stage.session, state["archived"], texts)
            counts["source"] = summary.source
        return {"summary_source": summary.source, "reason": reason}

    async def extract(self, state: CommitState, *, runtime: Runtime[CommitContext]) -> dict[str, Any]:
        """Propose memories with evidence that code has checked; what a model said is kept before it is used."""
        parts = self._parts
        scope = self._scope(state, runtime)
        with told("extract") as counts:
            stage = await self._stage(scope, state)
            found = extract.by_rules(stage, user=scope.user, zone=parts.zone)
            reason = state.get("reason", "")
            if parts.model is not None:
                async with parts.database.transaction(scope) as tx:
                    existing = await memories.by_types(tx, MemoryType, limit=20)
                try:
                    by_model = await extract.by_model(
                        stage,
                        user=scope.user,
                        zone=parts.zone,
                        model=self._asked(scope, state, parts.model),
                        prompts=parts.prompts,
                        fence=parts.fence(f"extract:{state['commit_id']}"),
                        existing=existing,
                    )
                    found = replace(
                        by_model,
                        candidates=(*by_model.candidates, *_unsaid(found.candidates, by_model.candidates)),
                        refused=(*by_model.refused, *found.refused),
                    )
                except ModelOutputInvalid as error:
                    reason = "; ".join(filter(None, [reason, f"extraction by rule alone: {error.message}"]))
            batch = dedup.combine(found.candidates)
            kept = [candidates.to_json(candidate) for candidate in batch]
            async with parts.database.transaction(scope) as tx:
                if not await commits.keep_candidates(tx, stage.commit.commit_id, state["fence"], kept):
                    raise ConflictError("A newer worker took over this commit.")
            counts["candidates"] = len(kept)
        refused = Counter(item.reason for item in found.refused)
        quarantined = [
            {"digest": r.digest, "type": r.memory_type, "outcome": "quarantined", "reason": r.reason, "memory_id": None}
            for r in found.refused
            if r.digest
        ]
        return {
            "extraction": {"source": found.source, "refused": dict(refused), "quarantined": quarantined},
            "reason": reason,
        }

    async def dedup(self, state: CommitState, *, runtime: Runtime[CommitContext]) -> dict[str, Any]:
        """Decide what becomes of each candidate."""
        parts = self._parts
        scope = self._scope(state, runtime)
        with told("dedup") as counts:
            async with parts.database.transaction(scope) as tx:
                decisions, _, _ = await self._decide(tx, state)
            counts |= Counter(decision.action.value for decision in decisions)
        return {"decisions": [{"digest": d.digest, "action": d.action.value, "reason": d.reason} for d in decisions]}

    async def merge(self, state: CommitState, *, runtime: Runtime[CommitContext]) -> dict[str, Any]:
        """Write all memories and end the commit in one transaction, under its fence.

        It is decided again under the clock's lock: what `dedup` reported may have moved meanwhile.
        """
        parts = self._parts
        scope = self._scope(state, runtime)
        with told("merge") as counts:
            async with parts.database.transaction(scope) as tx:
                await sessions.get(tx, UUID(state["session_id"]), lock=True)
                ended = await commits.get(tx, UUID(state["commit_id"]))
                if ended.fence != state["fence"]:
                    raise ConflictError("A newer worker took over this commit.")
                if ended.state.finished:  # killed between this node's transaction and its checkpoint
                    return _report(ended)
                miv = await clock.advance(tx, engine=parts.engine_id)
                decisions, known, stage = await self._decide(tx, state)
                merger = Merger(tx=tx, commit_id=stage.commit.commit_id, miv=miv, now=parts.now())
                await merger.apply(decisions, known)
                commit = await self._ended(tx, stage, state, merger, decisions, miv)
                told_all = Event(kind="session.committed", uri=state.get("archived") or None)
                await events.put(tx, [*merger.events, told_all], miv=miv)
                if not await commits.flip(tx, commit):
                    raise ConflictError("A newer worker took over this commit, or it has ended.")
                await parts.projector.request_vectors(tx)
            counts |= dict(commit.stats)
        return _report(commit)

    async def link(self, state: CommitState, *, runtime: Runtime[CommitContext]) -> dict[str, Any]:
        """The session points to what its answers used."""
        scope = self._scope(state, runtime)
        with told("link") as counts:
            stage = await self._stage(scope, state)
            async with self._parts.database.transaction(scope) as tx:
                used = await link.used_by(tx, stage)
                await link.link(tx, stage, used)
            counts["contexts"] = len(used.contexts)
        return {}

    async def count(self, state: CommitState, *, runtime: Runtime[CommitContext]) -> dict[str, Any]:
        """Uses become active counts, once per commit."""
        parts = self._parts
        scope = self._scope(state, runtime)
        with told("count") as counts:
            stage = await self._stage(scope, state)
            async with parts.database.transaction(scope) as tx:
                used = await link.used_by(tx, stage)
                if used.used:
                    miv = await clock.advance(tx, engine=parts.engine_id)
                    await link.count(tx, stage.commit.commit_id, used, miv=miv, at=parts.now())
            counts["used"] = len(used.used)
        return {}

    async def report(self, state: CommitState, *, runtime: Runtime[CommitContext]) -> dict[str, Any]:
        """Say how the commit ended; the same words for every later asker."""
        commit_id = _uuid(state.get("commit_id"))
        if commit_id is None:
            return {}
        scope = scope_of(self._parts.scopes, runtime)
        async with self._parts.database.transaction(scope) as tx:
            return _report(await commits.get(tx, commit_id))

    def _asked(self, scope: Scope, state: CommitState, model: BaseChatModel) -> AskedModel:
        return AskedModel(
            model=model,
            name=self._parts.model_name,
            database=self._parts.database,
            scope=scope,
            source_id=state["archived"] or state["commit_id"],
            deadline=self._parts.deadline,
        )

    async def _stage(self, scope: Scope, state: CommitState) -> Stage:
        async with self._parts.database.transaction(scope) as tx:
            return await archive.load(tx, UUID(state["commit_id"]))

    def _scope(self, state: CommitState, runtime: Runtime[CommitContext]) -> Scope:
        """Whose commit it is, as the agent whose session it was: what is distilled for an agent is its own."""
        scope = scope_of(self._parts.scopes, runtime)
        return replace(scope, agent=state.get("agent") or scope.agent)

    async def _decide(self, tx: Transaction, state: CommitState) -> tuple[list[Decision], _Known, Stage]:
        """The fate of each kept candidate, and the memories it was decided against."""
        stage = await archive.load(tx, UUID(state["commit_id"]))
        batch = [candidates.from_json(plain) for plain in stage.commit.candidates]
        keys = [candidates.merge_key(candidate) for candidate in batch if candidate.memory_type.mergeable]
        existing = {memory.merge_key: memory for memory in await memories.by_merge_keys(tx, keys)}
        occasions = await memories.by_types(tx, (MemoryType.EVENT, MemoryType.CASE), limit=500)
        sources = {e.source_uri for candidate in batch for e in candidate.evidence}
        buried = await memories.tombstones(tx, sorted(sources))
        decisions = dedup.decide(batch, existing, buried=buried, events=occasions)
        return decisions, {memory.memory_id: memory for memory in (*existing.values(), *occasions)}, stage

    async def _ended(
        self, tx: Any, stage: Stage, state: CommitState, merger: Merger, decisions: list[Decision], miv: int
    ) -> commits.Commit:
        used = await link.used_by(tx, stage)
        made = {Action.CREATE, Action.MERGE, Action.SUPERSEDE}
        extraction = state.get("extraction", {})
        stats: dict[str, Any] = {
            "total_turns": used.turns or sum(m.role.value == "user" for m in stage.messages),
            "messages": len(stage.messages),
            "contexts_used": len(used.contexts),
            "skills_used": len(used.skills),
            "memories_extracted": sum(decision.action in made for decision in decisions),
            "candidates": len(decisions),
            "refused": extraction.get("refused", {}),
            "extraction": extraction.get("source", "rule"),
            "summary": state.get("summary_source", "rule"),
            "waiting_for_model": self._parts.model is None,
        }
        reasons = [state.get("reason", "")]
        if self._parts.model is None:
            reasons.append(_WAITS)
        if not stats["memories_extracted"]:
            reasons.append("no memory was extracted: " + _why_none(stage, decisions, extraction))
        outcomes = [outcome.to_json() for outcome in merger.outcomes] + list(extraction.get("quarantined", []))
        whole = self._parts.model is not None and not state.get("reason")
        return replace(
            stage.commit,
            fence=state["fence"],
            state=Outcome.DONE if whole else Outcome.PARTIAL,
            reason="; ".join(filter(None, reasons)) or None,
            candidates=outcomes,
            stats=stats,
            miv=miv,
        )


def _why_none(stage: Stage, decisions: list[Decision], extraction: Mapping[str, Any]) -> str:
    if not any(message.content.strip() for message in stage.messages):
        return "nobody said anything"
    if decisions:
        return "everything was known already or may not be kept"
    if refused := extraction.get("refused"):
        return "sentences were set aside (" + ", ".join(f"{k}: {v}" for k, v in sorted(refused.items())) + ")"
    return "the user stated nothing lasting about themselves"


def _unsaid(found: Sequence[Candidate], by_model: Sequence[Candidate]) -> list[Candidate]:
    """Explicit statements that the model has left out: those of a sentence from which it drew fewer facts than stand
    in it. Told twice is better than lost."""
    kept = []
    for candidate in found:
        quotes = [e.quote for e in candidate.evidence]
        here = sum(_overlap(quotes, other) for other in found)
        if sum(_overlap(quotes, other) for other in by_model) < here:
            kept.append(candidate)
    return kept


def _overlap(quotes: Sequence[str], other: Candidate) -> bool:
    return any(e.quote in quote or quote in e.quote for e in other.evidence for quote in quotes)


def _report(commit: commits.Commit) -> dict[str, Any]:
    return {
        "commit_id": str(commit.commit_id),
        "session_id": str(commit.session_id),
        "state": commit.state.value,
        "reason": commit.reason or "",
        "stats": dict(commit.stats),
        "outcomes": [dict(row) for row in commit.candidates],
    }


def _nothing(session: Any) -> dict[str, Any]:
    why = "there are no new messages since the last commit"
    if session.policy.value != "normal":
        why = f"the session's memory policy is {session.policy.value}: it leaves nothing behind"
    stats = {"total_turns": 0, "contexts_used": 0, "skills_used": 0, "memories_extracted": 0}
    return {
        "session_id": str(session.session_id),
        "state": Outcome.DONE.value,
        "reason": f"no memory was extracted: {why}",
        "stats": stats,
        "outcomes": [],
    }


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise InvalidInputError(f"Not an id: {text!r}.") from error
