"""What a note is called and what it links to: wiki links and relative Markdown links. Pure.

Names are compared in lower case and without the suffix of a note (`.md`), as vaults do.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from context.truth import Note
from storage.links import Calls

NOTE_SUFFIXES = (".md", ".markdown")
_MOST_LINKS = 500
_LONGEST = 200
_CODE = re.compile(r"(?ms)^[ \t]{0,3}(```|~~~).*?(?:^[ \t]{0,3}\1[`~]*[ \t]*$|\Z)|`[^`\n]+`")
_WIKI = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_MARKDOWN = re.compile(r"\]\(\s*(?:<([^<>\n]+)>|([^()<>\s]+(?:\([^()\s]*\)[^()<>\s]*)*))(?:\s+[\"'(][^\n)]{0,200})?\)")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|#")


def calls_of(note: Note) -> Calls:
    """Both sides of a note's links."""
    file = note.source_name.rpartition("/")[2]
    stems = [file, file[:-4]] if file.lower().endswith(".txt") else [_without_suffix(file)]
    names = [note.title, *stems, *note.aliases]
    known = dict.fromkeys(name for raw in names if (name := _key(raw)))
    targets = {target: None for raw in link_targets(note.body) if (target := _key(_without_suffix(raw)))}
    return Calls(
        names=tuple(known),
        targets=tuple((target.rpartition("/")[2], target) for target in targets if target.rpartition("/")[2]),
    )


def link_targets(body: str) -> list[str]:
    """Targets of `[[Note]]`, `[[Note#Heading|words]]`, `![[picture.png]]` and relative `[words](path)`, in order, each
    once, at most 500; code is not read, and links to the web are not ours."""
    if "[" not in body:
        return []
    text = _CODE.sub(" ", body)
    found = [(match.start(), match[1].strip()) for match in _WIKI.finditer(text)]
    found += [
        (match.start(), unquote(path).partition("#")[0].removeprefix("./"))
        for match in _MARKDOWN.finditer(text)
        if not _SCHEME.match(path := match[1] or match[2])
    ]
    targets = dict.fromkeys(target for _, target in sorted(found) if target and len(target) <= _LONGEST)
    return list(targets)[:_MOST_LINKS]


def _without_suffix(path: str) -> str:
    for suffix in NOTE_SUFFIXES:
        if path.lower().endswith(suffix):
            return path[: -len(suffix)]
    return path


def _key(name: str) -> str:
    parts = [part for part in name.strip().lower().split("/") if part not in ("", ".", "..")]
    return "/".join(parts)[:_LONGEST]
