"""Shapes that run slower than they need to."""
