"""Chinese statements."""
