"""Descriptions by a model, in the background: notes, files and containers get an L0 and an L1 that was asked for once.

An answer that may not stand leaves the rule-made texts as they are. One that may is kept before it is used, and both
only while what it was written about is still the same, so that nothing is left of what was deleted meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import UUID

import structlog
from langchain_core.language_models import BaseChatModel

from context.derived import ContextNode
from context.errors import ModelOutputInvalid, ModelUnavailable
from context.scope import Scope
from context.types import SpaceType
from context.uri import ContextUri
from models.chat import structured
from prompts.library import PromptLibrary
from resources import described, tree
from resources.described import Kept
from resources.describing.answers import Description, guarded
from resources.describing.questions import Question, about_container, about_file, about_note
from resources.describing.settings import ProjectionSettings
from resources.directory_texts import MOST_CHILDREN
from resources.projector import Projector, is_long
from storage import catalog, clock, containers, events, traces
from storage.assets import AssetStore
from storage.catalog import IndexedNode
from storage.database import Database, Transaction
from storage.events import Event

log = structlog.get_logger("pocketmind.describing")

FEWEST_CHILDREN = 5
"""A container with fewer is told by rule: its list is as short as any description."""
_DEFAULTS = ProjectionSettings()


async def describe_source(
    database: Database,
    scope: Scope,
    *,
    projector: Projector,
    model: BaseChatModel,
    name: str,
    prompts: PromptLibrary,
    fence: str,
    source_id: str,
    deadline: float,
    settings: ProjectionSettings = _DEFAULTS,
) -> bool:
    """Have a model describe a note or a file that the settings want described and that only a rule has.

    Args:
        name: of the model; who the texts are said to be written by.
        fence: the mark of this prompt (`prompts.fencing.new_fence`).
        deadline: seconds for one question and its one repair.

    Returns:
        Whether a model's texts stand now that did not before. False also where there is nothing to do, and where the
        answer was refused, which is logged.

    Raises:
        ModelUnavailable: no answer in time (retryable).
    """
    if settings.describe == "off":
        return False
    async with database.transaction(scope, snapshot=True) as tx:
        nodes = await _nodes_of(tx, source_id)
        if not nodes or described.is_described(nodes[0].node):
            return False
        top, key = nodes[0].node, described.key_of(nodes)
        kind = "".join(ContextUri.parse(top.uri).segments[1:2])
        if kind not in ("notes", "assets") or not (is_long(nodes) or settings.describe == "all"):
            return False
        kept = await _kept(tx, top, key, name)
        # Only its row is asked for, so it does not matter where the bytes lie.
        asset = await AssetStore(Path()).get(tx, UUID(source_id)) if kind == "assets" else None

    async def key_now(tx: Transaction) -> str | None:
        found = await _nodes_of(tx, source_id)
        return described.key_of(found) if found else None

    about = partial(about_file, asset=asset) if asset else about_note
    ask = partial(about, prompts, nodes, fence=fence, tokens=settings.describe_tokens)
    desk = _Desk(database=database, scope=scope, projector=projector, model=model, name=name, deadline=deadline)
    return await desk.describe(top, key, kept, ask, key_now, fence=fence)


async def describe_container(
    database: Database,
    scope: Scope,
    *,
    projector: Projector,
    model: BaseChatModel,
    name: str,
    prompts: PromptLibrary,
    fence: str,
    uri: str,
    deadline: float,
    settings: ProjectionSettings = _DEFAULTS,
) -> bool:
    """Have a model describe a folder or a session with at least five children that all the owner's agents may see.

    Args, returns and raises as `describe_source`.
    """
    kind = _kind_of(uri)
    if settings.describe == "off" or not kind:
        return False
    async with database.transaction(scope, snapshot=True) as tx:
        node = (await catalog.live_nodes(tx, [uri])).get(uri)
        rows, count = await catalog.children(tx, uri, limit=MOST_CHILDREN)
        if node is None or count < FEWEST_CHILDREN:
            return False
        key = tree.key_of_children(node, rows, count)
        kept = await _kept(tx, node, key, name)
        if kept is not None and described.is_described(node):
            return False

    async def key_now(tx: Transaction) -> str | None:
        found = (await catalog.live_nodes(tx, [uri])).get(uri)
        return tree.key_of_children(found, *await catalog.children(tx, uri, limit=MOST_CHILDREN)) if found else None

    ask = partial(about_container, prompts, node, kind, rows, count, fence=fence, tokens=settings.describe_tokens)
    desk = _Desk(database=database, scope=scope, projector=projector, model=model, name=name, deadline=deadline)
    return await desk.describe(node, key, kept, ask, key_now, fence=fence)


async def describe_containers(
    database: Database,
    scope: Scope,
    *,
    uris: Sequence[str],
    projector: Projector,
    model: BaseChatModel,
    name: str,
    prompts: PromptLibrary,
    fence: str,
    deadline: float,
    settings: ProjectionSettings = _DEFAULTS,
) -> int:
    """Have a model describe those of these containers that it should, in order; how many it did.

    Args:
        uris: what `tree.refresh` has returned, the deepest first.

    Raises:
        ModelUnavailable: no answer in time; the containers that are left wait again, so that a retry finds them.
    """
    wanted = [uri for uri in uris if _kind_of(uri)] if settings.describe != "off" else []
    done = 0
    for place, uri in enumerate(wanted):
        try:
            done += await describe_container(
                database,
                scope,
                projector=projector,
                model=model,
                name=name,
                prompts=prompts,
                fence=fence,
                uri=uri,
                deadline=deadline,
                settings=settings,
            )
        except ModelUnavailable:
            async with database.transaction(scope) as tx:
                await containers.touch(tx, wanted[place:])
            raise
    return done


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """Where one description is asked for, kept and put in place."""

    database: Database
    scope: Scope
    projector: Projector
    model: BaseChatModel
    name: str
    deadline: float

    async def describe(
        self,
        node: ContextNode,
        key: str,
        kept: Kept | None,
        ask: Callable[[], Question],
        key_now: Callable[[Transaction], Awaitable[str | None]],
        *,
        fence: str,
    ) -> bool:
        """Put texts in place that were kept under `key`, or ask for them first.

        Args:
            ask: makes the question; called in a thread, since a long text takes a while to count.
            key_now: what the texts would be kept under now; None when the subject is gone.
        """
        texts = kept or await self._asked(node, key, await asyncio.to_thread(ask), fence)
        if texts is None:
            return False
        if kept is None:
            async with self.database.transaction(self.scope) as tx:
                await clock.advance(tx, engine=self.projector.engine)
                if await key_now(tx) != key:
                    return False
                await described.keep(tx, described.DESCRIBE, node.source_id, key, texts)
        async with self.database.transaction(self.scope) as tx:
            miv = await clock.advance(tx, engine=self.projector.engine)
            return await key_now(tx) == key and await self._put(tx, node.uri, texts, miv=miv)

    async def _asked(self, node: ContextNode, key: str, question: Question, fence: str) -> Kept | None:
        try:
            said = await structured(self.model, Description, question.messages, deadline=self.deadline)
            abstract, overview = await asyncio.to_thread(guarded, said, question, fence=fence)
        except ModelOutputInvalid as error:
            log.warning("rule-made texts stay", about=str(node.record_id or key[:16]), reason=error.message)
            return None
        return Kept(abstract=abstract, overview=overview, written_by=self.name)

    async def _put(self, tx: Transaction, uri: str, texts: Kept, *, miv: int) -> bool:
        node = (await catalog.live_nodes(tx, [uri]))[uri]
        newer = described.with_texts([IndexedNode(node=node, terms={})], texts)
        live = await catalog.live_of(tx, [node.source_id])
        standing = [item for item in live[node.source_id] if item.uri == uri]
        changes = catalog.difference(standing, newer)
        if not changes:
            return False
        told = Event(kind="resource.described", uri=uri, reason=texts.written_by)
        also = [events.put_statement([told], miv=miv)]
        if node.parent_uri:
            also.append(containers.touch_statement(tree.above([node.parent_uri])))
        await catalog.apply(tx, [changes], miv=miv, also=also)
        await self.projector.request_vectors(tx)
        return True


async def _nodes_of(tx: Transaction, source_id: str) -> list[IndexedNode]:
    """The live nodes of a source as its projection makes them: the container, then its chunks in order."""
    live = (await catalog.live_of(tx, [source_id])).get(source_id, [])
    texts = await catalog.bodies(tx, [item.vid for item in live])
    nodes = sorted((node for node, _ in texts.values()), key=lambda node: (node.is_leaf, node.ordinal))
    return [IndexedNode(node=node, terms={}) for node in nodes] if nodes and not nodes[0].is_leaf else []


async def _kept(tx: Transaction, node: ContextNode, key: str, name: str) -> Kept | None:
    """What a model said about just this; also what it said of another source with the very same words."""
    texts = await described.kept(tx, described.DESCRIBE, {node.source_id: key})
    if node.source_id in texts:
        return texts[node.source_id]
    said = await traces.model_output(tx, task=described.DESCRIBE, model=name, prompt=key)
    return Kept(abstract=said["abstract"], overview=said["overview"], written_by=name) if said else None


def _kind_of(uri: str) -> str:
    """`folder` or `session`; empty for what is told by rule alone."""
    address = ContextUri.parse(uri)
    if address.space is not SpaceType.USER:
        return ""
    if address.segments[1:2] == ("folders",):
        return "folder"
    return "session" if address.segments[1:2] == ("sessions",) and len(address.segments) == 3 else ""
