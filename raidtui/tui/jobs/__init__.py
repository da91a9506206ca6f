"""What runs beside the keyboard: searches, executors, benchmarks, gauges, files.

Jobs report to the desk, never to a screen.
"""
