"""The speed model: rates, the links and ceilings that bound them, rebuild time. Uses the planner's root alone."""
