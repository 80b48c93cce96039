"""A model is asked once: its answer is kept by the digest of the question before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from context.scope import Scope
from context.text import clean
from models.chat import structured
from storage import traces
from storage.database import Database

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedModel:
    """A chat model for one commit, with the memory of what it has said.

    Attributes:
        source_id: what the answers are about; erasing it erases them.
        deadline: seconds for one question and its one repair.
    """

    model: BaseChatModel
    name: str
    database: Database
    scope: Scope
    source_id: str
    deadline: float

    async def ask(self, task: str, schema: type[Answer], messages: Sequence[BaseMessage]) -> Answer:
        """The model's answer to these messages: the kept one if it was asked before (a retry after a crash).

        Raises:
            ModelUnavailable: no answer in time (retryable).
            ModelOutputInvalid: no answer that fits, also after the repair.
        """
        prompt = "\n\x1e\n".join(str(message.text) for message in messages)
        async with self.database.transaction(self.scope) as tx:
            kept = await traces.model_output(tx, task=task, model=self.name, prompt=prompt)
        if kept is not None:
            return schema.model_validate(kept)
        said = await structured(self.model, schema, messages, deadline=self.deadline)
        answer = schema.model_validate(_cleaned(said.model_dump(mode="json")))
        async with self.database.transaction(self.scope) as tx:
            await traces.keep_model_output(
                tx,
                task=task,
                model=self.name,
                prompt=prompt,
                source_id=self.source_id,
                output=answer.model_dump(mode="json"),
            )
        return answer


def _cleaned(value: Any) -> Any:
    """Plain values with every text cleaned of what cannot be stored."""
    if isinstance(value, str):
        return clean(value).text
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {key: _cleaned(item) for key, item in value.items()}
    return value
