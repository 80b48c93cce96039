"""Packaging: names, versions and files of what is installed."""
