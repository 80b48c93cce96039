"""What a model answers when it is asked to describe material, and what of it may stand. Pure."""

from __future__ import annotations

import re

from pydantic import BaseModel

from context.budget import count_tokens
from context.conclusions import conclusion_in
from context.condense import condense, one_line
from context.errors import ModelOutputInvalid
from context.terms import terms
from context.text import ABSTRACT_LIMIT, clean
from resources.describing.fidelity import unfounded
from resources.describing.questions import Question
from resources.levels import OVERVIEW_TOKENS

_FEWEST_TERMS = 2
# Anchored at the beginning: in the middle of a text these are somebody's words about models and orders.
_NO_DESCRIPTION = re.compile(
    r"[\W_]*(?:"
    r"(?:i(?:['’]m| am) )?(?:sorry|unable to|an ai\b)|as an ai\b|apologies\b"
    r"|i (?:can(?:no|['’])t|could(?: not|n['’]t)|won['’]t)(?:\W*\Z| (?:help|assist|comply|summar|describe|provide"
    r"|process|access|read|open|fulfil|answer|complete|do (?:this|that)))"
    r"|(?:sure|certainly|of course|okay|ok)\W{1,2}(?:here|i['’]?ll|i will|below)|here(?: i|['’])s (?:the|a|an|your)\b"
    r"|(?:internal server )?error\s?[:\d]|traceback \(|<!doctype|<html"
    r"|(?:please )?(?:ignore|disregard|forget) (?:all|any|the|your|everything|previous|prior|above)\b"
    r"|(?:非常)?(?:抱歉|对不起)|(?:作为|我是)(?:一个|一名)?\s?(?:AI|人工智能|语言模型)"
    r"|(?:我)?(?:无法|不能)(?:为您|帮您)?(?:处理|完成|描述|总结|提供|访问|读取|回答|协助)"
    r"|(?:好的|当然|没问题)[，,！!。](?:以下|下面|这是|这里)|以下是"
    r"|(?:请)?(?:忽略|无视|忘记)(?:以上|上面|上述|之前|前面|先前|所有|一切)"
    r")",
    re.IGNORECASE,
)


class Description(BaseModel):
    """A model's answer to the prompts of `semantic/`."""

    abstract: str
    overview: str


def guarded(said: Description, question: Question, *, fence: str) -> tuple[str, str | None]:
    """Abstract and overview as they may stand.

    The abstract is one line of at most 140 characters; a longer one is condensed, its conclusion last. It must state
    nothing that the model was not shown. An overview is dropped where the material is too short to have one.

    Args:
        question: what was asked, with what the answer is measured by.
        fence: the mark of the prompt.

    Raises:
        ModelOutputInvalid: it is no description; says why, without its words.
    """
    abstract = one_line(clean(said.abstract).text)
    overview = clean(said.overview).text.strip() if question.wants_overview else None
    reason = _flaw(abstract, overview, fence, question.longest)
    if not reason and (found := unfounded(abstract, question.shown, now=question.now)):
        reason = f"its abstract states {found} that its source does not"
    if reason:
        raise ModelOutputInvalid(f"The description was not taken: {reason}.")
    conclusion = conclusion_in(abstract)
    kept = (conclusion.start, conclusion.end) if conclusion else None
    return condense(abstract, ABSTRACT_LIMIT, keep=kept), overview


def _flaw(abstract: str, overview: str | None, fence: str, longest: int) -> str:
    if len(set(terms(abstract))) < _FEWEST_TERMS:
        return "its abstract says nothing"
    if any(_NO_DESCRIPTION.match(text) for text in (abstract, overview or "")):
        return "it is an apology, an error, an order or talk about itself"
    if any(fence in text.lower() for text in (abstract, overview or "")):
        return "it repeats the marks of the prompt"
    if overview is None:
        return ""
    if not overview:
        return "it has no overview"
    if len(overview) > longest:
        return "its overview is longer than its source"
    return "its overview is too long" if count_tokens(overview).gate > OVERVIEW_TOKENS else ""
