"""A plan as input of an installer of systems, with what that loses. No other room imports it."""
