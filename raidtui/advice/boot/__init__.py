"""What the next boot makes of md arrays, from what was read of the machine."""
