"""Which disk goes to which array, and what the loss of each failure domain then costs."""
