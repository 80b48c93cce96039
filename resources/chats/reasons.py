"""Why something of a chat archive was not taken, or not as it was: a code, and the figures that belong to it.

Nothing here words it: whoever speaks to people does, in their language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason.

    Attributes:
        code: broken_json, damaged, bad_file, large_file, missing_files, encrypted, zip_bomb, unsafe_names, too_deep,
            too_large, not_a_conversation, no_messages, repeated, refused, loop, replaced, undated, long_messages,
            duplicates, unknown_roles, unread_content.
        values: what its wording names: counts, sizes, a file's name. Never what somebody wrote.
    """

    code: str
    values: Mapping[str, Any]

    @classmethod
    def of(cls, code: str, **values: Any) -> Reason:
        """A reason with its figures."""
        return cls(code=code, values=values)
