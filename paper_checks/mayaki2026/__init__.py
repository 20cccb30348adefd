"""Generalization and Scaling Laws for MoE Transformers (arXiv 2604.09175): tables as printed and claims."""
