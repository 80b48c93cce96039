"""Floor 2: from a question to ranked, explained context."""
