"""Claims, the papers that make them, and how a claim comes to its verdict."""
