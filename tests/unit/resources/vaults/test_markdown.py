"""A folder of notes and files: what is read, what is passed over, and what each file becomes."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from zoneinfo import ZoneInfo

import pytest

from context.errors import InvalidInputError, ProjectionError
from context.truth import Note, NoteKind
from resources.vaults.files import BatchRead, Found, read_batch, reading_of
from resources.vaults.gone import Gone
from resources.vaults.inline_tags import inline_tags
from resources.vaults.markdown import MAX_BYTES, FolderNote, first_heading, read_note
from resources.vaults.note_dates import dated
from resources.vaults.vault import Listing, folder_site, id_of, list_vault, outermost, resolved, shown
from storage.imports import Origin, Place

SHANGHAI = ZoneInfo("Asia/Shanghai")


def make(root: Path, files: dict[str, str | bytes]) -> Path:
    """A folder with these files in it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def read(folder: Path, known: dict[str, Origin] | None = None) -> BatchRead:
    """All files of a folder, read as one batch."""
    return read_batch(folder_site(folder), list(list_vault(folder_site(folder))), known or {}, zone=SHANGHAI)


def noted(text: str, name: str = "vault/note.md") -> FolderNote:
    """A text as the note of a file."""
    return read_note(text.encode(), note_id=id_of(Path("/v/a.md")), name=name, zone=SHANGHAI)


# -- the listing ---------------------------------------------------------------------------------------------------


def test_notes_and_files_are_found_and_what_is_hidden_or_unread_is_not(tmp_path: Path) -> None:
    vault = make(
        tmp_path / "vault",
        {
            "b.md": "b",
            "a.MARKDOWN": "a",
            "笔记/c.txt": "c",
            "picture.png": b"\x89PNG",
            "table.CSV": "a,b",
            "board.canvas": "{}",
            "more/two.canvas": "{}",
            "LICENSE": "x",
            "~$open.docx": "x",
            ".hidden.md": "x",
            ".obsidian/x.md": "x",
            ".git/x.md": "x",
            ".trash/x.md": "x",
            "node_modules/p/readme.md": "x",
        },
    )
    listing = list_vault(folder_site(vault))
    assert [(file.path, file.is_note) for file in listing] == [
        ("a.MARKDOWN", True),
        ("b.md", True),
        ("picture.png", False),
        ("table.CSV", False),
        ("笔记/c.txt", True),
    ]
    assert listing.skipped == {".canvas": 2, "(none)": 1}
    assert listing.problems == ()
    assert [file.path for file in list_vault(folder_site(vault), ["笔记", "b.md", "gone.md", ".trash"])] == [
        "b.md",
        "笔记/c.txt",
    ]


def test_links_that_lead_out_are_named_and_what_lies_there_is_not_gone(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"secret.md": "secret", "more/deep.md": "secret"})
    vault = make(tmp_path / "vault", {"a.md": "a", "sub/b.md": "b"})
    (vault / "leak.md").symlink_to(outside / "secret.md")
    (vault / "leaks").symlink_to(outside / "more")
    (vault / "inside.md").symlink_to(vault / "a.md")
    (vault / "sub/up").symlink_to(vault)
    (vault / "loop.md").symlink_to(vault / "loop.md")
    (vault / "broken.md").symlink_to(vault / "gone.md")
    listing = list_vault(folder_site(vault))
    assert [file.path for file in listing] == ["a.md", "sub/b.md"]
    assert [problem.path for problem in listing.problems] == [
        "vault/broken.md",
        "vault/leak.md",
        "vault/leaks",
        "vault/loop.md",
    ]
    assert [listing.holds(path) for path in ("a.md", "leaks/deep.md", "inside.md", "c.md")] == [
        True,
        True,
        False,
        False,
    ]


def test_what_is_not_there_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, words in (("missing", "does not exist"), ("loop", "cannot be entered")):
        with pytest.raises(InvalidInputError, match=words):
            resolved(tmp_path / name)


def test_names_keep_apart_what_the_system_keeps_apart_and_are_shown_on_one_line(tmp_path: Path) -> None:
    names = [
        "a.md",
        "A.md",
        "caf\u00e9.md",
        "cafe\u0301.md",
        "x\udcff.md",
        "x\udcfe.md",
        "two\nlines.md",
        "n" * 252 + ".md",
    ]
    vault = make(tmp_path / "vault", dict.fromkeys(names, "text"))
    found = read(vault).found
    assert len({one.path for one in found}) == len({one.note.note_id for one in found if one.note}) == len(names)
    shown_names = {one.name for one in found}
    assert {"vault/two\\nlines.md", "vault/caf\u00e9.md", "vault/x\\xff.md"} <= shown_names
    assert {one.note.title for one in found if one.note} >= {"two\\nlines", "caf\u00e9"}
    assert max(len(one.note.title) for one in found if one.note) == 200
    assert shown("a\u202fb 👩‍🚀\u3000c") == "a\u202fb 👩‍🚀\u3000c", "what people type is left as it is"


def test_a_place_below_another_is_looked_at_once() -> None:
    assert outermost(["b/c", "a", "b", "b-c", "b/d/e", "a"]) == ["a", "b", "b-c"]
    assert outermost(["a", "", "b"]) == [""]


# -- a file as a note ----------------------------------------------------------------------------------------------


def test_a_file_becomes_a_note_with_title_tags_folder_and_real_line_numbers(tmp_path: Path) -> None:
    head = "---\r\ntitle: 发布计划\r\ntags: [plan, '#发布']\r\naliases: 上线\r\n---\r\n"
    text = f"{head}# Heading\r\n\r\n五月三日发布。#Plan #出海\r\n"
    one = read(make(tmp_path / "vault", {"项目/plan.md": text})).found[0]
    assert isinstance(one.note, Note)
    note = one.note
    assert (note.title, note.tags, note.kind) == ("发布计划", ("plan", "发布", "出海"), NoteKind.IMPORT)
    assert (note.folder, note.source_name, note.first_line) == ("vault/项目", "vault/项目/plan.md", 6)
    assert note.aliases == ("上线",)
    assert text.splitlines()[note.first_line - 1] == "# Heading"
    assert note.body == text.split("---\r\n", 2)[2]
    assert note.updated_at == datetime.fromtimestamp((tmp_path / "vault/项目/plan.md").stat().st_mtime, UTC)
    assert one.digest == hashlib.sha256(text.encode()).digest()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: 2027\n---\n# Two\n", "2027"),
        ("words\n\n## The **bold** [link](http://x) ##\n", "The bold link"),
        ("no heading\n", "note"),
        ("", "note"),
        ("---\ntitle: [a, list]\n---\nwords\n", "note"),
        ("---\ntitle: {broken\n---\n# Still here\n", "Still here"),
    ],
)
def test_the_title_is_front_matter_then_heading_then_name(text: str, title: str) -> None:
    assert noted(text).note.title == title


def test_front_matter_that_would_explode_is_text_and_says_so() -> None:
    bomb = "---\na: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"b{n}: [*a,*a,*a,*a]\n" for n in range(9)) + "---\nwords\n"
    found = noted(bomb)
    assert found.note.body == bomb
    assert "anchors or aliases" in found.notices[0].reason


def test_a_heading_inside_code_is_none() -> None:
    assert first_heading("```sh\n# comment\n```\n\nTitle\n=====\n") == "Title"
    assert first_heading("#hashtag\n\n# 标题 #\n") == "标题"
    assert first_heading("only words\n") == ""


def test_aliases_in_every_usual_form() -> None:
    for block in ("aliases: [甲, Second name]", "alias: 甲，Second name", "aliases:\n  - 甲\n  - Second name\n  - ''"):
        assert noted(f"---\n{block}\n---\n").note.aliases == ("甲", "Second name"), block
    assert noted("---\nalias: 7\naliases:\n---\n").note.aliases == ("7",)


def test_tags_stand_in_prose_and_not_in_code_headings_links_or_numbers() -> None:
    body = """# Heading #no and `#code` are none
#start, then #项目/出海 and（#标签）。 #1 #12a C# [x](#anchor) [[N#h]] [[#h]] http://a/#b &#123; <b color="#fff">
```
#fenced
```

    #indented code

- item
    #nested below an item
%%#hidden%% #seen <!-- #gone
#still gone --> #back #START #a/b/ #-- #🎉 #2027年
word#no ，#after “#quoted”
"""
    assert inline_tags(body) == (
        "start", "项目/出海", "标签", "12a", "nested", "seen", "back", "a/b", "🎉", "2027年", "after", "quoted",
    )  # fmt: skip
    assert inline_tags("no mark at all") == ()
    assert len(inline_tags(" ".join(f"#tag{n}" for n in range(500)))) == 100


@pytest.mark.parametrize("piece", ["#", "<!-- ", "%%", "[[", "](", "`", "<", "#a", "```\n", "    #a\n\n"])
def test_tags_of_a_hostile_text_take_no_time(piece: str) -> None:
    began = perf_counter()
    inline_tags(f"{piece * (1_000_000 // len(piece))}#")
    assert perf_counter() - began < 3


@pytest.mark.parametrize(
    ("values", "name", "expected"),
    [
        ({"date": "2026-05-03"}, "x", "2026-05-02T16:00"),
        ({"Created": "2026年5月3日"}, "x", "2026-05-02T16:00"),
        ({"day": 20260503}, "x", "2026-05-02T16:00"),
        ({"date": "3 May 2026"}, "x", "2026-05-02T16:00"),
        ({"日期": "[[2026-05-03]]"}, "x", "2026-05-02T16:00"),
        ({"date": "2026-05-03 10:30"}, "x", "2026-05-03T02:30"),
        ({"date": "2026-05-03T10:30:00+02:00"}, "x", "2026-05-03T08:30"),
        ({"created": "2020-01-01", "date": "2026/5/3"}, "2019-01-01", "2026-05-02T16:00"),
        ({"date": "soon"}, "2026-05-03", "2026-05-02T16:00"),
        ({}, "2026年5月3日", "2026-05-02T16:00"),
        ({}, "20260503", "2026-05-02T16:00"),
        ({}, "2026-05-03 Weekly", "2026-05-02T16:00"),
        ({}, "周会 2026-05-03", "2026-05-02T16:00"),
        ({}, "2026-02-30", None),
        ({}, "20260503123000", None),
        ({}, "plan 2026", None),
        ({"date": "0001-01-01"}, "x", None),
        ({"date": "May 3"}, "x", None),
    ],
)
def test_a_note_is_dated_by_its_author(values: dict[str, object], name: str, expected: str | None) -> None:
    found = dated(values, name, zone=SHANGHAI)
    assert (found and found.isoformat()[:16]) == expected
    assert found is None or found.tzinfo is UTC


# -- reading a batch -----------------------------------------------------------------------------------------------


def origin_of(one: Found) -> Origin:
    """What a file gave, as it is kept."""
    return Origin(path=one.path, note_id=id_of(one.file), file=one.digest, reading=one.reading)


def test_what_cannot_be_read_says_why_and_costs_nothing_else(tmp_path: Path) -> None:
    vault = make(
        tmp_path / "v", {"a.md": "fine", "b.md": b"\x00\x01\xff" * 500, "d.md": b"\xef\xbb\xbf\xff", "e.md": ""}
    )
    with (vault / "c.txt").open("wb") as file:
        file.truncate(200_000_000)
    with (vault / "film.mp4").open("wb") as file:
        file.truncate(200_000_001)
    listing = list_vault(folder_site(vault))
    (vault / "e.md").unlink()
    began = perf_counter()
    found = read_batch(folder_site(vault), list(listing), {}, zone=SHANGHAI)
    assert perf_counter() - began < 2, "what is too large is not read"
    assert [one.name for one in found.found] == ["v/a.md"]
    reasons = {problem.path: problem.reason for problem in found.failed}
    assert reasons.keys() == {"v/b.md", "v/c.txt", "v/d.md", "v/e.md", "v/film.mp4"}
    assert "binary" in reasons["v/b.md"]
    assert f"larger than {MAX_BYTES // 1_000_000} MB" in reasons["v/c.txt"]
    assert "utf-8" in reasons["v/d.md"]
    assert "cannot be read: No such file" in reasons["v/e.md"]
    assert "larger than 200 MB" in reasons["v/film.mp4"]


def test_odd_characters_and_old_encodings_are_read(tmp_path: Path) -> None:
    chinese = "我们决定把连接池的大小改为三十二，这样就不会再耗尽了。"
    vault = make(tmp_path / "v", {"gbk.md": chinese.encode("gb18030"), "nul.md": "a\x00b"})
    found = read(vault)
    bodies = {one.path: one.note.body for one in found.found if one.note}
    assert bodies == {"gbk.md": chinese, "nul.md": "a\ufffdb"}
    assert [notice.reason[:12] for notice in found.notices] == ["1 characters"]


def test_a_path_that_no_index_holds_is_refused(tmp_path: Path) -> None:
    deep = "/".join(["长" * 80] * 3)
    vault = make(tmp_path / "v", {f"{deep}/a.md": "x", "b.md": "x"})
    found = read(vault)
    assert [one.path for one in found.found] == ["b.md"]
    assert "too long" in found.failed[0].reason


def test_what_gives_what_it_gave_is_passed_over_unless_it_means_something_else(tmp_path: Path) -> None:
    vault = make(tmp_path / "v", {"a.md": "one", "b.md": "two", "c.csv": "1,2"})
    known = {one.path: origin_of(one) for one in read(vault).found}
    again = read(vault, known)
    assert (again.unchanged, again.found) == (3, ())
    (vault / "b.md").write_text("three")
    assert [one.path for one in read(vault, known).found] == ["b.md"]
    files = list(list_vault(folder_site(vault)))
    zones = [[reading_of(folder_site(vault), file, zone) for file in files] for zone in (SHANGHAI, ZoneInfo("UTC"))]
    assert [first == second for first, second in zip(*zones, strict=True)] == [False, False, True]


def test_binary_text_is_refused() -> None:
    with pytest.raises(ProjectionError, match="binary"):
        read_note(b"\x00\xff" * 500, note_id=id_of(Path("/v/a.md")), name="v/a.md", zone=SHANGHAI)


# -- what is gone --------------------------------------------------------------------------------------------------


def test_a_moved_file_is_told_by_its_bytes_and_best_by_its_name() -> None:
    gone = Gone()
    for path, content in (("old/a.md", b"same"), ("old/b.md", b"same"), ("old/c.md", b"other"), ("old/d.png", b"same")):
        is_note = path.endswith(".md")
        source = id_of(Path("/v") / path)
        note_id, asset_id = (source, None) if is_note else (None, source)
        gone.add(Place(path=path, note_id=note_id, asset_id=asset_id, file=content))

    def found(path: str, content: bytes) -> Found:
        note = noted("x").note if path.endswith(".md") else None
        return Found(file=Path("/v") / path, path=path, name=path, digest=content, reading=b"", note=note)

    new = [found("new/b.md", b"same"), found("new/x.md", b"same"), found("new/y.md", b"same"), found("d.png", b"same")]
    matched = gone.matched(new)
    assert matched == {"new/b.md": "old/b.md", "new/x.md": "old/a.md", "d.png": "old/d.png"}
    gone.discard("old/b.md")
    assert gone.matched(new) == {"new/b.md": "old/a.md", "d.png": "old/d.png"}
    assert [place.path for place in gone.left()] == ["old/a.md", "old/c.md", "old/d.png"]


def test_a_listing_of_many_files_stays_small() -> None:
    names = [f"folder {n // 100:04d}/a note with an ordinary name {n:06d}.md" for n in range(2_000)]
    listing = Listing(names=names, sizes=[0] * 2_000, folders=[], problems=(), unseen=(), skipped={})
    assert all(listing.holds(name) for name in names[::97])
    assert not listing.holds("folder 0000/a note")
    assert len(listing) == len(list(listing)) == 2_000
