"""Small second readers of certificates, which share no code with the search that found them."""
