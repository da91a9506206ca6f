"""State of the simulated machine: drives and what is on them, device names, command lines, values of faults."""
