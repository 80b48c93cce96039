"""Vaults: folders of notes and files as people keep them, with front matter, tags, links and dates."""
