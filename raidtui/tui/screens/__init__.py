"""One module or package per screen, `base` their common base. A screen shows session and jobs, and computes nothing."""
