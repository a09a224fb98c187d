"""One module per rule, in one package per group."""
