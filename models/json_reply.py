"""From a model's reply to a value: finds the JSON among fences, thinking and prose, and says what does not fit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_DECODER = json.JSONDecoder()
_MOST_CANDIDATES = 16
"""How many opening braces are tried: each try may read to the end, so without a bound a hostile reply is quadratic."""

_MOST_PROBLEMS = 8

Parsed = TypeVar("Parsed", bound=BaseModel)


def read_json_reply(reply: str, schema: type[Parsed]) -> Parsed:
    """The first JSON object in `reply` that fits `schema`.

    Raises:
        ValidationError: nothing fits; it tells about the first object found, or about the whole reply if there is none.
    """
    text = _THINKING.sub("", reply, count=1).strip()
    problem: ValidationError | None = None
    for candidate in _objects(text):
        try:
            return schema.model_validate_json(candidate)
        except ValidationError as error:
            problem = problem or error
    if problem is not None:
        raise problem
    return schema.model_validate_json(text)


def describe_problems(error: ValidationError, *, with_words: bool) -> str:
    """Where a reply does not fit, one line.

    Args:
        error: what `read_json_reply` raised.
        with_words: also pydantic's explanation, which may quote the reply: for the model, never for a log.
    """
    told = [
        ".".join(str(part) for part in problem["loc"][:6])
        + (f": {problem['msg']}" if with_words else f" ({problem['type']})")
        for problem in error.errors(include_url=False, include_input=False)[:_MOST_PROBLEMS]
    ]
    return "; ".join(line.strip(" :") for line in told)[:1_000]


def _objects(text: str) -> Iterator[str]:
    """The outermost JSON objects in `text`, as they stand."""
    start = text.find("{")
    for _ in range(_MOST_CANDIDATES):
        if start < 0:
            return
        try:
            _, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):  # no JSON here, or nested deeper than any schema of ours
            end = start + 1
        else:
            yield text[start:end]
        start = text.find("{", end)
