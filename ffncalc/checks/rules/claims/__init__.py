"""What names and fields say against what is counted."""
