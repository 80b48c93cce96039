"""Scope: who is asking. Every repository and every retriever takes one; nothing is read without it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from uuid import UUID

from context.errors import ScopeError

_ID = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,256}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Tenant, user and agent of a request, and the session it runs in.

    Ids are compared as bytes: `u_1`, `u-1`, `U1` and `u1` are four users. `*` is the tenant's shared owner in the
    database and is therefore refused as a user.

    Raises:
        ScopeError: an id is empty, longer than 256 characters, holds control characters, or is reserved.
    """

    tenant: str
    user: str
    agent: str = ""
    session: UUID | None = None

    def __post_init__(self) -> None:
        for name, value in (("tenant", self.tenant), ("user", self.user)):
            if not _ID.match(value):
                raise ScopeError(f"The {name} id must have 1 to 256 characters and no control characters.")
        if self.user == "*" or self.tenant == "*":
            raise ScopeError("The id '*' is reserved.")
        if self.agent and not _ID.match(self.agent):
            raise ScopeError("The agent id must have at most 256 characters and no control characters.")

    def in_session(self, session: UUID | None) -> Scope:
        """The same identity inside a session."""
        return replace(self, session=session)


_current: ContextVar[Scope | None] = ContextVar("pocketmind_scope", default=None)


def current_scope() -> Scope | None:
    """The scope that the command line or a worker has entered, if any."""
    return _current.get()


@contextmanager
def entered(scope: Scope) -> Iterator[Scope]:
    """Make `scope` the identity of everything that runs inside the block, tasks it starts included."""
    token = _current.set(scope)
    try:
        yield scope
    finally:
        _current.reset(token)
