"""How long a test waits before it says that something hangs.

Not a claim of speed (those are measured by `make bench`): what these tests guard takes a fraction of a second when it
is linear and many minutes when it is not, so a loaded machine cannot make them fail.
"""

from __future__ import annotations

HANGS = 60.0
"""Seconds."""
