"""Acts on arrays that exist, as lists of steps: what is done, in what order, and what proves it. Pure."""
