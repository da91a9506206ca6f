"""Background jobs of the app: searches, executors, benchmarks, gauges, files.

Jobs know the app as a `PageApp`, and never a screen of it.
"""
