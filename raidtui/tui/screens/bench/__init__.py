"""Screen 6, Bench: the benchmark's plan, its progress, measured beside predicted."""
