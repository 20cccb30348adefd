"""The calculus of rates: minimise a rate over the sizes, with a proof, and test bounds against each other."""
