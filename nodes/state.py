"""The state of both graphs: ids, scores and numbers. The only text is the live window of messages."""

from __future__ import annotations

import operator
from typing import Annotated, Any, NotRequired

from langchain_core.messages import AnyMessage, HumanMessage, convert_to_messages
from langgraph.graph.message import Messages, add_messages
from typing_extensions import TypedDict


def newest_last(left: Messages, right: Messages) -> Messages:
    """`add_messages`, but a user message that is sent again stands at the end, where a turn looks for it."""
    sent: list[Any] = convert_to_messages(right if isinstance(right, list) else [right])
    again = {message.id for message in sent if isinstance(message, HumanMessage) and message.id}
    before: list[Any] = convert_to_messages(left if isinstance(left, list) else [left])
    return add_messages([message for message in before if message.id not in again], sent)


class ChatInput(TypedDict):
    """What starts a turn: one new user message. The thread is the session."""

    messages: Annotated[list[AnyMessage], newest_last]


class ChatState(TypedDict, total=False):
    """One turn.

    Attributes:
        messages: the live window, rebuilt from truth at every turn, then this turn's own messages.
        turn: ids of the turn and its lease; when it began; the language of markers.
        pin: what the turn is read as of. plan: what it looks for.
        found_*: what each leg recalled. matches: what the walk kept. selection: what is injected, by reference.
        used: addresses that tools opened. degradations: legs that are missing or failed, as [leg, code, detail].
        answer: ids, citations and usage of the stored answer.
    """

    messages: Annotated[list[AnyMessage], newest_last]
    turn: dict[str, Any]
    pin: dict[str, Any]
    plan: dict[str, Any]
    found_skills: list[dict[str, Any]]
    found_resources: list[dict[str, Any]]
    found_memories: list[dict[str, Any]]
    found_session: list[int]
    matches: list[dict[str, Any]]
    trajectory: list[dict[str, Any]]
    selection: dict[str, Any]
    rounds: int
    used: Annotated[list[str], operator.add]
    skills_used: Annotated[list[str], operator.add]
    degradations: Annotated[list[list[str]], operator.add]
    answer: dict[str, Any]


class CommitInput(TypedDict):
    """What starts a commit: the session, and its commit if that was claimed already."""

    session_id: str
    commit_id: NotRequired[str]


class CommitState(TypedDict, total=False):
    """One commit, by reference.

    Attributes:
        session_id, agent, commit_id, fence: whose stage, and under which fence this worker writes.
        archived: address of the transcript. decisions: what became of each candidate, without text.
        state, reason, stats, outcomes: the report.
    """

    session_id: str
    agent: str
    commit_id: str
    fence: int
    archived: str
    summary_source: str
    extraction: dict[str, Any]
    decisions: list[dict[str, Any]]
    state: str
    reason: str
    stats: dict[str, Any]
    outcomes: list[dict[str, Any]]
