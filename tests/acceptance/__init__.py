"""Acceptance: what a user was promised, asked of the whole engine."""
