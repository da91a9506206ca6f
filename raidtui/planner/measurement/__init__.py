"""Benchmark plans, comparison with predictions, observed limits. Runs nothing. Uses performance and design."""
