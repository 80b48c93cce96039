"""Summarize: a stage's overview and abstract, and the working overview of the running session."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import tzinfo

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel

from context.text import abstract_of, conclusion_of, sentences
from memory.archive import Stage
from memory.asked import AskedModel
from memory.extract import stamp
from prompts.library import PromptLibrary
from resources.material import speaks

_ABSTRACT = 140
_OVERVIEW_TOKENS = 1_500
_SESSION_CHARACTERS = 6_000


class StructuredSummary(BaseModel):
    """A model's answer to `compression/structured_summary`."""

    abstract: str
    overview: str
    session_overview: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Texts about a stage: L0, L1, and the session's overview brought up to date."""

    abstract: str
    overview: str
    session_overview: str
    source: str


def by_rules(stage: Stage) -> Summary:
    """Conclusions and first sentences, in order of time. Pure."""
    spoken = [m for m in stage.messages if speaks(m)]
    transcript = "\n".join(m.content for m in spoken)
    lines = []
    for message in spoken:
        said = sentences(message.content)
        line = conclusion_of(message.content) or (said[0] if said else message.content)
        lines.append(f"- {message.speaker or message.role.value}: {abstract_of('', line, limit=_ABSTRACT)}")
    overview = "\n".join(lines)
    before = stage.session.overview
    whole = before if before.endswith(overview) else f"{before}\n{overview}".strip()  # a second run adds nothing
    return Summary(
        abstract=abstract_of(stage.session.title, transcript, limit=_ABSTRACT),
        overview=overview,
        session_overview=newest_lines(whole, _SESSION_CHARACTERS),
        source="rule",
    )


async def by_model(
    stage: Stage,
    *,
    zone: tzinfo,
    model: AskedModel,
    prompts: PromptLibrary,
    fence: str,
) -> Summary:
    """The same in a model's words, guarded: what loses too much is not taken.

    Raises:
        ModelError: no usable answer; the caller keeps the rule-made form and says so.
    """
    system = prompts.render(
        "compression/structured_summary.system", abstract_limit=_ABSTRACT, overview_limit=_OVERVIEW_TOKENS
    )
    asked = prompts.render(
        "compression/structured_summary.user",
        fence=fence,
        session_overview=stage.session.overview,
        messages=[
            {"id": f"m{n}", "role": m.role.value, "sent_at": stamp(m, zone), "text": m.content}
            for n, m in enumerate(stage.messages, start=1)
            if m.content.strip()
        ],
    )
    answer = await model.ask("structured_summary", StructuredSummary, [SystemMessage(system), HumanMessage(asked)])
    return guarded(answer, by_rules(stage), length=sum(len(m.content) for m in stage.messages), source=model.name)


def guarded(answer: StructuredSummary, rule: Summary, *, length: int, source: str) -> Summary:
    """A model's summary where it is one, and the rule-made form of each part where it is empty or longer than the
    stage itself. Pure."""
    overview = answer.overview.strip()
    session = answer.session_overview.strip()
    return replace(
        rule,
        abstract=abstract_of("", answer.abstract, limit=_ABSTRACT) or rule.abstract,
        overview=overview if overview and len(overview) <= max(length, 400) else rule.overview,
        session_overview=session if session and len(session) <= 2 * _SESSION_CHARACTERS else rule.session_overview,
        source=source,
    )


def newest_lines(text: str, characters: int) -> str:
    """The last whole lines of a text that fit."""
    kept: list[str] = []
    for line in reversed(text.splitlines()):
        characters -= len(line) + 1
        if characters < 0 and kept:
            break
        kept.append(line)
    return "\n".join(reversed(kept))
