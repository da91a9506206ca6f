"""Survey of what is on the arrays of a plan, and its consequences for an undo."""
