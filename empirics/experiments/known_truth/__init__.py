"""Experiments on targets whose dimension and smoothness are facts: what the theory's exponents can be tested on.

A seed draws one target, which all sizes share, and for each size a sample of its own.
"""
