"""Floor 1: from settings to a chat model and an embedder; the offline defaults."""
