"""Floor 4: thin adapters, state in, update out."""
