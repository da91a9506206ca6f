"""One package a screen; `base` is what all of them have. A screen shows the session and jobs, and computes nothing."""
