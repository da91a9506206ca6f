"""The simulated machine with what only tests do to it: faults at counted events, boots, foreign content and users."""
