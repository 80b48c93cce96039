"""Chats that people bring along: JSON lines, and the export archives of ChatGPT and Claude."""
