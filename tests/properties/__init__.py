"""Properties under hypothesis, with shared strategies."""
