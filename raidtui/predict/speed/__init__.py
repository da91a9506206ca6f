"""How fast: the asked workload is the model; rebuild and sync times."""
