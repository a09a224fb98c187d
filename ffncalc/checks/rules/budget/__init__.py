"""Limits that the settings give, for all files or for some."""
