"""The commands. Each module parses, calls and prints; nothing is computed here."""
