"""Isolation: every read and every write path, asked by a stranger."""
