"""The verbs of `raidtui fleet`, a module each, and what they share. Loaded for these verbs only."""
