"""Every layout of a pool of disks, the Pareto front, the picks. Uses design and the models."""
