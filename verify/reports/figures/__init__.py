"""Figures: how each kind of details is shown. A figure is a file here and a template; it is found by being defined."""
