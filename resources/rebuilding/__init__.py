"""Rebuilding: everything derived again, compared, and only what differs changed."""
