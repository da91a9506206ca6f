"""The verbs of `raidtui fleet`, loaded for these verbs alone."""
