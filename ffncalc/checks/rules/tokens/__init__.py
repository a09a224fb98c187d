"""Embedding, vocabulary and special tokens."""
