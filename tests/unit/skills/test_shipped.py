"""The skills in the package: whole, in both languages, and told apart by their descriptions."""

from __future__ import annotations

import re

import pytest

from context.scope import Scope
from context.types import SpaceType
from skills.catalog import SkillCatalog
from skills.parsing import missing_parts

NAMES = ["code-review", "decision-record", "note-review", "weekly-summary"]
LI = Scope(tenant="acme", user="li")
catalog = SkillCatalog()


def test_the_four_skills_are_there_and_none_is_quarantined() -> None:
    resolution = catalog.resolve(LI)
    assert [skill.name for skill in resolution.skills] == NAMES
    assert resolution.quarantined == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_skill_is_whole_in_both_languages(name: str) -> None:
    body = catalog.load(LI, name)
    assert body.skill.languages == ("zh", "en")
    assert missing_parts(body.text, body.skill.languages) == ()
    assert missing_parts(body.text.replace("### 约束", ""), ("zh",)) == ("zh: 约束",)
    assert (body.skill.kind, bool(body.skill.scenes), bool(body.skill.version)) == ("platform", True, True)
    for path in re.findall(r'read_skill_file\("[a-z-]+", "([^"]+)"\)', body.text):
        assert catalog.read_file(LI, name, path)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("帮我写一下本周的周报", "weekly-summary"),
        ("what did I do this week", "weekly-summary"),
        ("审阅一下我这篇笔记", "note-review"),
        ("proofread my note", "note-review"),
        ("把这个决定记下来，为什么选了 PostgreSQL", "decision-record"),
        ("why did we choose this option, write down the decision", "decision-record"),
        ("review 一下这段代码", "code-review"),
        ("please review this pull request", "code-review"),
    ],
)
def test_a_description_is_the_nearest_by_words_to_what_it_is_for(asked: str, name: str) -> None:
    def terms(text: str) -> set[str]:
        han = re.findall(r"[\u4e00-\u9fff]+", text)
        return {*re.findall(r"[a-z]+", text.casefold()), *(run[i : i + 2] for run in han for i in range(len(run) - 1))}

    scores = {skill.name: len(terms(asked) & terms(skill.description)) for skill in catalog.resolve(LI).skills}
    assert [other for other in NAMES if scores[other] >= scores[name]] == [name], scores


def test_the_example_overlay_refines_the_shared_skill_of_its_tenant() -> None:
    body = catalog.load(Scope(tenant="example", user="li"), "code-review")
    assert (body.skill.space, body.skill.kind) == (SpaceType.TENANT, "template")
    assert body.skill.refines is not None
    assert body.skill.description == body.skill.refines.description
    assert body.text.startswith("# Code review · 代码审查")
    assert "references/checklist.md" in body.files
