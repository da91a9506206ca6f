"""The rows of a design: title, value and notes, the same on the command line and on the screen."""
