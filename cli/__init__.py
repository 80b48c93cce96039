"""Floor 6: the pocketmind command."""
