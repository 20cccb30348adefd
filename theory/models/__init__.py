"""Architectures with their parameter and FLOP counts, and published models as architectures."""
