"""What the lock file says against what is counted."""
