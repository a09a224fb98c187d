"""The parts that models are built from; each module is one kind of part."""
