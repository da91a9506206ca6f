"""Screen 8, Watch: every disk live."""
