"""Plain-text output of the verbs and confirmation pages. Computes no figures. Uses placement and measurement."""
