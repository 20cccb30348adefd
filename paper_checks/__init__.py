"""Papers under check: one folder each, with tables as printed and claims; data only, no machinery."""
