"""The application around the graphs: which hosts may ask, whether Studio may sign in, and the worker's life."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from ipaddress import ip_address

import structlog
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.engine import close_shared_engine, shared_engine
from engine.logs import configure_logs
from engine.settings import load_settings
from server.worker import run_worker

log = structlog.get_logger("pocketmind.server")
_RESTART_SECONDS = 5.0


class StudioGate:
    """Refuses LangSmith Studio's sign-in from other machines, and from this one unless the operator allows it: under
    `langgraph dev` that header alone makes anybody a user.

    Args:
        allowed: whether Studio may sign in.
    """

    def __init__(self, app: ASGIApp, *, allowed: bool) -> None:
        self._app = app
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 401."""
        barred = scope["type"] == "http" and not (self._allowed and _is_local(scope.get("client")))
        if barred and _signs_in_as_studio(scope["headers"]):
            body = {"error": "Studio signs in from this machine only, and only with POCKETMIND_STUDIO=true."}
            await JSONResponse(body, status_code=401)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _signs_in_as_studio(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether any such header is there: the server behind us reads the first of several, others the last."""
    return any(name.lower() == b"x-auth-scheme" and value.strip().lower() == b"langsmith" for name, value in headers)


def _is_local(client: tuple[str, int] | None) -> bool:
    """Whether a request comes from this machine."""
    try:
        return client is not None and ip_address(client[0]).is_loopback
    except ValueError:
        return False


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Open the engine before the first request, keep a worker running, close both at the end."""
    configure_logs()
    engine = await shared_engine()
    await engine.warm()
    stop = asyncio.Event()
    worker = asyncio.create_task(_keep_working(stop))
    log.info("ready", engine=engine.engine_id)
    try:
        yield
    finally:
        stop.set()
        await asyncio.gather(worker, return_exceptions=True)
        await close_shared_engine()


async def _keep_working(stop: asyncio.Event) -> None:
    """Run the worker; when it fails (the database went away), say so and try again."""
    while not stop.is_set():
        try:
            await run_worker(await shared_engine(), stop=stop)
        except Exception as error:
            log.error("worker stopped, it starts again", error=type(error).__name__, seconds=_RESTART_SECONDS)
            await asyncio.sleep(_RESTART_SECONDS)


def build() -> Starlette:
    """The application as `langgraph.json` names it."""
    settings = load_settings()
    hosts = sorted({"127.0.0.1", "localhost", "[::1]", settings.host})
    return Starlette(
        lifespan=lifespan,
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
            Middleware(StudioGate, allowed=settings.studio),
        ],
    )


app = build()
