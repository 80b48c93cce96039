"""Floor 1: every word that is sent to a model, as jinja2 files."""
