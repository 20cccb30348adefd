"""One result a file: its words, formula, hypotheses, source and derivation."""
