"""A text in the person's own editor, and back; nothing that was written there is ever lost."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from context.errors import ConfigurationError, InvalidInputError
from context.text import clean

if TYPE_CHECKING:
    from cli.output import Output

_USUAL = ("sensible-editor", "nano", "vim", "vi")


@contextmanager
def edited(text: str, out: Output) -> Iterator[str]:
    """The text as the person leaves it. If the block fails, what was written stays in a file, and that is said.

    An editor that ends every file with a line end has not changed a text that had none.

    Raises:
        ConfigurationError: there is no editor, or it cannot be started.
        InvalidInputError: it ended with an error.
        ProjectionError: it left something that is no text.
    """
    from resources.decoding import decode

    folder = Path(mkdtemp(prefix="pocketmind-"))  # of its own, and closed to others: editors leave copies beside a file
    file = folder / "note.md"
    given = text.encode()
    try:
        file.write_bytes(given)
        _edit(file)
        left = clean(decode(file.read_bytes())[0]).text if file.read_bytes() != given else text
        yield left if text.endswith("\n") else left.removesuffix("\n").removesuffix("\r")
    except BaseException:
        if file.exists() and file.read_bytes() != given:
            out.notice("edit_kept", style="yellow", file=file)
        else:
            shutil.rmtree(folder)
        raise
    shutil.rmtree(folder)


def _edit(file: Path) -> None:
    """Wait until the editor is closed. Its name may hold options, as in `code --wait`."""
    # What every terminal program reads; it is no setting of ours.
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    named = named or next(filter(shutil.which, _USUAL), "")
    hint = "Set EDITOR to a program that is there and waits, such as nano or `code --wait`."
    try:
        words = shlex.split(named)
        if not words:
            raise ConfigurationError("There is no editor.", hint=hint, zh="没有可用的编辑器。")
        ended = subprocess.run([*words, str(file)])  # noqa: S603  # the person's own choice
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"The editor {named!r} cannot be started ({error}).", hint=hint, zh=f"无法启动编辑器 {named!r}（{error}）。"
        ) from error
    if ended.returncode:
        raise InvalidInputError(
            f"The editor ended with code {ended.returncode}, so nothing was changed.",
            zh=f"编辑器异常退出（代码 {ended.returncode}），没有改动笔记。",
        )
