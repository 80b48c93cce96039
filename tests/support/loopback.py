"""A guard for tests: nothing leaves this machine, so no test can reach a real model."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterator
from typing import Any
from unittest import mock


class LeftTheMachine(AssertionError):
    """A test tried to open a connection or to look up a name beyond loopback."""


@contextlib.contextmanager
def loopback_only() -> Iterator[None]:
    """Refuse every TCP connection and every name look-up that is not on loopback, in all threads, inside the block.

    Raises:
        LeftTheMachine: at the place that tried; libraries may wrap it into a connection error of their own.
    """
    connect, resolve = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _refuse_far(address[0])
        connect(self, address)

    def guarded_resolve(host: Any, *rest: Any, **named: Any) -> Any:
        _refuse_far(host)
        return resolve(host, *rest, **named)

    with (
        mock.patch.object(socket.socket, "connect", guarded_connect),
        mock.patch.object(socket, "getaddrinfo", guarded_resolve),
    ):
        yield


def _refuse_far(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else str(host)
    if host is None or name == "localhost":
        return
    with contextlib.suppress(ValueError):  # a name, not an address
        if ipaddress.ip_address(name).is_loopback:
            return
    raise LeftTheMachine(f"A test tried to leave this machine: {name}")
