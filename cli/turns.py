"""One turn as the command runs it: streamed while it is said, then told as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from cli.lookup import told
from graphs.runs import run_turn
from nodes.turn import Turn, degradations_of

if TYPE_CHECKING:
    from cli.running import Call

_PLAN = ("task_type", "queries", "windows", "source")


class Voice(Protocol):
    """Says a piece of an answer."""

    def __call__(self, text: str, *, end: str = "\n") -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A turn that has ended.

    Attributes:
        state: of the graph, at the end.
    """

    session_id: UUID
    state: Mapping[str, Any]

    @property
    def answer(self) -> str:
        """The whole answer."""
        return str(self.state["messages"][-1].text)

    @property
    def citations(self) -> Sequence[Mapping[str, Any]]:
        """What its `[n]` stand for."""
        return list(self.state["answer"]["citations"])

    def degradations(self) -> list[dict[str, str]]:
        """Legs that were missing or failed, in the language of the turn."""
        return told(degradations_of(self.state), Turn.of(self.state).language)

    def document(self) -> dict[str, Any]:
        """The turn as one JSON document."""
        answer, turn = self.state["answer"], self.state["turn"]
        return {
            "session_id": str(self.session_id),
            "run_id": turn["run_id"],
            "trace_id": answer["trace_id"],
            "answer": self.answer,
            "citations": [dict(citation) for citation in self.citations],
            "tools": answer["tools"],
            "plan": {key: self.state["plan"].get(key) for key in _PLAN},
            "degradations": self.degradations(),
            "usage": answer["usage"],
            "model": answer["model"],
            "offline": answer["offline"],
            "incomplete": answer["incomplete"],
        }


async def ask(call: Call, session_id: UUID, message: str, *, say: Voice | None) -> Told:
    """Run a turn.

    Args:
        say: hears the answer while it comes; None: nobody does.

    Raises:
        PocketMindError: the turn was refused, or failed; nothing of a refused one is stored.
    """
    said = ""
    state: Mapping[str, Any] = {}
    async for part in run_turn(call.engine, call.scope, session_id, message):
        if part.kind == "end":
            state = part.value
        elif part.kind == "token":
            said += part.value
            if say is not None:
                say(part.value, end="")
    ended = Told(session_id=session_id, state=state)
    if say is not None:
        say(_rest(said, ended.answer))
    return ended


def _rest(said: str, answer: str) -> str:
    """What is still to be said of an answer: nothing, its end, or all of it when it came out otherwise."""
    if answer.startswith(said):
        return answer[len(said) :]
    return f"\n{answer}"
