"""Graphs: whole turns and whole commits."""
