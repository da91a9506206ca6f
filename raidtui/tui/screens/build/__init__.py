"""Screen 5, Build: the run as its journal tells it, arrays and their syncs."""
