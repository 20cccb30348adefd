"""Approximation of Hölder functions by mixtures of experts: the bound as relayed, and what is proved with constants."""
