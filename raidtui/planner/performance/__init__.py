"""The speed model: rates, the ceilings that bound them, and rebuild time. No sizes, no risk. Uses the planner root."""
