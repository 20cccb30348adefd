"""Would the checks have noticed? Printed digits and claimed formulas are changed, one at a time, and judged again."""
