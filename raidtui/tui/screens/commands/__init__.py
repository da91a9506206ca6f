"""Screen 4, Commands: the plan's steps with their commands."""
