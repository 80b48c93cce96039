"""Who may call the server: the local token for this machine's user. Anything not named here is refused.

`langgraph dev` lets LangSmith Studio in as a user of its own (header `x-auth-scheme: langsmith`); the engine takes that
user for this machine's user, and `server.app` refuses the header unless Studio is allowed (POCKETMIND_STUDIO).
"""

from __future__ import annotations

import asyncio
import hmac
from typing import Any, cast

from langgraph_sdk import Auth

from engine.engine import shared_engine
from engine.identity import signed_in_identity
from server.token import local_token

auth = Auth()


@auth.authenticate
async def authenticate(headers: dict[Any, Any]) -> Auth.types.MinimalUserDict:
    """The verified user of a request.

    Args:
        headers: names to values; bytes under `langgraph dev`, text elsewhere.
    """
    engine = await shared_engine()
    given = _header(headers, "authorization").removeprefix("Bearer ").strip()
    token = await asyncio.to_thread(local_token, engine.settings.home)
    if not given or not hmac.compare_digest(given.encode(), token.encode()):
        raise Auth.exceptions.HTTPException(
            status_code=401, detail="Send the local token: Authorization: Bearer $(pocketmind token)"
        )
    user = signed_in_identity(engine.settings.tenant, engine.settings.user)
    return cast(Auth.types.MinimalUserDict, user)  # the server keeps the fields beside the identity


@auth.on
async def refuse(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Whatever has no rule below is refused."""
    return False


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """Threads and runs: each user's own."""
    owner = await _owner(ctx)
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if isinstance(value, dict):
        if metadata is None:
            value["metadata"] = metadata = {}
        metadata["owner"] = owner
    return {"owner": owner}


@auth.on.assistants
async def read_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """The two graphs are there for everybody to see; nobody changes them over HTTP."""
    return ctx.action in ("read", "search")


async def _owner(ctx: Auth.types.AuthContext) -> str:
    engine = await shared_engine()
    scope = engine.identity.of_user(ctx.user)
    return str(signed_in_identity(scope.tenant, scope.user)["identity"])


def _header(headers: dict[Any, Any], name: str) -> str:
    value = headers.get(name, headers.get(name.encode(), b""))
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
