"""From an expression to its value: floats, mpmath, and balls that are certain to hold the true value."""
