"""The journal of a run: its text format, and the state of the run computed from its records. Uses nothing."""
