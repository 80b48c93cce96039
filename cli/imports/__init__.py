"""Importing folders and files: the batches, what is gone, what is reported, and the watch."""
