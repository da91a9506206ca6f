"""From a prediction to a plan: steps, commands, postconditions. Uses design."""
