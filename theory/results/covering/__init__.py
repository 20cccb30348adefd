"""Covering numbers of MoE Transformers: a bounded class with its constants, counterexamples, repairs."""
