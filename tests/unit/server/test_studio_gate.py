"""Studio's sign-in passes from this machine alone, and only where the operator allows it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse

from server.app import StudioGate

STUDIO = {"X-Auth-Scheme": "LangSmith"}


async def status(client: tuple[str, int], headers: dict[str, str], *, allowed: bool) -> int:
    """What a request from an address is answered; 200 comes from the application behind the gate."""
    gate = StudioGate(PlainTextResponse("inside"), allowed=allowed)
    transport = httpx.ASGITransport(gate, client=client)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as asking:
        return (await asking.get("/threads", headers=headers)).status_code


@pytest.mark.parametrize("address", ["10.0.0.7", "203.0.113.9", "2001:db8::1", "testclient", ""])
@pytest.mark.parametrize("allowed", [True, False])
async def test_no_other_machine_signs_in_as_studio(address: str, allowed: bool) -> None:
    assert await status((address, 4711), STUDIO, allowed=allowed) == 401


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.9.1", "::1"])
async def test_this_machine_signs_in_as_studio_only_where_it_is_allowed(address: str) -> None:
    assert await status((address, 4711), STUDIO, allowed=True) == 200
    assert await status((address, 4711), STUDIO, allowed=False) == 401


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.7"])
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer x"}, {"X-Auth-Scheme": "bearer"}])
@pytest.mark.parametrize("allowed", [True, False])
async def test_other_requests_pass(address: str, headers: dict[str, str], allowed: bool) -> None:
    assert await status((address, 4711), headers, allowed=allowed) == 200


async def test_a_request_without_an_address_is_another_machine_s() -> None:
    sent: list[dict[str, object]] = []

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        sent.append(message)

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    gate = StudioGate(PlainTextResponse("inside"), allowed=True)
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"x-auth-scheme", b"langsmith")]}
    await gate(scope | {"client": None}, receive, send)
    assert sent[0]["status"] == 401


async def test_a_header_sent_twice_hides_nothing() -> None:
    """The server behind the gate reads the first of several equal headers, so any of them counts."""
    answered: list[int] = []

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        answered.append(200)

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answered.append(message["status"])

    async def receive() -> Any:
        return {"type": "http.request"}

    for first, second in ((b"langsmith", b"other"), (b"other", b"LangSmith ")):
        headers = [(b"x-auth-scheme", first), (b"x-auth-scheme", second)]
        scope = {"type": "http", "headers": headers, "client": ("10.0.0.7", 5000), "method": "GET", "path": "/"}
        await StudioGate(behind, allowed=True)(scope, receive, send)
    assert answered == [401, 401]
