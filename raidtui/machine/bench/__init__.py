"""Measures arrays and file systems: prepares a benchmark, runs its loads, stores the results.
Writes its own files only, never to a block device.
"""
