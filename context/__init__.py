"""Floor 0: the identity and value types everything else shares. Imports nothing of ours."""
