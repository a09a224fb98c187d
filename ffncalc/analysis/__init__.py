"""Pure functions from a Model to frozen rows. Nothing here reads files or prints."""
