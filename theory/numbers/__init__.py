"""From an expression to its value: one compiler (`expression`), and the arithmetics on which its code runs.

`floats`, `precise` (mpmath), `balls` (Arb) and `rationals` answer the same questions, those of `arithmetic.Arithmetic`;
`values` is the short way from an expression and exact values of its symbols to a number.
"""
