"""A folder of Markdown: what is read, what is passed over, and what each file becomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from context.errors import InvalidInputError, ProjectionError
from context.truth import NoteKind
from resources.markdown_folder import MAX_BYTES, FolderFile, first_heading, list_folder, note_id_of, read_file


def make(root: Path, files: dict[str, str | bytes]) -> Path:
    """A folder with these files in it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def test_markdown_and_text_are_found_and_hidden_folders_are_passed_over(tmp_path: Path) -> None:
    vault = make(
        tmp_path / "vault",
        {
            "b.md": "b",
            "a.MARKDOWN": "a",
            "笔记/c.txt": "c",
            "picture.png": b"\x89PNG",
            ".hidden.md": "x",
            ".obsidian/x.md": "x",
            ".git/x.md": "x",
            ".trash/x.md": "x",
            "node_modules/p/readme.md": "x",
        },
    )
    listing = list_folder(vault)
    assert [file.name for file in listing.files] == ["vault/a.MARKDOWN", "vault/b.md", "vault/笔记/c.txt"]
    assert listing.problems == ()


def test_links_that_lead_out_are_named_and_not_followed(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"secret.md": "secret", "more/deep.md": "secret"})
    vault = make(tmp_path / "vault", {"a.md": "a", "sub/b.md": "b"})
    (vault / "leak.md").symlink_to(outside / "secret.md")
    (vault / "leaks").symlink_to(outside / "more")
    (vault / "inside.md").symlink_to(vault / "a.md")
    (vault / "sub/up").symlink_to(vault)
    (vault / "broken.md").symlink_to(vault / "gone.md")
    listing = list_folder(vault)
    assert [file.name for file in listing.files] == ["vault/a.md", "vault/sub/b.md"]
    assert [problem.path for problem in listing.problems] == ["vault/broken.md", "vault/leak.md", "vault/leaks"]


def test_what_is_no_folder_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file.md").write_text("x")
    for name, words in (("file.md", "is not a folder"), ("missing", "does not exist")):
        with pytest.raises(InvalidInputError, match=words):
            list_folder(tmp_path / name)


def test_a_file_becomes_a_note_with_title_tags_folder_and_real_line_numbers(tmp_path: Path) -> None:
    text = "---\r\ntitle: 发布计划\r\ntags: [plan, '#发布']\r\n---\r\n# Heading\r\n\r\n五月三日发布。\r\n"
    file = list_folder(make(tmp_path / "vault", {"项目/plan.md": text})).files[0]
    note = read_file(file).note
    assert (note.title, note.tags, note.kind) == ("发布计划", ("plan", "发布"), NoteKind.IMPORT)
    assert (note.folder, note.source_name, note.first_line) == ("vault/项目", "vault/项目/plan.md", 5)
    assert note.body == "# Heading\r\n\r\n五月三日发布。\r\n"
    assert text.splitlines()[note.first_line - 1] == "# Heading"


def test_the_title_is_front_matter_then_heading_then_name(tmp_path: Path) -> None:
    vault = make(
        tmp_path / "v",
        {
            "one.md": "---\ntitle: 2027\n---\n# Two\n",
            "two.md": "words\n\n## The **bold** [link](http://x) ##\n",
            "three.md": "no heading\n",
            "four.md": "---\ntitle: [a, list]\n---\nwords\n",
            "five.md": "---\ntitle: {broken\n---\n# Still here\n",
        },
    )
    read = {file.path.stem: read_file(file) for file in list_folder(vault).files}
    titles = {name: item.note.title for name, item in read.items()}
    assert titles == {
        "one": "2027",
        "two": "The bold link",
        "three": "three",
        "four": "four",
        "five": "Still here",
    }
    assert "not valid YAML" in read["five"].notices[0]
    assert read["five"].note.body.startswith("---")


def test_a_heading_inside_code_is_none() -> None:
    assert first_heading("```sh\n# comment\n```\n\nTitle\n=====\n") == "Title"
    assert first_heading("#hashtag\n\n# 标题 #\n") == "标题"
    assert first_heading("only words\n") == ""


def test_the_note_stays_the_same_note_when_the_file_changes(tmp_path: Path) -> None:
    file = list_folder(make(tmp_path / "v", {"a.md": "one"})).files[0]
    before = read_file(file).note
    file.path.write_text("two")
    assert read_file(file).note.note_id == before.note_id == note_id_of(file.path)
    assert note_id_of(Path("/v/a\udcff.md")) != note_id_of(Path("/v/a\udcfe.md"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x00\x01\x02\xff" * 500, "binary"),
        (b"x" * (MAX_BYTES + 1), "larger than"),
        (b"\xef\xbb\xbf\xff\xfe", "utf-8"),
    ],
)
def test_a_file_that_is_no_text_says_why(tmp_path: Path, content: bytes, words: str) -> None:
    file = list_folder(make(tmp_path / "v", {"a.md": content})).files[0]
    with pytest.raises(ProjectionError, match=words):
        read_file(file)


def test_a_file_that_has_gone_says_so_and_other_encodings_are_read(tmp_path: Path) -> None:
    with pytest.raises(ProjectionError, match="cannot be read"):
        read_file(FolderFile(path=tmp_path / "gone.md", name="v/gone.md"))
    chinese = "我们决定把连接池的大小改为三十二，这样就不会再耗尽了。"
    vault = make(tmp_path / "v", {"gbk.md": chinese.encode("gb18030"), "nul.md": "a\x00b"})
    read = {file.path.stem: read_file(file) for file in list_folder(vault).files}
    assert read["gbk"].note.body == chinese
    assert read["nul"].note.body == "a\ufffdb"
    assert "1 characters" in read["nul"].notices[0]
