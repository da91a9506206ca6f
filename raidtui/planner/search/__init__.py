"""Search over the layouts of a pool of disks: evaluation, Pareto front, picks. No commands. Uses design and models."""
