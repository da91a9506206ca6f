"""A plan as bash, undo script and runbook. Uses compile and text."""
