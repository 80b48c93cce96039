"""Settings of the projection: which material a model describes, and how much of it the model reads."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ProjectionSettings(BaseModel):
    """What is left to a chat model in the background, where one is configured.

    `long`: sources over 5,000 characters and containers with at least five children. `all`: every source, and the same
    containers. `off`: nothing; all texts are made by rule.
    """

    model_config = ConfigDict(frozen=True)

    describe: Literal["long", "all", "off"] = Field("long", description="what a chat model describes")
    describe_tokens: int = Field(24_000, ge=4_000, description="most tokens of one source that the model reads")
