"""Screen 9, Arrays: the md arrays that exist, live."""
