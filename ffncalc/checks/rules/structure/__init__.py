"""Heads, layers and windows."""
