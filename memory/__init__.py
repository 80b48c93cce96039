"""Floor 3: what a session leaves behind, one commit step a module."""
