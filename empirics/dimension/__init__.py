"""Intrinsic dimension of a point cloud: one table of nearest neighbours, and estimators that are functions of it."""
