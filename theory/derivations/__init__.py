"""`derive`: from named hypotheses to an exponent, under each setting of the theory; the best number of active experts."""
