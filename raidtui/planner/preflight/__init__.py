"""Is the plan still right for this machine, and what will its next boot go by? Uses compile and checks."""
