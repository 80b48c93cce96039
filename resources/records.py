"""Records of material: which resource was projected from which source, and what its digest is of. Pure."""

from __future__ import annotations

from dataclasses import replace

from context.derived import ContextNode, Resource
from context.truth import Asset, ChatSession, Note, NoteKind
from context.types import ProjectionStatus, SourceType, SpaceType, Visibility
from resources.material import SOURCE_TYPES, resource_id
from resources.readers.document import Document
from storage import notes


def note_resource(note: Note, uri: str, *, reason: str | None = None) -> Resource:
    """The record of a note's material."""
    return Resource(
        resource_id=resource_id(note.note_id),
        resource_type="import" if note.kind is NoteKind.IMPORT else "note",
        source_type=SOURCE_TYPES[note.kind],
        source_id=str(note.note_id),
        space=SpaceType.USER,
        visibility=Visibility.PRIVATE,
        uri=uri,
        title=note.title,
        digest=notes.content_digest(note),
        projection_status=ProjectionStatus.PENDING,
        reason=reason,
    )


def file_resource(asset: Asset, uri: str, document: Document | None, *, reason: str | None) -> Resource:
    """The record of a file's material. Its digest is the file's: other bytes are read anew."""
    return Resource(
        resource_id=resource_id(asset.asset_id),
        resource_type="attachment",
        source_type=document.source_type if document else SourceType.MARKDOWN_IMPORT,
        source_id=str(asset.asset_id),
        space=SpaceType.USER,
        visibility=Visibility.PRIVATE,
        uri=uri,
        title=(document.title if document else "") or asset.name,
        digest=asset.digest,
        projection_status=ProjectionStatus.PENDING,
        reason=reason,
    )


def stage_resource(session: ChatSession, top: ContextNode) -> Resource:
    """The record of a stage's transcript."""
    return Resource(
        resource_id=resource_id(top.uri),
        resource_type="session",
        source_type=SourceType.CHAT_TRANSCRIPT,
        source_id=top.uri,
        space=SpaceType.SESSION,
        visibility=top.visibility,
        uri=top.uri,
        title=session.title,
        digest=top.digest,
        projection_status=ProjectionStatus.PENDING,
        session_id=session.session_id,
    )


def summary_resource(session: ChatSession, top: ContextNode) -> Resource:
    """The record of a stage's summary, which stands on the same node."""
    summary = stage_resource(session, top)
    return replace(
        summary,
        resource_id=resource_id(f"summary:{top.uri}"),
        source_type=SourceType.CHAT_STAGE_SUMMARY,
        projection_status=ProjectionStatus.READY,
    )
