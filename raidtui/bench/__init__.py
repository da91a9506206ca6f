"""Measures arrays, disks and file systems, and compares what came out with the model; trials and drills."""
