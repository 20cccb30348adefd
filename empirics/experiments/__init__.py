"""Experiments: what is measured at a size under a seed."""
