"""A paper's tables as its source has them: one file a format, found by being defined."""
