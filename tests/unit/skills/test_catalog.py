"""SkillCatalog: overlays refine, ids never meet, what is broken is set aside with its reason and the rest works."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

import skills.catalog
from context.errors import ConfigurationError, ConflictError, InvalidInputError, NotFoundError
from context.scope import Scope
from context.types import ContextLevel, ContextType, SpaceType, Visibility
from skills.catalog import Resolution, SkillCatalog, SkillRoots, as_nodes
from skills.files import folder_name

LI = Scope(tenant="acme", user="li", agent="helper")
ANNA = Scope(tenant="other", user="anna")


@pytest.fixture
def roots(tmp_path: Path) -> SkillRoots:
    for folder in ("shared", "tenants", "agents", "extra"):
        (tmp_path / folder).mkdir()
    return SkillRoots(
        shared=tmp_path / "shared",
        tenants=tmp_path / "tenants",
        agents=tmp_path / "agents",
        extra=(tmp_path / "extra",),
    )


def write(
    root: Path, name: str = "plan", *, body: str = "Body.", folder: str | None = None, **front_matter: Any
) -> Path:
    """A skill; front matter as given, with a name and a description unless these are None."""
    fields = {"name": name, "description": f"What {name} does. 做计划。", **front_matter}
    lines = [f"{key.replace('_', '-')}: {value}" for key, value in fields.items() if value is not None]
    path = root / (folder or name) / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["---", *lines, "---", "", body, ""]), encoding="utf-8")
    return path


def reasons(resolution: Resolution) -> dict[str, str]:
    return {Path(path).name: reason for path, reason in resolution.quarantined}


def test_a_descriptor_says_what_the_file_says(roots: SkillRoots) -> None:
    path = write(
        roots.shared,
        allowed_tools="search Bash(git log:*)",
        metadata="{scene: [Note, plan], kind: platform, version: 1.10}",
    )
    (skill,) = SkillCatalog(roots).resolve(LI).skills
    assert (skill.name, skill.description) == ("plan", "What plan does. 做计划。")
    assert (skill.space, skill.owner, str(skill.uri)) == (SpaceType.SYSTEM, "system", "pm://system/system/skills/plan")
    assert (skill.scenes, skill.kind, skill.version) == (("note", "plan"), "platform", "1.10")
    assert skill.allowed_tools == ("search", "Bash(git log:*)")
    assert skill.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (skill.path, skill.refines) == (path, None)
    with pytest.raises(FrozenInstanceError):
        skill.name = "other"  # type: ignore[misc]  # this is what the test is about


def test_agent_refines_tenant_refines_shared(roots: SkillRoots) -> None:
    write(roots.shared, body="Shared rule.", metadata="{scene: plan, version: 1}")
    write(roots.tenants / "acme", body="Tenant rule.", description=None, metadata="{version: 2}")
    write(roots.agents / "helper", body="Agent rule.", description="For this agent.")
    catalog = SkillCatalog(roots)

    (skill,) = catalog.resolve(LI).skills
    assert (skill.space, skill.owner, skill.description) == (SpaceType.AGENT, "helper", "For this agent.")
    assert (skill.version, skill.scenes) == ("2", ("plan",))
    assert [link.space for link in skill.chain] == [SpaceType.SYSTEM, SpaceType.TENANT, SpaceType.AGENT]
    text = catalog.load(LI, "plan").text
    assert (
        text.index("Shared rule.") < text.index("## Refinement by the tenant · 租户补充") < text.index("Tenant rule.")
    )
    assert (
        text.index("Tenant rule.") < text.index("## Refinement for this agent · 智能体补充") < text.index("Agent rule.")
    )

    assert catalog.resolve(Scope(tenant="acme", user="li")).find("plan").description == "What plan does. 做计划。"
    assert catalog.load(ANNA, "plan").text == "Shared rule."


def test_a_tenants_own_skill_is_not_found_by_another(roots: SkillRoots) -> None:
    write(roots.tenants / "acme", "secret-plan")
    catalog = SkillCatalog(roots)
    assert catalog.load(LI, "secret-plan").text == "Body."
    with pytest.raises(NotFoundError) as foreign:
        catalog.load(ANNA, "secret-plan")
    with pytest.raises(NotFoundError) as unknown:
        catalog.load(ANNA, "secret-plum")
    assert str(foreign.value).replace("plan", "plum") == str(unknown.value)
    with pytest.raises(NotFoundError):
        catalog.read_file(ANNA, "secret-plan", "SKILL.md")


IDENTITIES = (
    *(
        "../acme",
        "..",
        ".",
        "a/b",
        "a\\b",
        "Acme",
        "acme ",
        "acme.",
        "acme%2F",
        "ａcme",
        "租户",
        "con",
        "x" * 256,
        "e\u0301",
    ),
)


@pytest.mark.parametrize("identity", IDENTITIES)
def test_ids_never_meet_in_a_folder(roots: SkillRoots, identity: str) -> None:
    name = folder_name(identity)
    assert len({folder_name(other).casefold() for other in ("acme", "a", "b", "x" * 255, "\xe9", identity)}) == 6
    assert name not in (".", "..", "con")
    assert name.isascii()
    assert not set(name) & set('/\\:*?"<>| ')
    assert len(name) <= 200
    write(roots.tenants / name)
    catalog = SkillCatalog(roots)
    assert catalog.resolve(Scope(tenant=identity, user="li")).skills
    assert not catalog.resolve(LI).skills


def test_a_folder_with_an_id_that_is_not_encoded_is_not_opened(roots: SkillRoots) -> None:
    # where the file system ignores case, it would be opened for `acme` as well
    write(roots.tenants / "Acme")
    catalog = SkillCatalog(roots)
    assert not catalog.resolve(LI).skills
    assert not catalog.resolve(Scope(tenant="Acme", user="li")).skills


def test_a_scene_keeps_its_skills_and_those_for_all_scenes(roots: SkillRoots) -> None:
    write(roots.shared, "always")
    write(roots.shared, "coding", metadata="{scene: [code]}")
    write(roots.shared, "planning", metadata="{scene: [plan]}")
    catalog = SkillCatalog(roots)
    assert [skill.name for skill in catalog.resolve(LI, scene="CODE").skills] == ["always", "coding"]
    assert len(catalog.resolve(LI).skills) == 3


def test_what_is_broken_is_quarantined_with_its_reason_and_the_rest_works(roots: SkillRoots, tmp_path: Path) -> None:
    write(roots.shared, "good")
    write(roots.shared, "good", folder="good-copy")
    write(roots.shared, "Upper_Case")
    write(roots.shared, "x" * 65)
    write(roots.shared, "mute", description=None)
    write(roots.shared, "too-long", description="d" * 1025)
    write(roots.shared, "bad-yaml", description="'")
    write(roots.shared, "twice", description="a\ndescription: b")
    write(roots.shared, "alias", metadata="\n  scene: &a [x]\n  kind: *a")
    write(roots.shared, "tagged", metadata="!!python/object/apply:os.getcwd []")
    write(roots.shared, "deep", metadata="[" * 3000 + "]" * 3000)
    write(roots.shared, "wide", metadata="{a: " + "x" * 20_000 + "}")
    write(roots.shared, "oversize", body="x" * 300_000)
    (roots.shared / "latin").mkdir()
    (roots.shared / "latin" / "SKILL.md").write_bytes(b"---\nname: latin\ndescription: \xe9\n---\n")
    (roots.shared / "headless").mkdir()
    (roots.shared / "headless" / "SKILL.md").write_text("# Skill", encoding="utf-8")
    (roots.shared / "empty").mkdir()
    (roots.shared / "README.md").write_text("not a skill", encoding="utf-8")
    outside = write(tmp_path / "outside", "linked").parent
    (roots.shared / "linked").symlink_to(outside)
    (roots.shared / "linked-file").mkdir()
    (roots.shared / "linked-file" / "SKILL.md").symlink_to(outside / "SKILL.md")
    write(roots.extra[0], "good", body="Other.")
    write(roots.extra[0], "more")
    (roots.tenants / "acme").symlink_to(tmp_path / "outside")

    catalog = SkillCatalog(roots)
    resolution = catalog.resolve(LI)
    assert [skill.name for skill in resolution.skills] == ["good", "more"]
    assert catalog.load(LI, "good").text == "Body."
    told = reasons(resolution)
    expected = {
        "good-copy": "folder's name",
        "Upper_Case": "lower-case",
        "x" * 65: "lower-case",
        "SKILL.md": "no description",
        "too-long": "1024",
        "bad-yaml": "not YAML",
        "twice": "twice",
        "alias": "alias",
        "tagged": "tag",
        "deep": "nested",
        "wide": "16 kB",
        "oversize": "256 kB",
        "latin": "UTF-8",
        "headless": "no front matter",
        "empty": "no SKILL.md",
        "linked": "symlink",
        "linked-file": "symlink",
        "good": "taken",
        "acme": "symlink",
    }
    assert {name: reason for name, reason in told.items() if expected.get(name, "\0") not in reason} == {}
    assert told.keys() == expected.keys()


def test_a_broken_overlay_leaves_the_skill_below_it(roots: SkillRoots) -> None:
    write(roots.shared)
    write(roots.tenants / "acme", description="'")
    resolution = SkillCatalog(roots).resolve(LI)
    assert [skill.space for skill in resolution.skills] == [SpaceType.SYSTEM]
    assert len(resolution.quarantined) == 1


def test_a_change_is_seen_at_once_even_with_the_same_size_and_time(roots: SkillRoots) -> None:
    path = write(roots.shared, body="One.")
    catalog = SkillCatalog(roots)
    before = catalog.resolve(LI)
    assert catalog.resolve(LI) == before
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    write(roots.shared, body="Two.")
    os.utime(path, ns=times)
    after = catalog.resolve(LI)
    assert after.digest != before.digest
    assert catalog.load(LI, "plan").text == "Two."
    path.unlink()
    assert not catalog.resolve(LI).skills


def test_a_settled_file_is_not_read_again(roots: SkillRoots, monkeypatch: pytest.MonkeyPatch) -> None:
    write(roots.shared)
    catalog = SkillCatalog(roots)
    later = time.time_ns() + 10_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: later)
    before = catalog.resolve(LI)
    monkeypatch.setattr(skills.catalog, "read_regular", lambda *_, **__: pytest.fail("read again"))
    assert catalog.resolve(LI) == before


def test_the_digest_covers_every_file_of_the_chain_and_only_the_scope_that_sees_it(roots: SkillRoots) -> None:
    write(roots.shared)
    write(roots.tenants / "acme", body="One.")
    catalog = SkillCatalog(roots)
    li, anna = catalog.resolve(LI).digest, catalog.resolve(ANNA).digest
    write(roots.tenants / "acme", body="Another.")
    assert catalog.resolve(ANNA).digest == anna
    changed = catalog.resolve(LI).digest
    assert len({li, changed, anna}) == 3
    write(roots.shared, body="Changed below.")
    assert catalog.resolve(LI).digest != changed


def test_a_body_that_changes_during_the_call_is_a_conflict(roots: SkillRoots, monkeypatch: pytest.MonkeyPatch) -> None:
    write(roots.shared)
    catalog = SkillCatalog(roots)
    stale = catalog.resolve(LI)
    write(roots.shared, body="Changed.")
    monkeypatch.setattr(SkillCatalog, "resolve", lambda *_, **__: stale)
    with pytest.raises(ConflictError):
        catalog.load(LI, "plan")


def test_files_are_read_from_the_skills_own_folders_and_the_overlay_comes_first(roots: SkillRoots) -> None:
    base, overlay = write(roots.shared).parent, write(roots.tenants / "acme").parent
    (base / "assets").mkdir()
    (base / "assets" / "模板：周报.md").write_text("shared", encoding="utf-8")
    (base / "a.md").write_text("shared a", encoding="utf-8")
    (overlay / "a.md").write_text("tenant a", encoding="utf-8")
    (base / ".env").write_text("hidden", encoding="utf-8")
    catalog = SkillCatalog(roots)
    assert catalog.load(LI, "plan").files == ("SKILL.md", "a.md", "assets/模板：周报.md")
    assert catalog.read_file(LI, "plan", "assets/模板：周报.md") == "shared"
    assert catalog.read_file(LI, "plan", "a.md") == "tenant a"
    assert catalog.read_file(ANNA, "plan", "a.md") == "shared a"


OUTWARDS = (
    *("", ".", "..", "../plan/SKILL.md", "../neighbour/SKILL.md", "a/../SKILL.md", "./SKILL.md", "a//b", "SKILL.md/"),
    *(
        "/etc/hostname",
        "//etc/hostname",
        "C:/x",
        "..\\neighbour\\SKILL.md",
        "SKILL.md\x00.txt",
        "\x00",
        "SK\u200bILL.md",
    ),
    *(
        "%2e%2e/neighbour/SKILL.md",
        "..%2fneighbour",
        "．．/neighbour/SKILL.md",
        "‥/neighbour/SKILL.md",
        "．．／x",
        "…/x",
    ),
    *("a" * 600, "\ud800", ". ./x"),
)


@pytest.mark.parametrize("path", OUTWARDS)
def test_a_path_that_is_written_to_leave_the_folder_is_refused(roots: SkillRoots, path: str) -> None:
    write(roots.shared)
    write(roots.shared, "neighbour")
    with pytest.raises(InvalidInputError):
        SkillCatalog(roots).read_file(LI, "plan", path)


def test_links_hidden_large_binary_and_missing_files_are_not_read(roots: SkillRoots, tmp_path: Path) -> None:
    folder = write(roots.shared).parent
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.md").write_text("key", encoding="utf-8")
    (folder / "link.md").symlink_to(tmp_path / "secret" / "key.md")
    (folder / "linked").symlink_to(tmp_path / "secret")
    (folder / ".env").write_text("key", encoding="utf-8")
    (folder / "large.md").write_text("x" * (256 * 1024 + 1), encoding="utf-8")
    (folder / "binary.md").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(folder / "pipe.md")
    catalog = SkillCatalog(roots)
    for path in ("link.md", "linked/key.md", ".env", "pipe.md", "nothing.md", "skill.md", "SKILL.md/x"):
        with pytest.raises(NotFoundError):
            catalog.read_file(LI, "plan", path)
    for path in ("large.md", "binary.md"):
        with pytest.raises(InvalidInputError):
            catalog.read_file(LI, "plan", path)


def test_a_folder_setting_that_leads_nowhere_is_the_operators_error(roots: SkillRoots, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        SkillCatalog(SkillRoots(shared=tmp_path / "nothing"))
    with pytest.raises(ConfigurationError):
        SkillCatalog(SkillRoots(shared=roots.shared, extra=(tmp_path / "nothing",)))
    assert SkillCatalog(SkillRoots(shared=roots.shared, tenants=tmp_path / "no", agents=tmp_path / "no")).resolve(LI)


def test_skills_become_leaves_of_the_catalogue(roots: SkillRoots) -> None:
    write(roots.shared, "shared-one")
    write(roots.tenants / "acme", "tenant-one")
    write(roots.agents / "helper", "agent-one")
    agent, shared, tenant = as_nodes(SkillCatalog(roots).resolve(LI))
    assert (agent.visibility, agent.agent) == (Visibility.TENANT_SHARED, "helper")
    assert (tenant.visibility, tenant.agent) == (Visibility.TENANT_SHARED, "")
    assert (shared.visibility, shared.agent) == (Visibility.SYSTEM_SHARED, "")
    assert (shared.uri, shared.parent_uri) == ("pm://system/system/skills/shared-one", "pm://system/system/skills")
    for node in (agent, shared, tenant):
        assert (node.context_type, node.level, node.is_leaf) == (ContextType.SKILL, ContextLevel.DETAIL, True)
        assert len(node.digest) == 32
        assert node.abstract
