"""A plan as scripts to read and run, and as a runbook. Uses compile and text."""
