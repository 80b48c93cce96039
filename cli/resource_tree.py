"""Material drawn as a tree: where it comes from, what is said about it, its chunks, and what points where."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from rich.text import Text
from rich.tree import Tree

from cli.output import Output, harmless, one_line
from cli.resource_values import Material
from context.derived import ContextNode
from context.types import ProjectionStatus, RefType
from retrievers.disclosure import source_ref

_COLOURS = {
    ProjectionStatus.READY: "green",
    ProjectionStatus.PENDING: "yellow",
    ProjectionStatus.FAILED: "red",
    ProjectionStatus.DELETED: "dim",
}
_LINE = 100


def as_tree(out: Output, found: Material, *, zone: tzinfo, text: bool) -> Tree:
    """The whole of a source's material; with `text`, every chunk word by word."""
    resource = found.resource
    head = Text(harmless(resource.title or (found.container.title if found.container else resource.uri)), style="bold")
    head.append(f"  {out.tell(f'material_{resource.projection_status}')}", style=_COLOURS[resource.projection_status])
    tree = Tree(head, guide_style="dim")
    if resource.reason:
        tree.add(_text(out.tell("material_reason", reason=resource.reason), "yellow"))
    _facts(out, tree, found, zone)
    if found.container is not None:
        _texts(out, tree, found.container)
    _chunks(out, tree, found, text=text)
    _references(tree, out.tell("material_points"), "→", found.references)
    _references(tree, out.tell("material_pointed"), "←", found.callers)
    return tree


def _facts(out: Output, tree: Tree, found: Material, zone: tzinfo) -> None:
    for record in (found.resource, *found.others):
        branch = tree.add(_text(f"{out.tell('material_facts')} {record.source_type.value}"))
        branch.add(_text(str(record.resource_id), "dim"))
        branch.add(_text(record.uri, "dim"))
        branch.add(
            _text(f"{record.space.value} · {record.visibility.value} · sha256 {record.digest.hex()[:16]}", "dim")
        )
        if record.updated_at:
            at = f"{record.updated_at.astimezone(zone):%Y-%m-%d %H:%M:%S}"
            branch.add(_text(out.tell("material_updated", at=at), "dim"))
    branch = tree.add(_text(out.tell("material_source")))
    source = found.source
    if source is None:
        branch.add(_text(out.tell("material_gone"), "yellow"))
        return
    branch.add(_text(out.tell(f"material_{source['kind']}", **{k: v for k, v in source.items() if k != "kind"})))
    if source["kind"] == "file":
        branch.add(_text(f"{source['mime']} · sha256 {source['sha256']}".removeprefix(" · "), "dim"))
        if source["belongs_to"]:
            branch.add(_text(f"→ {source['belongs_to']}", "dim"))


def _texts(out: Output, tree: Tree, top: ContextNode) -> None:
    by = out.tell("material_by_rule") if top.written_by == "rule" else out.tell("material_by", model=top.written_by)
    tree.add(_text(out.tell("material_abstract", by=by))).add(_text(top.abstract))
    if top.overview:
        branch = tree.add(_text(out.tell("material_overview")))
        for line in top.overview.splitlines():
            branch.add(_text(line))


def _chunks(out: Output, tree: Tree, found: Material, *, text: bool) -> None:
    told = out.tell("material_chunks", count=len(found.chunks), embedded=found.embedded)
    branch = tree.add(_text(told))
    for chunk in found.chunks:
        line = Text(f"{chunk.ordinal}  {harmless(source_ref(chunk))}", style="cyan")
        heading = chunk.speaker or chunk.title
        if heading:
            line.append(f"  {harmless(one_line(heading, _LINE))}", style="")
        if chunk.vid in found.unembedded:
            line.append(f"  {out.tell('material_waits')}", style="yellow")
        leaf = branch.add(line)
        leaf.add(_text(chunk.body or "" if text else one_line(chunk.abstract, _LINE), "" if text else "dim"))


def _references(tree: Tree, told: str, arrow: str, items: Sequence[tuple[str, RefType, str]]) -> None:
    if not items:
        return
    branch = tree.add(_text(f"{told} ({len(items)})"))
    for uri, why, title in items:
        line = _text(f"{arrow} {why.value}  {one_line(title, 60)}".rstrip())
        line.append(f"  {uri}", style="dim")
        branch.add(line)


def _text(words: str, style: str = "") -> Text:
    return Text(harmless(words), style=style)
