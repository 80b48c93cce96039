"""SkillDescriptor: a skill as one request sees it, and what a resolution hands out. Values only, no reads."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from context.derived import ContextNode
from context.errors import NotFoundError
from context.types import ContextLevel, ContextType, KnowledgeLayer, SpaceType, Visibility
from context.uri import ContextUri


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillDescriptor:
    """A skill as one request sees it, without its body.

    Attributes:
        description: what it does and when to use it, one line, both languages: the L0 in the prompt.
        space, owner: of the file at `path`; of a refined skill these are the overlay's.
        scenes: the situations it is for, lower case; none: all.
        kind: `platform` (a rule of the platform), `template` (of an organisation), or the operator's own word.
        digest: sha256 of the file at `path`, hex.
        refines: the skill below this one, if this is an overlay. Fields it did not give are inherited.
    """

    name: str
    description: str
    space: SpaceType
    owner: str
    path: Path
    digest: str
    scenes: tuple[str, ...] = ()
    kind: str = ""
    version: str = ""
    allowed_tools: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    refines: SkillDescriptor | None = None

    @property
    def uri(self) -> ContextUri:
        """pm://<space>/<owner>/skills/<name>"""
        return ContextUri(self.space, (self.owner, "skills", self.name))

    @property
    def chain(self) -> tuple[SkillDescriptor, ...]:
        """Everything that makes this skill, lowest first."""
        return (*(self.refines.chain if self.refines else ()), self)

    @property
    def chain_digest(self) -> bytes:
        """32 bytes that change when any file of the chain does; the file's own digest if there is no overlay."""
        if self.refines is None:
            return bytes.fromhex(self.digest)
        return hashlib.sha256("\n".join(skill.digest for skill in self.chain).encode()).digest()


class Quarantined(NamedTuple):
    """A skill that cannot be used, and why. For operators: users are not shown it."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The skills of one request, sorted by name.

    Attributes:
        digest: 16 hex digits over all skills in it and all files they are made of; goes into the Pin.
    """

    skills: tuple[SkillDescriptor, ...]
    quarantined: tuple[Quarantined, ...]
    digest: str

    def find(self, name: str) -> SkillDescriptor:
        """The skill of that name.

        Raises:
            NotFoundError: this request has none.
        """
        for skill in self.skills:
            if skill.name == name:
                return skill
        raise NotFoundError(
            f"There is no skill named {name[:64]!r}.",
            hint="Skills: " + (", ".join(skill.name for skill in self.skills) or "none"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillBody:
    """L2 of a skill: its instructions with all refinements, and the files that `read_file` can read."""

    skill: SkillDescriptor
    text: str
    files: tuple[str, ...]


def as_nodes(resolution: Resolution) -> list[ContextNode]:
    """The skills as leaves of the catalogue, so that one retriever can rank them with everything else.

    Skills stand outside the layers; a node must name one, and `PROJECT` here means nothing.
    """
    return [
        ContextNode(
            uri=str(skill.uri),
            parent_uri=str(ContextUri(skill.space, (skill.owner, "skills"))),
            level=ContextLevel.DETAIL,
            is_leaf=True,
            context_type=ContextType.SKILL,
            space=skill.space,
            layer=KnowledgeLayer.PROJECT,
            source_type=None,
            source_id=skill.name,
            abstract=skill.description,
            digest=skill.chain_digest,
            visibility=Visibility.SYSTEM_SHARED if skill.space is SpaceType.SYSTEM else Visibility.TENANT_SHARED,
            agent=skill.owner if skill.space is SpaceType.AGENT else "",
            source_name=skill.name,
            title=skill.name,
        )
        for skill in resolution.skills
    ]
