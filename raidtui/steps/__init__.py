"""What is done, as lists of Step: build, undo, replace, extend, grow, tune, drill. Pure; the engine carries it out."""
