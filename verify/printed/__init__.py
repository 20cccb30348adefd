"""Numbers and tables as a paper prints them, and the exact intervals that they stand for."""
