"""Joint MoE Scaling Laws (arXiv 2502.05172): tables as printed and claims."""
