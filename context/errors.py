"""The whole error hierarchy, sorted by who must act.

PocketMindError
├── ConfigurationError        the operator: a setting, a file, a missing package
├── CallerError               the caller
│   ├── InvalidInputError     what was sent cannot be used
│   ├── ScopeError            nobody is signed in, or a key is not allowed
│   ├── NotFoundError         unknown, or another owner's: the two are never told apart
│   └── ConflictError         somebody else is writing; try again
├── StorageError              the database
│   ├── StorageUnavailable    (retryable) it cannot be reached or has no free connection
│   └── SchemaMismatch        migrations and code differ
├── ModelError                the chat model or the embedder
│   ├── ModelUnavailable      (retryable) no answer, 429, outage
│   └── ModelOutputInvalid    an answer that does not fit its schema
└── ProjectionError           a source that cannot become material

Errors are translated once, at the floor where they arise, and never swallowed: a leg that fails while the rest
goes on becomes a `Degradation`, which is shown.
"""

from __future__ import annotations


class PocketMindError(Exception):
    """Base of all our errors.

    Args:
        message: what happened and who must do what, in English, one sentence or two.
        hint: the next step for the person who can mend it, if there is one.
        zh: the message in Chinese, where an end user may meet it.
    """

    retryable = False

    def __init__(self, message: str, *, hint: str | None = None, zh: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.zh = zh

    def text(self, language: str) -> str:
        """The message in the reader's language where there is one, else in English."""
        return self.zh if language == "zh" and self.zh else self.message


class ConfigurationError(PocketMindError):
    """The operator must change a setting, a file or an installed package."""


class CallerError(PocketMindError):
    """The caller sent something that cannot be served."""


class InvalidInputError(CallerError):
    """What was sent cannot be used: empty, too large, or of the wrong form."""


class ScopeError(CallerError):
    """No identity, or a request names a key that only the server may set."""


class NotFoundError(CallerError):
    """The object is unknown to this scope."""


class ConflictError(CallerError):
    """Somebody else holds what this call needs; nothing was lost."""

    retryable = True


class StorageError(PocketMindError):
    """The database refused or failed."""


class StorageUnavailable(StorageError):
    """The database cannot be reached, or no connection is free."""

    retryable = True


class SchemaMismatch(StorageError):
    """The database's schema is newer or older than this code."""


class ModelError(PocketMindError):
    """The chat model or the embedder failed."""


class ModelUnavailable(ModelError):
    """The model gave no answer in time, or refused for load."""

    retryable = True


class ModelOutputInvalid(ModelError):
    """The model answered in a form that cannot be used."""


class ProjectionError(PocketMindError):
    """A source cannot be turned into material; the reason becomes its visible status."""
