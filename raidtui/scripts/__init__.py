"""A plan as lists to read and type: build.sh, undo.sh, runbook.md, plan.json."""
