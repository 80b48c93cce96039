"""The skills of one request: shared -> tenant -> agent, resolved anew each time and never frozen in a global.

A folder of skills holds one folder for each skill, with a SKILL.md in it:

    <shared>/<name>/SKILL.md              SYSTEM: everybody's, and so are the operator's extra folders
    <tenants>/<tenant>/<name>/SKILL.md    TENANT: all users of the tenant
    <agents>/<agent>/<name>/SKILL.md      AGENT: whoever talks through that agent

The later one refines the earlier one of the same name: its body is appended under a heading, and the front matter
fields that it gives replace the inherited ones. A skill that cannot be used is quarantined with its reason, and the
others go on working. Tenant and agent ids become folder names by `folder_name`; a folder written otherwise is not
found. Reads block: call from a thread (`asyncio.to_thread`). One catalogue may be shared by all threads.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from context.errors import ConfigurationError, ConflictError, InvalidInputError, NotFoundError
from context.scope import Scope
from context.types import SpaceType
from skills.descriptor import Quarantined, Resolution, SkillBody, SkillDescriptor, as_nodes
from skills.files import checked_path, files_below, folder_name, read_regular
from skills.parsing import MAX_BYTES, ParsedSkill, parse_skill

__all__ = ["Quarantined", "Resolution", "SkillBody", "SkillCatalog", "SkillDescriptor", "SkillRoots", "as_nodes"]

_HERE = Path(__file__).parent
_SETTLED_NS = 2_000_000_000
"""A file changed less than this before it was read may change again under the same time stamp (FAT counts in 2 s)."""
_CACHED = 4096
"""Files kept in the cache; it only saves work, so it is emptied when full."""
_REFINEMENT = {
    SpaceType.TENANT: "## Refinement by the tenant · 租户补充",
    SpaceType.AGENT: "## Refinement for this agent · 智能体补充",
}
_PRECEDENCE = "Where it differs from the text above, this part wins. 与上文不一致处，以此部分为准。"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRoots:
    """Where skills lie. `shared` and each of `extra` (an operator's setting) must exist; the others need not."""

    shared: Path = _HERE / "shared"
    tenants: Path = _HERE / "tenants"
    agents: Path = _HERE / "agents"
    extra: tuple[Path, ...] = ()


class _Stamp(NamedTuple):
    """What a file looked like when it was read. Inode and change time catch what a restored mtime hides."""

    mtime_ns: int
    size: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class _Read:
    stamp: _Stamp
    at_ns: int
    outcome: ParsedSkill | InvalidInputError

    def still_holds(self, stamp: _Stamp) -> bool:
        settled = self.at_ns - max(stamp.mtime_ns, stamp.ctime_ns) >= _SETTLED_NS
        return settled and stamp == self.stamp


@dataclass(slots=True)
class SkillCatalog:
    """Resolves skills for a scope.

    Raises:
        ConfigurationError: the shared folder or an extra one does not exist.
    """

    roots: SkillRoots = field(default_factory=SkillRoots)
    _seen: dict[Path, _Read] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for root in (self.roots.shared, *self.roots.extra):
            if not root.is_dir():
                raise ConfigurationError(f"The skills folder {root} does not exist.", hint="Correct the setting.")

    def resolve(self, scope: Scope, *, scene: str | None = None) -> Resolution:
        """All skills for this tenant and agent, or only those for a scene (those for all scenes among them)."""
        quarantined: list[Quarantined] = []
        chosen: dict[str, SkillDescriptor] = {}
        for space, owner, roots in (
            (SpaceType.SYSTEM, "system", (self.roots.shared, *self.roots.extra)),
            (SpaceType.TENANT, scope.tenant, _overlay(self.roots.tenants, scope.tenant, quarantined)),
            (SpaceType.AGENT, scope.agent, _overlay(self.roots.agents, scope.agent, quarantined)),
        ):
            for path, parsed in self._space(roots, quarantined):
                described = _describe(parsed, path, space, owner, chosen.get(parsed.name))
                if described.description:
                    chosen[parsed.name] = described
                else:
                    quarantined.append(Quarantined(str(path), "It has no description, and no skill to take one from."))
        skills = tuple(
            chosen[name]
            for name in sorted(chosen)
            if scene is None or not chosen[name].scenes or scene.casefold() in chosen[name].scenes
        )
        whole = hashlib.sha256()
        for skill in skills:
            whole.update(f"{skill.uri}\n".encode() + skill.chain_digest)
        return Resolution(skills=skills, quarantined=tuple(sorted(quarantined)), digest=whole.hexdigest()[:16])

    def load(self, scope: Scope, name: str) -> SkillBody:
        """A skill's instructions, read now.

        Raises:
            NotFoundError: this scope has no such skill.
            ConflictError: its file changed during the call; the next one succeeds.
            ConfigurationError: its folder cannot be listed.
        """
        skill = self.resolve(scope).find(name)
        changed = ConflictError(f"The skill {name!r} changed while it was read.", hint="Try again.")
        parts: list[str] = []
        files: set[str] = set()
        for link in skill.chain:
            try:
                parsed = parse_skill(read_regular(link.path, limit=MAX_BYTES))
                files.update(files_below(link.path.parent))
            except (FileNotFoundError, InvalidInputError):
                raise changed from None
            except OSError as error:
                raise _unreadable(link, error) from error
            if parsed.digest != link.digest:
                raise changed
            parts.append(f"{_REFINEMENT[link.space]}\n\n{_PRECEDENCE}\n\n{parsed.body}" if parts else parsed.body)
        return SkillBody(skill=skill, text="\n\n".join(parts), files=tuple(sorted(files)))

    def read_file(self, scope: Scope, name: str, path: str) -> str:
        """A file of a skill as text; an overlay's file hides the refined skill's file of the same path.

        Args:
            path: one of `SkillBody.files`, `/`-separated.

        Raises:
            InvalidInputError: the path tries to leave the folder, or the file is over 256 kB or not UTF-8.
            NotFoundError: no such skill, or no such file in it (a symlink is no file of a skill).
            ConfigurationError: the file is there and cannot be read.
        """
        checked_path(path)
        skill = self.resolve(scope).find(name)
        for link in reversed(skill.chain):
            try:
                if path in files_below(link.path.parent):
                    return read_regular(link.path.parent / path, limit=MAX_BYTES).decode("utf-8-sig")
            except UnicodeDecodeError:
                raise InvalidInputError(f"{path!r} is not a text file.") from None
            except FileNotFoundError:
                continue  # gone since it was listed: answered like a file that was never there
            except OSError as error:
                raise _unreadable(link, error) from error
        raise NotFoundError(f"The skill {name!r} has no file {path!r}.", hint="load_skill lists its files.")

    def _space(self, roots: tuple[Path, ...], quarantined: list[Quarantined]) -> Iterator[tuple[Path, ParsedSkill]]:
        """The usable skills of one space, each name once: the first folder that holds it keeps it."""
        holders: dict[str, Path] = {}
        for root in roots:
            try:
                folders = sorted(entry for entry in root.iterdir() if not entry.name.startswith((".", "__")))
            except OSError as error:
                quarantined.append(Quarantined(str(root), f"The folder cannot be listed: {error.strerror}."))
                continue
            for folder in folders:
                if folder.is_file() and not folder.is_symlink():
                    continue  # a README beside the skills
                try:
                    parsed = self._parsed(folder)
                    if parsed.name != folder.name:
                        twin = f", and {root / parsed.name} exists" if (root / parsed.name).is_dir() else ""
                        raise InvalidInputError(f"Its name {parsed.name!r} is not its folder's name{twin}.")
                    if parsed.name in holders:
                        raise InvalidInputError(f"The name {parsed.name!r} is taken by {holders[parsed.name]}.")
                except (OSError, InvalidInputError) as error:
                    quarantined.append(Quarantined(str(folder), _reason(error)))
                    continue
                holders[parsed.name] = folder
                yield folder / "SKILL.md", parsed

    def _parsed(self, folder: Path) -> ParsedSkill:
        """The SKILL.md of a folder, read again only when its stamp has changed, parsed again only when its digest has.

        Raises:
            InvalidInputError: it cannot be used.
            OSError: it cannot be read.
        """
        if folder.is_symlink():
            raise InvalidInputError("Its folder is a symlink.")
        path = folder / "SKILL.md"
        status = path.lstat()
        stamp = _Stamp(status.st_mtime_ns, status.st_size, status.st_ctime_ns, status.st_ino)
        known = self._seen.get(path)
        if known is None or not known.still_holds(stamp):
            known = _Read(stamp, time.time_ns(), _outcome(path, known))
            if len(self._seen) >= _CACHED:
                self._seen.clear()
            self._seen[path] = known
        if isinstance(known.outcome, InvalidInputError):
            raise InvalidInputError(known.outcome.message)
        return known.outcome


def _overlay(above: Path, owner: str, quarantined: list[Quarantined]) -> tuple[Path, ...]:
    """The owner's folder, or nothing.

    It is looked for in the listing: a file system that ignores case would open a folder `Acme` for the tenant `acme`.
    """
    if not owner or not above.is_dir():
        return ()
    try:
        found = [entry for entry in above.iterdir() if entry.name == folder_name(owner)]
    except OSError as error:
        quarantined.append(Quarantined(str(above), f"The folder cannot be listed: {error.strerror}."))
        return ()
    if found and found[0].is_symlink():
        quarantined.append(Quarantined(str(found[0]), "The folder is a symlink."))
        return ()
    return tuple(found)


def _outcome(path: Path, known: _Read | None) -> ParsedSkill | InvalidInputError:
    try:
        data = read_regular(path, limit=MAX_BYTES)
        before = known.outcome if known else None
        if isinstance(before, ParsedSkill) and before.digest == hashlib.sha256(data).hexdigest():
            return before
        return parse_skill(data)
    except InvalidInputError as error:
        return error


def _describe(
    parsed: ParsedSkill, path: Path, space: SpaceType, owner: str, below: SkillDescriptor | None
) -> SkillDescriptor:
    """The descriptor of a file, with what it does not say taken from the skill below."""
    base = below or parsed
    return SkillDescriptor(
        name=parsed.name,
        description=parsed.description or base.description,
        space=space,
        owner=owner,
        path=path,
        digest=parsed.digest,
        scenes=parsed.scenes or base.scenes,
        kind=parsed.kind or base.kind,
        version=parsed.version or base.version,
        allowed_tools=parsed.allowed_tools or base.allowed_tools,
        languages=parsed.languages or base.languages,
        refines=below,
    )


def _reason(error: OSError | InvalidInputError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "It holds no SKILL.md."
    return error.message if isinstance(error, InvalidInputError) else (error.strerror or type(error).__name__)


def _unreadable(skill: SkillDescriptor, error: OSError) -> ConfigurationError:
    return ConfigurationError(f"The folder {skill.path.parent} of the skill {skill.name!r} cannot be read: {error}.")
