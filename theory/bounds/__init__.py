"""Bounds in numbers: term by term at an architecture, which term dominates where, and the least data before one says anything."""
