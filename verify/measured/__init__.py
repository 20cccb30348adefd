"""The statistics of measured claims: intervals, rivals, tolerances, and the rule that turns them into a verdict."""
