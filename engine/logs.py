"""Logs: structured lines on standard error. Never the values of variables, which may be somebody's words or keys."""

from __future__ import annotations

import logging
import sys

import structlog


def configure_logs(*, level: int = logging.WARNING, json_lines: bool = False) -> None:
    """Send everything at or above `level` to standard error, one line an event.

    Tracebacks show code lines only; a renderer that prints local variables would leak notes and keys.
    """
    timestamps = structlog.processors.TimeStamper(fmt="iso", utc=True)
    if json_lines:
        render: list[structlog.typing.Processor] = [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    else:
        plain = structlog.dev.plain_traceback
        render = [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=plain)]
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, structlog.processors.add_log_level, timestamps, *render],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    logging.getLogger("procrastinate").setLevel(max(level, logging.WARNING))
    logging.getLogger("psycopg.pool").setLevel(max(level, logging.ERROR))
    logging.getLogger("httpx").setLevel(max(level, logging.WARNING))
