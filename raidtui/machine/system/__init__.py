"""Implements the ports for this machine: devices, programs, files and locks. Who uses a device, paths that
only root may change. Knows nothing of plans, runs and benchmarks."""
