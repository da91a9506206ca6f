"""Placement of disks over failure domains: members and spares of each array. No speed, no risk. Uses the root."""
