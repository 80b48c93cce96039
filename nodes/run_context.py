"""What a client may choose about a run. Identity is never among it: that comes from the signed-in user."""

from __future__ import annotations

from pydantic import BaseModel, Field


class RunContext(BaseModel):
    """Choices of a run; every one has a default.

    The signed-in user decides whose data is read. `agent` names which of the tenant's agents answers and opens only
    what that agent has distilled for the same user.
    """

    agent: str = Field("", max_length=256, description="which agent answers; empty: the plain assistant")
    language: str = Field("", pattern="^(zh|en|)$", description="language of markers; empty: that of the message")


class CommitContext(BaseModel):
    """Choices of a commit run."""

    agent: str = Field("", max_length=256, description="for which agent this commit distils")
