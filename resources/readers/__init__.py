"""From the bytes of a file to text with its places: one reader a kind of file, run apart from this process."""
