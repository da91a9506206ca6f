"""Benchmarks planned, compared with their prediction, and the limit that was observed. Uses performance and design."""
