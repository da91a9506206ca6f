"""md arrays that exist, of values that were read: states, what knows them, layout, words. Below the fleet alone."""
