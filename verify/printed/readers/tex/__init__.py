"""As much of TeX as tables need: tokens, macros by substitution, visible text. Nothing is executed."""
