"""`pocketmind resources` and `pocketmind rebuild`, driven as people drive them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import psycopg
import pytest

from tests.interfaces.test_cli import Command, place, pocketmind  # noqa: F401  # fixtures

# ruff: noqa: F811  # a fixture is taken by its name

PLAN = "# Gateway\n\nWe decided to ship on 3 May. The staging port is 8443.\n\n![[prices.csv]]\n"
CHAT = (("user", "Where is the pottery class?"), ("assistant", "Room 12, on Tuesday."))


@pytest.fixture
def filled(pocketmind: Command, tmp_path: Path) -> Command:
    """The command, after an import of two notes, a table and a broken file, and of a chat that was distilled."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "plan.md").write_text(PLAN, "utf-8")
    (vault / "故障.md").write_text("# 连接池\n\n根因是连接池耗尽。见 [[plan]]。\n", "utf-8")
    (vault / "prices.csv").write_text("item,price\napple,3.50\n", "utf-8")
    (vault / "odd.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    pocketmind("notes", "import", vault, "--json")
    lines = [
        json.dumps({"role": role, "content": text, "sent_at": f"2027-05-03T10:0{number}:00Z", "session": "pottery"})
        for number, (role, text) in enumerate(CHAT)
    ]
    (tmp_path / "chat.jsonl").write_text("\n".join(lines), "utf-8")
    assert pocketmind("sessions", "import", tmp_path / "chat.jsonl", "--json").json["imported"] == 2
    return pocketmind


def lose(place: Mapping[str, str], user: str, *tables: str) -> None:
    """Delete rows of a user's index behind the product's back."""
    with psycopg.connect(place["POCKETMIND_ADMIN_URL"]) as connection:
        connection.execute("select set_config('pm.tenant', 'local', true), set_config('pm.user', %s, true)", (user,))
        for table in tables:
            connection.execute(f"delete from pm.{table}".encode())  # noqa: S608


def test_material_is_listed_with_what_failed_first(filled: Command) -> None:
    found = filled("resources", "list", "--json").json
    assert {(row["type"], row["status"]): row["count"] for row in found["counts"]} == {
        ("CHAT_STAGE_SUMMARY", "ready"): 1,
        ("CHAT_TRANSCRIPT", "ready"): 1,
        ("MARKDOWN_IMPORT", "ready"): 3,
        ("MARKDOWN_IMPORT", "failed"): 1,
    }
    first = found["resources"][0]
    assert (first["status"], first["title"], first["source_name"]) == ("failed", "odd.pdf", "vault/odd.pdf")
    assert "damaged" in first["reason"]
    listed = filled("resources", "list").out.splitlines()
    assert listed[0].startswith("failed 1 · pending 0 · ready 5")
    assert listed[1].split() == ["id", "status", "type", "title", "chunks", "source", "updated", "reason"]
    assert listed[2].split()[:2] == [first["resource_id"][:8], "failed"]
    chinese = filled("resources", "list", "--status", "failed", POCKETMIND_LANGUAGE="zh").out
    assert "失败 1" in chinese
    assert "就绪" not in chinese.split("\n", 2)[2]
    only = filled("resources", "list", "--type", "CHAT_TRANSCRIPT", "--json").json["resources"]
    assert [(row["title"], row["chunks"]) for row in only] == [("pottery", 2)]
    assert "(2 of 6; --limit shows more)" in filled("resources", "list", "--limit", 2).err


def test_material_is_shown_with_its_source_its_texts_and_what_points_where(filled: Command) -> None:
    rows = {row["title"]: row for row in filled("resources", "list", "--json").json["resources"]}
    plan = rows["Gateway"]
    keys = (plan["resource_id"], plan["resource_id"][:8], plan["source_id"], plan["source_id"][:9], plan["uri"])
    shown = [filled("resources", "show", key, "--json").json for key in keys]
    assert all(one == shown[0] for one in shown)
    (one,) = shown[:1]
    assert (one["source"]["kind"], one["written_by"], one["layer"]) == ("note", "rule", "project")
    assert "3 May" in one["abstract"]
    assert [ref["why"] for ref in one["references"]] == ["attachment"]
    assert [ref["why"] for ref in one["referenced_by"]] == ["links"]
    assert one["vectors"] == {"chunks": 1, "embedded": 1}
    assert one["chunks"][0]["source_ref"].startswith("vault/plan.md:")
    assert "text" not in one["chunks"][0]
    whole = filled("resources", "show", plan["uri"], "--text", "--json").json["chunks"]
    assert "The staging port is 8443." in "".join(chunk["text"] for chunk in whole)

    tree = filled("resources", "show", plan["resource_id"][:8]).out
    assert tree.splitlines()[0].split()[-1] == "ready"
    for words in ("note “", "abstract (L0, by rule)", "chunks: 1, 1 with a vector", "→ attachment", "← links"):
        assert words in tree
    assert "The staging port is 8443." not in tree.split("chunks:")[1]
    chinese = filled("resources", "show", plan["uri"], "--text", POCKETMIND_LANGUAGE="zh").out
    assert "摘要（L0，由规则生成）" in chinese
    assert "The staging port is 8443." in chinese.split("分块：")[1]

    stage = filled("resources", "show", rows["pottery"]["uri"], "--json").json
    assert (stage["source"]["kind"], stage["source"]["messages"]) == ("session", 2)
    assert sorted([stage["type"], *(other["type"] for other in stage["also"])]) == [
        "CHAT_STAGE_SUMMARY",
        "CHAT_TRANSCRIPT",
    ]
    assert [chunk["speaker"] for chunk in stage["chunks"]] == ["user", "assistant"]
    broken = filled("resources", "show", rows["odd.pdf"]["uri"]).out
    assert "why: The file is damaged" in broken


def test_what_is_unknown_or_another_s_is_told_the_same(filled: Command) -> None:
    key = filled("resources", "list", "--json").json["resources"][0]["resource_id"]
    told = filled("resources", "show", key, "--user", "somebody-else")
    assert (told.code, told.out) == (1, "")
    assert told.err == f"There is no material {key}.\n"
    assert filled("resources", "list", "--user", "somebody-else").err == "there is no such material\n"
    for short in ("0", key[:5], "nothing"):
        assert filled("resources", "show", short).code == 1


def test_a_rebuild_mends_what_was_lost_and_leaves_the_rest(
    filled: Command, place: Mapping[str, str], request: pytest.FixtureRequest
) -> None:
    intact = filled("rebuild")
    assert intact.out.splitlines() == [
        "notes 2 · files 2 · stages 1 · memories 0 · containers 5",
        "the index is intact: nothing to change",
    ]
    before = filled("resources", "list", "--json").json
    answer = filled("retrieve", "staging port", "--json").json["matches"][0]
    lose(
        place, request.node.name, "context_catalog", "posting", "vector", "resource_records", "context_ref", "note_name"
    )
    dry = filled("rebuild", "--dry-run", "--json").json
    assert (dry["dry_run"], dry["records"], dry["changed"] > 8) == (True, len(before["resources"]), True)
    assert filled("resources", "list", "--json").json["resources"] == []
    assert filled("rebuild", "--user", "somebody-else").code == 0
    done = filled("rebuild")
    assert done.out.splitlines()[1].startswith("mended: ")
    assert "vectors stored" in done.err
    assert filled("retrieve", "staging port", "--json").json["matches"][0] == answer
    after = filled("resources", "list", "--json").json
    assert after["counts"] == before["counts"]
    same = ("resource_id", "digest", "uri", "status", "chunks", "source_name")
    assert sorted([row[key] for key in same] for row in after["resources"]) == sorted(
        [row[key] for key in same] for row in before["resources"]
    )
    assert "索引完好" in filled("rebuild", POCKETMIND_LANGUAGE="zh").out
