"""Floor 5: the drawings of the two graphs."""
