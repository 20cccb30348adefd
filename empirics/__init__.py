"""Measured quantities: pooling of published measurements (more rooms grow here; none imports `verify`)."""
