"""Sign, monotonicity and curvature of a formula, inferred by composition rules as in disciplined convex programming.

`infer_shapes` walks a formula from its leaves upwards. Signs (`theory.shapes.signs`) come from the lower and upper
bounds of the symbols; slopes and curvatures (`theory.shapes.rules`) from the sum, product and chain rules in the
arithmetic of signs. A rule that does not apply infers nothing: "unknown" says that no rule decided, not that the
formula has no shape. Source of the rules: Grant, Boyd and Ye, "Disciplined convex programming" (2006).
"""
