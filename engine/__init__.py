"""Floor 4: the composition root."""
