"""Finds proofs and counterexamples; what it finds is read a second time by `verify.recheck`."""
