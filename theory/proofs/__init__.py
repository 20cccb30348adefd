"""Statements in their words' full generality, proved in Coq: sources, what they take from formulas here, and the record of a build.

`Stated.v` holds the propositions, `Generated.v` the bounds in them, emitted from sympy; both are compiled before any proof
and import none. A statement names its theorem (``proved_in="Vectors.cauchy_schwarz"``). ``make proofs`` compiles everything and
holds each theorem to its proposition.
"""
