"""Floor 1: SKILL.md folders and the code that reads them."""
