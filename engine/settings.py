"""Settings: the only module that reads the environment. `pocketmind doctor` prints what it found and from where."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AliasChoices, BaseModel, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from context.errors import ConfigurationError
from context.types import Language
from memory.archive import ArchiveSettings
from resources.describing.settings import ProjectionSettings
from retrievers.disclosure import DisclosureSettings
from storage.embedded import default_home


class ChatSettings(BaseModel):
    """How a turn runs."""

    window: int = Field(20, ge=2, le=200, description="messages of the live window")
    window_tokens: int = Field(8_000, ge=500, description="tokens of the live window")
    tool_rounds: int = Field(6, ge=0, le=20, description="most rounds of tool calls in one turn")
    message_bytes: int = Field(262_144, ge=1_000, description="most bytes of one message")
    busy_wait: float = Field(10.0, ge=0, description="seconds a turn waits for another one of its session")
    first_token: float = Field(30.0, gt=0, description="seconds to the first token")
    between_tokens: float = Field(20.0, gt=0, description="seconds between two tokens")
    total: float = Field(180.0, gt=0, description="seconds for one answer")
    intent_deadline: float = Field(5.0, gt=0, description="seconds for intent analysis by a model")
    commit_after_messages: int = Field(40, ge=0, description="uncommitted messages that start a commit; 0: never")


class ModelSettings(BaseModel):
    """Deadlines and sizes of model calls outside of the chat stream."""

    connect: float = Field(5.0, gt=0, description="seconds to connect")
    commit_deadline: float = Field(120.0, gt=0, description="seconds for one call of a commit")
    retries: int = Field(2, ge=0, le=10)
    embedding_timeout: float = Field(30.0, gt=0, description="seconds for one batch of embeddings")
    transcription_timeout: float = Field(600.0, gt=0, description="seconds for one recording")


class Settings(BaseSettings):
    """Every setting, its default, and the environment variable that sets it (see `.env.example`)."""

    model_config = SettingsConfigDict(
        env_prefix="POCKETMIND_",
        env_nested_delimiter="__",
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        populate_by_name=True,
        frozen=True,
    )

    database_url: SecretStr | None = Field(None, validation_alias=AliasChoices("DATABASE_URL"))
    admin_url: SecretStr | None = None
    worker_url: SecretStr | None = None
    pool_size: int = Field(16, ge=2, le=500)
    home: Path = Field(default_factory=default_home)

    openai_api_key: SecretStr | None = Field(None, validation_alias=AliasChoices("OPENAI_API_KEY"))
    openai_base_url: str | None = Field(None, validation_alias=AliasChoices("OPENAI_BASE_URL"))
    chat_model: str | None = None
    embedding_model: str | None = None
    embedding_dimension: int | None = Field(None, ge=8, le=4_000)
    transcription_model: str | None = Field(None, description="of the endpoint; unset: recordings are not read")

    tenant: str = "local"
    user: str = "me"
    agent: str = ""
    time_zone: str = "UTC"
    language: Literal["", "zh", "en"] = Field("", description="of messages; empty: as the terminal's LANG says")
    host: str = "127.0.0.1"
    port: int = Field(2024, ge=1, le=65_535)
    studio: bool = Field(True, description="whether LangSmith Studio may sign in as this machine's user")
    jobs_per_worker: int = Field(8, ge=1, le=100)
    skills_dir: str = Field("", description="more skill folders, separated by ':'")

    profile: Literal["measured", "seed"] = "measured"
    chat: ChatSettings = ChatSettings()
    models: ModelSettings = ModelSettings()
    disclosure: DisclosureSettings = DisclosureSettings()
    archive: ArchiveSettings = ArchiveSettings()
    projection: ProjectionSettings = ProjectionSettings()

    @field_validator("database_url", "admin_url", "worker_url", "openai_api_key", mode="before")
    @classmethod
    def _no_blank_secret(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("openai_base_url", "chat_model", "embedding_model", "embedding_dimension", mode="before")
    @classmethod
    def _no_blank(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(f"unknown time zone {value!r}; use a name such as Asia/Shanghai") from error
        return value

    @property
    def zone(self) -> ZoneInfo:
        """The user's time zone."""
        return ZoneInfo(self.time_zone)

    @property
    def offline(self) -> bool:
        """Whether the offline brain answers."""
        return self.chat_model is None


def speaks(settings: Settings | None = None) -> Language:
    """The language of messages to the person at the terminal: the setting, else LC_ALL or LANG, else English."""
    chosen = settings.language if settings is not None else ""
    if chosen == "zh" or chosen == "en":
        return chosen
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"


def load_settings() -> Settings:
    """Settings from the environment and from `.env` in the working folder.

    Raises:
        ConfigurationError: a value cannot be used; the message names each variable and what is wrong, not the value.
    """
    try:
        return Settings()
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in error.errors()
        )
        raise ConfigurationError(f"Settings cannot be used: {problems}", hint="See .env.example.") from error
