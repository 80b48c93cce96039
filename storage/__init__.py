"""Floor 1: the only floor that speaks SQL."""
