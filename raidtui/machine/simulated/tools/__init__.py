"""Programs of the simulated machine, and the files that they read and write. Uses core and md."""
