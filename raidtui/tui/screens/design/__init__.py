"""Screen 2, Design: the form, and the results of the layout in it."""
