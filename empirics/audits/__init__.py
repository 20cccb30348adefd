"""What often goes wrong in a published law: one question a file, found by being defined."""
