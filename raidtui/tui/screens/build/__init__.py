"""Screen 5, Build: a run from its journal, arrays and their syncs."""
