"""Chunks are the source's own lines, byte for byte, with the numbers those lines have in their file."""

from __future__ import annotations

import shutil
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.scope import Scope
from context.truth import Asset, Note
from context.types import SourceType
from resources.material import file_nodes, note_nodes
from resources.readers.document import Document, Part
from resources.splitting import MAX_CHUNK
from tests.interfaces import test_cli
from tests.interfaces.test_cli import Command

place = test_cli.place
pocketmind = test_cli.pocketmind
ROOT = Path(__file__).resolve().parents[2]
SCOPE = Scope(tenant="acme", user="ann")
PIECES = st.sampled_from(
    [
        "# 标题\n", "## Section\r\n", "\ttabbed\tline\n", "- item\n  - 子项\n", "\n", "\r\n", "text\r\n", "\r",
        "尾随空格  \n", "```py\nif x:\n\ty = 1\n```\n", "~~~\n# no heading\n", "| 名 | b |\n|---|---|\n| 1 | 2 |\n",
        "> 引用\n", "我们决定采用方案二，因为它便宜。", "We decided to keep it. Then we left.\n", "\u3000全角空格\n",
        "e\u0301 👨\u200d👩\u200d👧\n", "词" * 1_700 + "\n", "句子很短，但是很多。" * 200 + "\r\n", "\ufeff",
        "word after word " * 120, "\u2028\x0b\x0c\x85odd\n",
        "| cell | 单元格 |\n" * 120, "A line of a long paragraph that goes on and on\n" * 40,
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=30).map("".join)
FILES = {
    "crlf.md": (
        "---\r\ntitle: 表格\r\ntags: [a]\r\n---\r\n# 表\r\n\r\n| a | b |\r\n|---|---|\r\n|\t1 | 二 |\r\n",
        "utf-8",
    ),
    "项目/标记.md": ("# 标题\n\n```py\nif x:\n\ty = 1\n```\n\n最后一行没有换行", "utf-8-sig"),
    "旧.txt": ("会议决定采用第二个方案，因为它比较便宜，而且大家都同意。\n\n第二段。\n", "gb18030"),
    "long.txt": ("短句子说了一件事。" * 400 + "\r\nafter the long line\r\n", "utf-8"),
}
"""Text and encoding."""
LEAVES = """select source_name, body, lower(lines), upper(lines) - 1 from pm.context_catalog
where is_leaf and died = 9223372036854775807 and owner_id = %s and source_type = 'MARKDOWN_IMPORT'"""


def check(body: str, lines: tuple[int, int], source: bytes, first_line: int = 1) -> None:
    """A chunk is its lines; only of a single line that is too long it is a part."""
    whole = source.split(b"\n")[lines[0] - first_line : lines[1] - first_line + 1]
    expected = b"\n".join(whole).removesuffix(b"\r")
    part = lines[0] == lines[1] and len(expected.decode()) > MAX_CHUNK
    assert body.encode() in expected if part else body.encode() == expected


@settings(deadline=None)  # one that is first loads the vocabulary of tokens
@given(TEXTS, st.integers(1, 40))
def test_chunks_of_notes_and_files_are_their_lines(text: str, first_line: int) -> None:
    note = Note(note_id=UUID(int=1), title="", body=text, first_line=first_line)
    asset = Asset(asset_id=UUID(int=2), digest=b"", mime="text/plain", name="a.txt", size=1)
    parts = (Part(text=text, first_line=first_line, anchor="page=1"), Part(text=text, first_line=first_line))
    document = Document(title="", parts=parts, source_type=SourceType.PDF_TEXT)
    leaves = [*note_nodes(SCOPE, note)[1:], *file_nodes(SCOPE, asset, document)[1:]]
    if not text.strip():
        assert [(leaf.node.body, leaf.node.lines) for leaf in leaves] == [("(untitled)", None), ("a.txt", None)]
        return
    for leaf in leaves:
        assert leaf.node.body is not None and leaf.node.lines is not None
        check(leaf.node.body, leaf.node.lines, text.encode(), first_line)


def test_chunks_of_an_imported_folder_are_the_lines_of_its_files(
    pocketmind: Command, place: dict[str, str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    for document in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")):
        copy = vault / document.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(document, copy)
    for name, (text, encoding) in FILES.items():
        (vault / name).parent.mkdir(exist_ok=True)
        (vault / name).write_bytes(text.encode(encoding))
    report = pocketmind("notes", "import", vault, "--no-vectors", "--json").json
    files = {path.relative_to(tmp_path).as_posix(): path for path in vault.rglob("*.*") if path.is_file()}
    assert (report["imported"], report["failed"]) == (len(files), [])

    user = request.node.name
    with psycopg.connect(place["POCKETMIND_ADMIN_URL"]) as connection:
        connection.execute("select set_config('pm.tenant', 'local', true), set_config('pm.user', %s, true)", [user])
        rows = connection.execute(LEAVES, [user]).fetchall()
    assert {row[0] for row in rows} == set(files)
    for name, path in files.items():
        encoding = FILES.get(name.removeprefix("vault/"), ("", "utf-8"))[1]
        source = path.read_bytes().decode(encoding).encode()
        chunks = [row[1:] for row in rows if row[0] == name]
        for body, first, last in chunks:
            check(body, (first, last), source)
        covered = {number for _, first, last in chunks for number in range(first, last + 1)}
        lines = source.split(b"\n")
        front = lines.index(b"---\r", 1) + 1 if lines[0] == b"---\r" else 0
        assert {number for number, line in enumerate(lines, 1) if number > front and line.strip()} <= covered, name
