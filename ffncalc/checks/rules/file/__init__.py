"""What is wrong with the file itself."""
