"""The projector: a change of truth becomes material in the same transaction, so the next search finds it.

Rule-made only (L0, chunks, words, catalogue, references): no model and no embedder is asked here. What takes long is
left to jobs that are deferred in the same transaction: vectors, texts of containers, notes over 200,000 characters, the
reading of files, descriptions by a model.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from psycopg.rows import TupleRow

from context.derived import ContextNode, Resource
from context.truth import Asset, ChatMessage, ChatSession, Note, NoteKind
from context.types import ProjectionStatus, RefType, Visibility
from context.uri import asset_uri, session_uri
from resources import described, tree
from resources.described import Kept
from resources.levels import OVERVIEW_THRESHOLD
from resources.links import calls_of
from resources.material import LARGE, ancestors, file_nodes, note_nodes, stage_nodes
from resources.readers.document import Document
from resources.records import file_resource, note_resource, stage_resource, summary_resource
from storage import catalog, clock, containers, events, jobs, links, notes, refs, resources
from storage.catalog import IndexedNode
from storage.database import Statement, Transaction
from storage.events import Event
from storage.links import Calls
from storage.notes import Stored

WAITS_FOR_READER = "waiting to be read"
"""Reason of a file's material until a reader has been at it."""
WAITS_FOR_CUTTING = "waiting to be cut"
"""Reason of a large note's material until it has been cut. Both begin as `storage.resources.WAITS` says."""
# The window of the recipe reaches four turns back at the most, so a gap of four keeps it inside a stage.
_STAGE_GAP = 4
NodesOf = Mapping[UUID, list[IndexedNode]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Projector:
    """Writes truth and its material together.

    Attributes:
        engine: identity of the embedder; a new owner's vectors will be of this engine.
        describes: which sources a chat model describes in the background; `off` where there is none.
    """

    engine: str
    describes: Literal["long", "all", "off"] = "off"

    async def save_note(self, tx: Transaction, note: Note) -> Stored:
        """Create or change a note and its material; the same content twice changes nothing."""
        return (await self.save_notes(tx, [note]))[0]

    async def save_notes(self, tx: Transaction, batch: Sequence[Note]) -> list[Stored]:
        """Create or change notes and their material, in a fixed number of round trips however many they are.

        Args:
            batch: at most one of each id. The owner's clock is held until the transaction ends: some fifty at once.
        """
        known = await notes.marks(tx, [note.note_id for note in batch])
        now = datetime.now(UTC)
        fresh = [
            _stamped(note, now)
            for note in batch
            if note.note_id not in known or known[note.note_id].digest != notes.content_digest(note)
        ]
        if not fresh:
            return [Stored(note, changed=False) for note in batch]
        whole = {note.note_id for note in fresh if not is_large(note)}
        moved = {note.note_id for note in fresh if is_large(note) and await self._is_moved(tx, note, known)}
        cut = {note.note_id: note_nodes(tx.scope, note, whole=note.note_id in whole) for note in fresh}
        nodes = await self._with_kept_texts(tx, cut)
        above = _ancestors(tx, nodes)
        calls = {note.note_id: calls_of(note) for note in fresh}  # all that can be done before the clock is taken,
        miv = await clock.advance(tx, engine=self.engine)  # and the clock before the notes' rows
        rows = await tx.pipelined(
            [notes.marks_statement(list(nodes)), notes.put_statement(fresh), *_standing(nodes, above)]
        )
        before = notes.marks_of(rows[0])  # as of now: another writer may have been quicker
        changed = {row[0]: (row[1], row[2]) for row in rows[1]}
        written = [note for note in fresh if note.note_id in changed]
        renewed = {note.note_id for note in written if _changes_words(note, before.get(note.note_id))}
        await self._project(
            tx, written, nodes, above, rows[2:], calls, miv=miv, whole=whole, moved=moved, renewed=renewed
        )
        large = [note for note in written if note.note_id not in whole]
        for note in large:
            await jobs.defer(tx, jobs.PROJECT, lock=f"project:{note.note_id}", note_id=note.note_id)
        await self._request(tx, {note.note_id: nodes[note.note_id] for note in written if note not in large})
        return [
            Stored(replace(note, revision=changed[note.note_id][0], updated_at=changed[note.note_id][1]), changed=True)
            if note.note_id in changed
            else Stored(note, changed=False)
            for note in batch
        ]

    async def project_note(self, tx: Transaction, note: Note, cut: Sequence[IndexedNode]) -> int:
        """Cut a note that was too large to be cut when it was saved; how many versions that changed.

        Args:
            cut: its nodes (`material.note_nodes`), which the caller makes off the event loop.
        """
        nodes = await self._with_kept_texts(tx, {note.note_id: list(cut)})
        miv = await clock.advance(tx, engine=self.engine)
        above = _ancestors(tx, nodes)
        rows = await tx.pipelined(_standing(nodes, above))
        former = await catalog.former_of(tx, str(note.note_id))
        calls = {note.note_id: calls_of(note)}
        changed = await self._project(
            tx, [note], nodes, above, rows, calls, miv=miv, whole={note.note_id}, former=former
        )
        await self._request(tx, nodes)
        return changed

    async def save_file(self, tx: Transaction, asset: Asset) -> bool:
        """Make a file that was stored material: found by its name at once, by its text when a reader has been at it.

        Returns:
            Whether the file is to be read; False if just these bytes were read before.
        """
        known = {item.uri: item for item in await resources.of_source(tx, str(asset.asset_id))}
        uri = str(asset_uri(tx.scope.user, asset.asset_id))
        same = uri in known and known[uri].digest == asset.digest
        if same and known[uri].projection_status is not ProjectionStatus.FAILED:
            return False
        miv = await clock.advance(tx, engine=self.engine)
        nodes = file_nodes(tx.scope, asset, None)
        await self._store(tx, nodes, file_resource(asset, uri, None, reason=WAITS_FOR_READER), miv=miv)
        callers = await links.callers_of_files(tx, [asset.name.lower()])
        if callers:
            await links.settle(tx, callers)
        if asset.owner_uri:
            await refs.put(tx, [(asset.owner_uri, RefType.ATTACHMENT, uri)])
        await jobs.defer(tx, jobs.READ, lock=f"read:{asset.asset_id}", asset_id=asset.asset_id)
        await self.request_vectors(tx)
        return True

    async def save_document(
        self, tx: Transaction, asset: Asset, document: Document, cut: Sequence[IndexedNode] | None = None
    ) -> int:
        """Make what a reader found in a file its material; how many versions that changed.

        Args:
            cut: its nodes (`material.file_nodes`), where the caller has made them off the event loop.
        """
        uri = str(asset_uri(tx.scope.user, asset.asset_id))
        made = list(cut) if cut is not None else file_nodes(tx.scope, asset, document)
        nodes = (await self._with_kept_texts(tx, {asset.asset_id: made}))[asset.asset_id]
        record = file_resource(asset, uri, document, reason="; ".join(document.notices) or None)
        if await self._stands(tx, nodes, record):
            return 0
        miv = await clock.advance(tx, engine=self.engine)
        changed = await self._store(tx, nodes, record, miv=miv)
        await self._request(tx, {asset.asset_id: nodes})
        return changed

    async def fail_file(self, tx: Transaction, asset: Asset, reason: str) -> None:
        """Say why a file cannot be read; it stays found by its name."""
        uri = str(asset_uri(tx.scope.user, asset.asset_id))
        miv = await clock.advance(tx, engine=self.engine)
        failed = replace(file_resource(asset, uri, None, reason=reason), projection_status=ProjectionStatus.FAILED)
        await self._store(tx, file_nodes(tx.scope, asset, None), failed, miv=miv)
        await events.put(tx, [Event(kind="resource.failed", uri=uri, reason=reason)], miv=miv)

    async def archive_stage(
        self,
        tx: Transaction,
        session: ChatSession,
        messages: Sequence[ChatMessage],
        *,
        miv: int,
        visibility: Visibility,
    ) -> str:
        """Make a stage of a chat material: one container, one leaf a message. The address of the container.

        Args:
            messages: the stage, in order, not empty.
            visibility: PRIVATE lets the user find it from other sessions, SESSION_ONLY does not.
        """
        first = await clock.take_positions(tx, len(messages) + _STAGE_GAP)
        nodes = stage_nodes(tx.scope, session, messages, first_position=first, visibility=visibility)
        uri = nodes[0].node.uri
        await self._store(tx, nodes, stage_resource(session, nodes[0].node), miv=miv, title=session.title)
        await refs.put(tx, [(str(session_uri(tx.scope.user, session.session_id)), RefType.LINKS, uri)])
        await self.request_vectors(tx)
        return uri

    async def summarize_stage(self, tx: Transaction, session: ChatSession, uri: str, texts: Kept) -> None:
        """Give an archived stage the texts that its summary found, and keep them for a rebuild."""
        node = (await catalog.live_nodes(tx, [uri])).get(uri)
        if node is None or (node.abstract, node.overview, node.written_by) == (
            texts.abstract,
            texts.overview,
            texts.written_by,
        ):
            return
        miv = await clock.advance(tx, engine=self.engine)
        await described.keep(tx, described.SUMMARY, uri, uri, texts)
        live = await catalog.live_of(tx, [uri])
        newer = described.with_texts([IndexedNode(node=node, terms={})], texts)
        told = {item.node.uri for item in newer}
        standing = [item for item in live[uri] if item.uri in told]
        changes = catalog.difference(standing, newer)
        if changes:
            await catalog.apply(tx, [changes], miv=miv)
        await resources.put(tx, summary_resource(session, newer[0].node))
        await containers.touch(tx, tree.above([str(session_uri(tx.scope.user, session.session_id))]))
        await events.put(tx, [Event(kind="session.summarized", uri=uri)], miv=miv)
        await self.request_vectors(tx)

    async def request_vectors(self, tx: Transaction) -> None:
        """Ask for vectors of whatever has none, and then for the texts of containers that wait for them."""
        await jobs.defer(tx, jobs.EMBED, lock="embed")

    async def _project(
        self,
        tx: Transaction,
        written: Sequence[Note],
        nodes: NodesOf,
        above: Sequence[ContextNode],
        standing: Sequence[Sequence[TupleRow]],
        calls: Mapping[UUID, Calls],
        *,
        miv: int,
        whole: Collection[UUID],
        moved: Collection[UUID] = (),
        renewed: Collection[UUID] = (),
        former: Sequence[catalog.StandingNode] = (),
    ) -> int:
        """Make nodes of notes stand, with the tree above them, their records, events, names and references.

        Args:
            whole: notes whose nodes are all there; of the others, a job cuts the rest.
            moved: large notes whose leaves stay as they are.
            renewed: notes whose every node begins anew, because its words changed beside its text.
            former: ended versions whose vectors may be taken over.
        """
        if not written:
            return 0
        live = catalog.by_source(standing[0])
        tops = {note.note_id: nodes[note.note_id][0].node for note in written}
        parents = {_parent(top) for top in tops.values()}
        parents |= {old.parent_uri for items in live.values() for old in items if not old.is_leaf and old.parent_uri}
        told = [
            event
            for note in written
            for event in (
                Event(kind="note.changed", uri=tops[note.note_id].uri, digest=notes.content_digest(note)),
                Event(kind="resource.projected", uri=tops[note.note_id].uri),
            )
        ]
        calls = {note.note_id: calls[note.note_id] for note in written}
        changes = [
            catalog.difference(
                *_compared(live.get(str(note.note_id), []), nodes[note.note_id], top_only=note.note_id in moved),
                former=former,
                anew=note.note_id in renewed,
            )
            for note in written
        ]
        applied = await catalog.apply(
            tx,
            [tree.growth(above, {row[0] for row in standing[1]}), *changes],
            miv=miv,
            also=[
                *links.replace_statements(calls),
                resources.put_statement(
                    [_record(note, tops[note.note_id].uri, whole=note.note_id in whole) for note in written]
                ),
                events.put_statement(told, miv=miv),
                containers.touch_statement(tree.above(parents)),
            ],
        )
        await links.settle(tx, links.touched(calls, applied.rows[0]))
        return applied.versions

    async def _store(
        self, tx: Transaction, nodes: Sequence[IndexedNode], resource: Resource, *, miv: int, title: str = ""
    ) -> int:
        """One source's nodes, with the tree above them, its record and its event."""
        top = nodes[0].node
        above = ancestors(tx.scope.user, _parent(top), title=title)
        uris = [node.uri for node in above]
        rows = await tx.pipelined([catalog.live_statement([top.source_id]), catalog.live_uris_statement(uris)])
        live = catalog.by_source(rows[0]).get(top.source_id, [])
        applied = await catalog.apply(
            tx,
            [tree.growth(above, {row[0] for row in rows[1]}), catalog.difference(live, nodes)],
            miv=miv,
            also=[
                resources.put_statement([resource]),
                events.put_statement([Event(kind="resource.projected", uri=top.uri)], miv=miv),
                containers.touch_statement(tree.above([_parent(top)])),
            ],
        )
        return applied.versions

    async def _is_moved(self, tx: Transaction, note: Note, known: Mapping[UUID, notes.Mark]) -> bool:
        """Whether a large note has its old text in another place: what was cut of it stands until a job comes."""
        return note.note_id in known and (await notes.get(tx, note.note_id)).body == note.body

    async def _stands(self, tx: Transaction, nodes: Sequence[IndexedNode], record: Resource) -> bool:
        """Whether material and its record are what they should be already."""
        source = nodes[0].node.source_id
        known = next((item for item in await resources.of_source(tx, source) if item.uri == record.uri), None)
        if known is None or known.projection_status is ProjectionStatus.FAILED:
            return False
        fields = ("source_type", "digest", "title", "reason", "visibility")
        live = (await catalog.live_of(tx, [source])).get(source, [])
        return all(getattr(known, f) == getattr(record, f) for f in fields) and not catalog.difference(live, nodes)

    async def _with_kept_texts(self, tx: Transaction, nodes: NodesOf) -> dict[UUID, list[IndexedNode]]:
        """What a model said about just this text before is taken at once, without asking again."""
        keys = {str(key): described.key_of(items) for key, items in nodes.items() if self._describes(items)}
        texts = await described.kept(tx, described.DESCRIBE, keys)
        return {key: described.with_texts(items, texts.get(str(key))) for key, items in nodes.items()}

    async def _request(self, tx: Transaction, nodes: NodesOf) -> None:
        await self.request_vectors(tx)
        if self.describes != "off":
            for key, items in nodes.items():
                if self._describes(items) and not described.is_described(items[0].node):
                    await jobs.defer(tx, jobs.DESCRIBE, lock=f"describe:{key}", priority=-1, source_id=key)

    def _describes(self, nodes: Sequence[IndexedNode]) -> bool:
        return self.describes == "all" or is_long(nodes)


def _stamped(note: Note, now: datetime) -> Note:
    """With the time of its change: a file says when it was last written, everything else changes now."""
    return note if note.kind is NoteKind.IMPORT and note.updated_at else replace(note, updated_at=now)


def _changes_words(note: Note, before: notes.Mark | None) -> bool:
    return before is not None and (before.kind, before.tags) != (note.kind, note.tags)


def _compared(
    live: Sequence[catalog.StandingNode], nodes: Sequence[IndexedNode], *, top_only: bool
) -> tuple[Sequence[catalog.StandingNode], Sequence[IndexedNode]]:
    if not top_only:
        return live, nodes
    return [node for node in live if not node.is_leaf], nodes[:1]


def is_large(note: Note) -> bool:
    """Whether a note is cut by a job."""
    return len(note.body) > LARGE


def is_long(nodes: Sequence[IndexedNode]) -> bool:
    """Whether material is long enough for an overview."""
    return sum(len(item.node.body or "") for item in nodes[1:]) > OVERVIEW_THRESHOLD


def _record(note: Note, uri: str, *, whole: bool) -> Resource:
    return note_resource(note, uri, reason=WAITS_FOR_CUTTING if is_large(note) and not whole else None)


def _parent(node: ContextNode) -> str:
    assert node.parent_uri is not None  # noqa: S101  # notes, files and stages have parents
    return node.parent_uri


def _ancestors(tx: Transaction, nodes: NodesOf) -> list[ContextNode]:
    parents = sorted({_parent(items[0].node) for items in nodes.values()})
    return [node for parent in parents for node in ancestors(tx.scope.user, parent)]


def _standing(nodes: NodesOf, above: Sequence[ContextNode]) -> list[Statement]:
    """What is live of these sources, and which of the containers above them are there."""
    uris = sorted({node.uri for node in above})
    return [catalog.live_statement([str(key) for key in nodes]), catalog.live_uris_statement(uris)]
