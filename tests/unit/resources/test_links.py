"""Links of a note: what it is called, what it links to."""

from __future__ import annotations

from uuid import UUID

import pytest

from context.truth import Note
from resources.links import calls_of, link_targets

NOTE = Note(note_id=UUID(int=1), title="Plan 2027", body="", source_name="vault/Work/计划.md", aliases=("The Plan",))


def test_wiki_links_point_to_notes_and_code_is_not_read() -> None:
    body = (
        "[[Note A]] and [[Note B|words]] [[Note A#Part]] ![[图.png]] `[[no]]`\n```\n[[neither]]\n```\n[[#here]] [[C]]"
    )
    assert link_targets(body) == ["Note A", "Note B", "图.png", "C"]


@pytest.mark.parametrize(
    ("body", "targets"),
    [
        ("[x](Other%20note.md)", ["Other note.md"]),
        ('![](./img/a.png) ![](img/a.png "title")', ["img/a.png"]),
        ("[x](<with (brackets).md>) [y](a(b).md)", ["with (brackets).md", "a(b).md"]),
        ("[w](https://example.com/a.md) [m](mailto:x@y.z) [h](#here) [p](//host/x)", []),
        ("[x](dir/note.md#part)", ["dir/note.md"]),
        ("no links at all", []),
        ("[[" + "x" * 300 + "]]", []),
    ],
)
def test_relative_links_are_ours_and_links_to_the_web_are_not(body: str, targets: list[str]) -> None:
    assert link_targets(body) == targets


def test_a_note_answers_to_its_title_its_file_and_its_aliases_in_any_case() -> None:
    assert calls_of(NOTE).names == ("plan 2027", "计划", "the plan")


def test_links_are_kept_by_their_last_part_and_as_a_whole() -> None:
    note = Note(note_id=UUID(int=2), title="x", body="[[Work/计划]] [a](../Work/PLAN.MD) ![[Pic.PNG]] [t](todo.txt)")
    assert calls_of(note).targets == (
        ("计划", "work/计划"),
        ("plan", "work/plan"),
        ("pic.png", "pic.png"),
        ("todo.txt", "todo.txt"),
    )


def test_there_are_at_most_five_hundred() -> None:
    assert len(link_targets(" ".join(f"[[n{i}]]" for i in range(2_000)))) == 500
