"""Pure functions over values: no clock, no randomness, no files."""
