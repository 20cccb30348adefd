"""Data whose dimension and smoothness are facts: manifolds, random fields, and regression problems made of them."""
