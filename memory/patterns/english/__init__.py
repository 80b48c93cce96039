"""English statements."""
