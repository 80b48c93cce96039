"""PromptLibrary: every word that is sent to a model, read from the package once, when the library is made.

A template is a file `<topic>/<task>.<slot>.j2` and is rendered by the name `<topic>/<task>.<slot>`. Its head comment
says what it is for and names its placeholders. Values are text and never templates: jinja2 does not look into them,
and templates run in its sandbox. Four filters make data safe at the place where it is printed, so that no caller can
forget: `fenced`, `quoted`, `line`, `plain` (see `prompts.fencing`). Callers pass text as it was written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import wraps
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType

from jinja2 import DictLoader, StrictUndefined, Template, TemplateError, Undefined
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from context.errors import ConfigurationError
from prompts.fencing import data_line, fence_text, one_line, quote_lines

_SUFFIX = ".j2"


class PromptLibrary:
    """All templates, compiled. Rendering reads no file.

    Attributes:
        sources: name to the template's text.
        digest: 16 hex digits over all names and texts, for traces.

    Raises:
        ConfigurationError: a template is not valid jinja2, or there are none.
    """

    def __init__(self) -> None:
        self.sources = MappingProxyType(dict(sorted(_templates(files("prompts")))))
        if not self.sources:
            raise ConfigurationError("The package holds no prompts.", hint="Install it again.")
        environment = ImmutableSandboxedEnvironment(
            loader=DictLoader(dict(self.sources)),
            undefined=StrictUndefined,
            autoescape=False,  # the output is a prompt, not HTML: escaping would change quotes
            trim_blocks=True,
            lstrip_blocks=True,
        )
        for name, function in (
            ("fenced", fence_text),
            ("quoted", quote_lines),
            ("line", data_line),
            ("plain", one_line),
        ):
            environment.filters[name] = _of_text(function)
        self._templates: dict[str, Template] = {}
        self._placeholders: dict[str, frozenset[str]] = {}
        whole = hashlib.sha256()
        for name, source in self.sources.items():
            try:
                self._templates[name] = environment.get_template(name)
                self._placeholders[name] = frozenset(find_undeclared_variables(environment.parse(source)))
            except TemplateError as error:
                raise ConfigurationError(f"The prompt {name!r} is no valid template: {error}") from error
            whole.update(f"{name}\0{source}\0".encode())
        self.digest = whole.hexdigest()[:16]

    @property
    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(self._templates)

    def placeholders(self, name: str) -> frozenset[str]:
        """The values that a template needs.

        Raises:
            ConfigurationError: there is no such template.
        """
        if name not in self._placeholders:
            raise ConfigurationError(f"There is no prompt {name!r}.", hint="Prompts: " + ", ".join(self.names))
        return self._placeholders[name]

    def render(self, name: str, /, **values: object) -> str:
        """The prompt as text, without a newline at its end.

        Raises:
            ConfigurationError: no such template, a value is missing, or one is given that the template does not
                show (it would be lost without a word).
        """
        wanted = self.placeholders(name)
        if wanted != values.keys():
            missing, unknown = sorted(wanted - values.keys()), sorted(values.keys() - wanted)
            raise ConfigurationError(f"The prompt {name!r}: missing values {missing}, unknown values {unknown}.")
        try:
            return self._templates[name].render(values).strip("\n")
        except (TemplateError, TypeError) as error:
            raise ConfigurationError(f"The prompt {name!r} cannot be rendered: {error}") from error


def _of_text(function: Callable[..., str]) -> Callable[..., str]:
    """A filter that answers a missing value with jinja2's own error, which names it."""

    @wraps(function)
    def apply(*values: object) -> str:
        return function(*(str(value) if isinstance(value, Undefined) else value for value in values))

    return apply


def _templates(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _templates(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            yield prefix + entry.name.removesuffix(_SUFFIX), entry.read_text(encoding="utf-8")
