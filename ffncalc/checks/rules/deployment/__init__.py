"""Splitting a model over devices; silent unless a number of ranks is asked for."""
