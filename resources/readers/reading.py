"""Read bytes by the reader of their format, and say in plain words why they cannot be read."""

from __future__ import annotations

from importlib import import_module

from context.errors import ProjectionError
from resources.readers.archive import office_format, old_office
from resources.readers.document import Document, ReaderLimits
from resources.readers.registry import LEGACY, OFFICE, Format
from resources.readers.source import Source, damaged

_OUT_OF_MEMORY = (
    "bad_alloc",
    "insufficient memory",
    "failed to allocate",
    "cannot allocate",
    "out of memory",
    "failed to map segment",
)


def read_with(format: Format, source: Source) -> Document:
    """Read a file by the reader of its format; of Office files the members decide which that is.

    Raises:
        ProjectionError: the file cannot be read, whatever its library raised.
        MemoryError: it needs more memory than there is.
    """
    if format is LEGACY:
        raise old_office(source.raw)
    if format in OFFICE:
        format = office_format(source.raw, source.limits)
    try:
        document: Document = import_module(f"resources.readers.{format.reader}").read(source)
    except (ProjectionError, MemoryError):
        raise
    except Exception as error:
        # Libraries that parse hostile bytes raise anything, and what they say may quote the file: their kind is told.
        if any(sign in str(error).lower() for sign in _OUT_OF_MEMORY):
            raise MemoryError from error
        if isinstance(error, ImportError):
            raise _not_installed(format, error.name or "?") from error
        raise damaged(format.label, format.zh, type(error).__name__) from error
    return document


def too_much_memory(limits: ReaderLimits) -> ProjectionError:
    """The reason for a file that does not fit."""
    megabytes = limits.memory_bytes // 1_000_000
    return ProjectionError(
        f"The file needs more than {megabytes} MB of memory to be read.",
        hint="Split it, or save its pictures smaller.",
        zh=f"读取该文件需要超过 {megabytes} MB 内存。",
    )


def _not_installed(format: Format, module: str) -> ProjectionError:
    install = "pip install 'pocketmind[office]'" if format in OFFICE else "pip install pocketmind"
    return ProjectionError(
        f"What reads {format.label} is not installed: the package {module} is missing.",
        hint=f"Install it with {install}.",
        zh=f"未安装读取{format.zh}所需的组件（{module}），请运行 {install}。",
    )
