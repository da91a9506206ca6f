"""One package per screen; `base` is their common base. A screen shows session and jobs, and computes nothing."""
