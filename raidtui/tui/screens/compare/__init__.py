"""Screen 3, Compare: all layouts of these disks, the Pareto front, constraints, why not."""
