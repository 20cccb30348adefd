"""The catalogue of scaling laws: one file each; a law predicts a loss and allocates compute."""
