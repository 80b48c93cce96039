"""Statistics: what the planner knows of tables that have just been filled.

Knowing nothing, it takes every owner for one with a single row, and reads all of theirs for each row that it looks up:
an import then slows down with its square (measured: 24 notes a second at 2,500, 130 with statistics). The server
looks by itself about once a minute, which is after most imports have ended.
"""

from __future__ import annotations

import psycopg
import structlog
from psycopg import AsyncConnection

from storage.database import checked_conninfo
from storage.queries import queries

_SQL = queries("imports")
log = structlog.get_logger("pocketmind.statistics")


async def look_again(admin_url: str) -> None:
    """Let the planner look at the tables that an import fills.

    Args:
        admin_url: of the role that owns the tables, which alone may.

    It is a help and no more: if it fails, lookups are slower until the database looks by itself.
    """
    try:
        async with await AsyncConnection.connect(
            checked_conninfo(admin_url),
            autocommit=True,
            connect_timeout=5,
            options="-c lock_timeout=2s -c statement_timeout=60s",
        ) as own:
            await own.execute(_SQL["analyze"])
    except psycopg.Error as error:
        log.warning("statistics not gathered", error=type(error).__name__)
