"""Public tables of runs, by name: where they lie, what may be done with them, and what their columns mean."""
