"""Laws fitted to measured runs: optimum, its certificate, intervals, and what to spend next."""
