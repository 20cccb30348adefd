"""Claims on the theory's bounds that are no step of a derivation: rates, finite ranges, and what is only sampled.

A module of this package registers a claim by defining it, with ``theory.claim(...)``.
"""
