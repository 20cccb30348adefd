"""What is derived under several readings of the bound: a module-level `Derivable` or `ExponentIdentity` is found by being defined."""
