"""Who is asking: the entered scope, else the user that the server verified, else nobody."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from langchain_core.runnables import RunnableConfig

from context.errors import ScopeError
from context.scope import Scope, current_scope

# What a server, LangGraph or our own callers put into `configurable`; anything else is a client's and is refused.
ALLOWED_KEYS = frozenset(
    {
        "thread_id",
        "checkpoint_id",
        "checkpoint_ns",
        "checkpoint_map",
        "assistant_id",
        "graph_id",
        "run_id",
        "user_id",
    }
)
_ALLOWED_PREFIXES = ("langgraph_", "__")


def signed_in_identity(tenant: str, user: str) -> dict[str, Any]:
    """The user as an authenticator returns it: one identity string that no other pair can make, and its parts."""
    identity = f"{quote(tenant, safe='')}/{quote(user, safe='')}"
    return {"identity": identity, "display_name": user, "is_authenticated": True, "tenant": tenant, "user": user}


def server_user() -> Any:
    """The user of the request that a LangGraph server in this process is answering, or None.

    Half of a server's calls to a saver carry no user in their config (state, history, copies: measured), so its own
    context variable is asked. The module is looked up, not imported: the product does not depend on that server.
    """
    module = sys.modules.get("langgraph_api.utils")
    context = module.get_auth_ctx() if module is not None else None
    return context.user if context is not None else None


class IdentityResolver:
    """Turns whatever a server knows of a caller into a scope.

    Args:
        local: the scope of this machine's own user; the Studio page signs in as that one.
        server_user: finds the user of the current request where a server keeps one, or None.
    """

    def __init__(self, *, local: Scope, server_user: Callable[[], Any] = server_user) -> None:
        self._local = local
        self._server_user = server_user

    def of_config(self, config: RunnableConfig | None) -> Scope | None:
        """The verified user of a saver's call, or None."""
        configurable = (config or {}).get("configurable") or {}
        user = configurable.get("langgraph_auth_user") or self._server_user()
        return self.of_user(user) if user is not None else None

    def of_run(self, server_user: Any, *, agent: str, configurable: Mapping[str, Any]) -> Scope:
        """The scope of a run.

        Args:
            server_user: `runtime.server_info.user`; wins over everything a client sends.
            agent: which of the tenant's agents answers; chosen by the client, it opens nothing of another user.

        Raises:
            ScopeError: nobody is signed in, or the client named a key that only the server may set.
        """
        refuse_unknown_keys(configurable)
        entered = current_scope()
        if entered is not None:
            return entered
        if server_user is None:
            raise ScopeError("Nobody is signed in; every run belongs to a user.")
        scope = self.of_user(server_user)
        return Scope(tenant=scope.tenant, user=scope.user, agent=agent or scope.agent)

    def of_user(self, user: Any) -> Scope:
        """A verified user as a scope.

        Raises:
            ScopeError: it names no tenant and is not the local Studio.
        """
        if type(user).__name__ == "StudioUser" or _field(user, "kind") == "StudioUser":
            return self._local
        tenant, name = _field(user, "tenant"), _field(user, "user")
        if not (isinstance(tenant, str) and isinstance(name, str)):
            raise ScopeError("The signed-in user names no tenant.")
        return Scope(tenant=tenant, user=name, agent=self._local.agent)


def refuse_unknown_keys(configurable: Mapping[str, Any]) -> None:
    """Refuse configuration keys that are neither the server's nor ours.

    Raises:
        ScopeError: names the first such key.
    """
    for key in configurable:
        if key not in ALLOWED_KEYS and not key.startswith(_ALLOWED_PREFIXES):
            raise ScopeError(f"The configuration key {key[:64]!r} may not be sent.")


def _field(user: Any, name: str) -> Any:
    try:
        return user[name]
    except (KeyError, TypeError, AttributeError, NotImplementedError, IndexError):
        return getattr(user, name, None)
