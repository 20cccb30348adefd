"""The checkers: one file each, a frozen record of inputs that answers with evidence."""
