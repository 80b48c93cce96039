"""Describing: what a chat model says about material, asked in the background and taken only when it holds."""
