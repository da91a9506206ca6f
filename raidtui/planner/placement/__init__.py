"""Disks over failure domains: who becomes a member of which array. Uses the planner's root alone."""
