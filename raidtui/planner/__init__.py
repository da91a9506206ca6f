"""Pure functions over values: no clock, no randomness, no files. Root modules serve every package below."""
