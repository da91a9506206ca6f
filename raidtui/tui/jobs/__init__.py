"""Background jobs of the app: searches, executors, benchmarks, gauges, files.

Jobs report to the desk, never to a screen.
"""
