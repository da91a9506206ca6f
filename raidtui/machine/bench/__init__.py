"""Measures arrays and file systems: prepares a benchmark, runs its loads, stores and plays back what was measured.
Writes files of its own, never to a disk.
"""
