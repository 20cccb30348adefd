"""Estimators of intrinsic dimension, one a file, found by being defined."""
