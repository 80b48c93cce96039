"""Notes and archived stages, derived from truth again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple
from uuid import UUID

from context.errors import NotFoundError
from context.scope import Scope
from context.truth import ChatMessage, ChatSession, Note
from context.types import RefType, Visibility
from context.uri import note_uri, session_uri
from context.window import WINDOW
from resources import described
from resources.described import Kept
from resources.links import calls_of
from resources.material import ancestors, note_nodes, stage_nodes
from resources.rebuilding.values import Change, Step, Wanted
from resources.rebuilding.writes import compare
from resources.records import note_resource, stage_resource, summary_resource
from storage import catalog, commits, links, notes, rebuild, sessions, traces
from storage.catalog import IndexedNode, StandingNode
from storage.database import Transaction
from storage.links import Calls

_NOTES = 100
_CHARACTERS = 300_000
"""Of the notes of one page: while a page is written, the owner's clock is held."""
_STAGES = 10
_GAP = max(abs(offset) for offset in WINDOW) + 1
"""Positions between two stages, so that no window reaches from one into the other."""

Said = tuple[ChatSession, list[ChatMessage]]


class _Cut(NamedTuple):
    """A note and all that follows from it."""

    digest: bytes
    note: Note
    nodes: list[IndexedNode]
    calls: Calls


class NoteStep(Step):
    """Notes with their chunks, however large, and what models said about them."""

    name = "notes"

    def __init__(self) -> None:
        super().__init__()
        self._page: list[Note] = []
        self._cut: dict[UUID, _Cut] = {}

    async def total(self, tx: Transaction) -> int:
        """How many notes there are."""
        return (await rebuild.sizes(tx)).notes

    async def page(self, tx: Transaction, *, after: UUID) -> list[UUID]:
        """The next notes: at most a hundred, and about 300,000 characters."""
        lengths = await rebuild.note_lengths(tx, after=after, limit=_NOTES)
        number, characters = 0, 0
        for _, length in lengths:
            characters += length
            if number and characters > _CHARACTERS:
                break
            number += 1
        self._page = await notes.page(tx, after=after, limit=number) if number else []
        return [note.note_id for note in self._page]

    async def prepare(self, scope: Scope) -> None:
        """Cut the notes of the page."""
        self._cut = await asyncio.to_thread(lambda: {note.note_id: _cut(scope, note) for note in self._page})

    async def compare(self, tx: Transaction, ids: Sequence[UUID]) -> list[Change]:
        """Notes that do not stand as they should. One that was edited since the page was read is read again."""
        now = await notes.digests(tx, ids)
        buried = await rebuild.buried(tx, ids)
        found: dict[UUID, _Cut] = {}
        for note_id in ids:
            if note_id in now and note_id not in buried:
                found[note_id] = self._cut[note_id]
                if found[note_id].digest != now[note_id]:
                    note = await notes.get(tx, note_id)
                    found[note_id] = await asyncio.to_thread(_cut, tx.scope, note)
        live = await catalog.live_of(tx, [str(key) for key in found])
        nodes = await said_about(tx, {str(key): cut.nodes for key, cut in found.items()}, live)
        wanted = {key: _of_note(tx.scope, cut.note, nodes[str(key)]) for key, cut in found.items()}
        changes = {change.wanted.key: change for change in await compare(tx, list(wanted.values()), live)}
        calls = {key: cut.calls for key, cut in found.items()} | {key: Calls() for key in buried}
        for key in await links.differing(tx, calls):
            bare = Wanted(key=key, source_id=str(key), uri=str(note_uri(tx.scope.user, key)))
            changes[key] = replace(changes.get(key) or Change(wanted=wanted.get(key, bare)), calls=calls[key])
        return list(changes.values())


class StageStep(Step):
    """Archived stages of chats, with the texts that their summaries found.

    Args:
        visibility: of transcripts, as the settings have it now.
    """

    name = "stages"

    def __init__(self, visibility: Visibility) -> None:
        super().__init__()
        self._visibility = visibility
        self._page: dict[UUID, Said] = {}
        self._cut: dict[UUID, list[IndexedNode]] = {}

    async def total(self, tx: Transaction) -> int:
        """How many stages were archived."""
        return (await rebuild.sizes(tx)).stages

    async def page(self, tx: Transaction, *, after: UUID) -> list[UUID]:
        """The next stages, by the ids of their commits."""
        ids = await rebuild.archived(tx, after=after, limit=_STAGES)
        self._page = {key: said for key in ids if (said := await _said(tx, key)) is not None}
        return ids

    async def prepare(self, scope: Scope) -> None:
        """Make nodes of the messages of the page."""
        self._cut = await asyncio.to_thread(
            lambda: {key: self._nodes(scope, said) for key, said in self._page.items() if _speaks(said)}
        )

    async def compare(self, tx: Transaction, ids: Sequence[UUID]) -> list[Change]:
        """Stages that do not stand as they should."""
        found: dict[UUID, tuple[ChatSession, list[ChatMessage], list[IndexedNode]]] = {}
        for commit_id in ids:
            said = await _said(tx, commit_id)
            if said is None or not _speaks(said):
                continue
            nodes = self._cut[commit_id] if said == self._page.get(commit_id) else self._nodes(tx.scope, said)
            found[commit_id] = (*said, nodes)
        buried = await rebuild.buried(tx, [session.session_id for session, _, _ in found.values()])
        found = {key: item for key, item in found.items() if item[0].session_id not in buried}
        uris = [nodes[0].node.uri for _, _, nodes in found.values()]
        live = await catalog.live_of(tx, uris)
        kept = await described.kept(tx, described.SUMMARY, {uri: uri for uri in uris})
        standing = await rebuild.references(tx, uris)
        wanted = []
        for key, (session, messages, nodes) in found.items():
            uri = nodes[0].node.uri
            placed, fits = _placed(nodes, live.get(uri, []))
            texts = kept.get(uri) or _written(nodes, live.get(uri, []))
            link = (str(session_uri(tx.scope.user, session.session_id)), RefType.LINKS, uri)
            one = _of_stage(tx.scope, key, session, placed, texts)
            missing = {} if link in standing else {link: None}
            wanted.append(replace(one, missing=missing, places=0 if fits else len(messages) + _GAP))
        return await compare(tx, wanted, live)

    def _nodes(self, scope: Scope, said: Said) -> list[IndexedNode]:
        session, messages = said
        return stage_nodes(scope, session, messages, first_position=1, visibility=self._visibility)


async def said_about(
    tx: Transaction, nodes: Mapping[str, list[IndexedNode]], live: Mapping[str, Sequence[StandingNode]]
) -> dict[str, list[IndexedNode]]:
    """Material with what models said about just these words: what is kept, else what stands. No model is asked."""
    keys = {source: described.key_of(items) for source, items in nodes.items()}
    said = await traces.said_to(tx, task=described.DESCRIBE, prompts=list(keys.values()))
    texts: dict[str, list[IndexedNode]] = {}
    for source, items in nodes.items():
        known = said.get(keys[source])
        kept = Kept(written_by=known[0], **known[1]) if known else _written(items, live.get(source, []))
        texts[source] = described.with_texts(items, kept)
    return texts


def _written(nodes: Sequence[IndexedNode], live: Sequence[StandingNode]) -> Kept | None:
    """The texts that a model wrote and nobody kept, where all they were written about still stands."""
    standing = {node.uri: node for node in live}
    top = standing.get(nodes[0].node.uri)
    if top is None or top.written_by == "rule" or top.title != nodes[0].node.title:
        return None
    leaves = {item.node.uri: item.node.digest for item in nodes[1:]}
    about = {node.uri: bytes(node.digest) for node in live if node.is_leaf and node.uri != f"{top.uri}/summary"}
    if leaves != about:
        return None
    return Kept(abstract=top.abstract, overview=top.overview, written_by=top.written_by)


def _cut(scope: Scope, note: Note) -> _Cut:
    return _Cut(notes.content_digest(note), note, note_nodes(scope, note), calls_of(note))


def _of_note(scope: Scope, note: Note, nodes: Sequence[IndexedNode]) -> Wanted:
    top = nodes[0].node
    return Wanted(
        key=note.note_id,
        source_id=top.source_id,
        uri=top.uri,
        nodes=tuple(nodes),
        above=tuple(ancestors(scope.user, top.parent_uri or "")),
        records=(note_resource(note, top.uri),),
    )


def _of_stage(
    scope: Scope, key: UUID, session: ChatSession, nodes: Sequence[IndexedNode], texts: Kept | None
) -> Wanted:
    top = nodes[0].node
    told = described.with_texts(nodes, texts)
    records = [stage_resource(session, top)]
    if texts is not None:
        records.append(summary_resource(session, told[0].node))
    return Wanted(
        key=key,
        source_id=top.source_id,
        uri=top.uri,
        nodes=tuple(told),
        above=tuple(ancestors(scope.user, top.parent_uri or "", title=session.title)),
        records=tuple(records),
    )


def _placed(nodes: Sequence[IndexedNode], live: Sequence[StandingNode]) -> tuple[list[IndexedNode], bool]:
    """Turns, which count from 1, at the positions that the stage has; whether it has any that all its turns agree on.

    What is missing between turns that stand gets the place that was always its own.
    """
    have = {node.uri: node.pos for node in live if node.is_leaf}
    starts = {have[item.node.uri] - item.node.pos for item in nodes[1:] if item.node.uri in have}
    if len(nodes) == 1:
        return list(nodes), True
    if len(starts) != 1 or min(starts) < 0:
        return list(nodes), False
    before = min(starts)
    moved = [IndexedNode(node=replace(item.node, pos=item.node.pos + before), terms=item.terms) for item in nodes[1:]]
    return [nodes[0], *moved], True


async def _said(tx: Transaction, commit_id: UUID) -> Said | None:
    """A stage's session and messages; None if it was deleted meanwhile."""
    try:
        commit = await commits.get(tx, commit_id)
        session = await sessions.get(tx, commit.session_id)
    except NotFoundError:
        return None
    messages = await sessions.messages(tx, commit.session_id, after=commit.from_seq, upto=commit.upto_seq)
    return session, messages


def _speaks(said: Said) -> bool:
    return any(message.content.strip() for message in said[1])
